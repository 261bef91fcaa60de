import { hash } from 'node:crypto'
import { command } from '../db/command.ts'
import { addSeconds, unmoved } from '../platform/clock.ts'
import { isRecord } from '../platform/json.ts'
import { openText, sealText } from '../platform/sealed-text.ts'
import type { AuthorizationDeps } from './deps.ts'
import * as store from './store.ts'

// What the authorization server remembers, for every node. A name is a secret of its holder (a token, a cookie), so
// only its hash is kept, and what it stands for is encrypted, in its place. Times are those of other people's machines:
// no sandbox moves them.

type EntryDeps = Pick<AuthorizationDeps, 'pool' | 'clock' | 'events' | 'merchantId' | 'entriesKey'>

export interface Entry {
  kind: string
  id: string
}

export interface FoundEntry {
  content: Record<string, unknown>
  agentId: string | null
  consumedAt: Date | null
}

/** Registered clients that no owner has approved go after a day. */
const UNUSED_SECONDS = 24 * 60 * 60
const SILENT = 'Owners have no feed.'

export const digestOf = ({ kind, id }: Entry): Buffer => hash('sha256', `${kind}:${id}`, 'buffer')

const placeOf = ({ merchantId }: EntryDeps, entry: Entry) => [merchantId, entry.kind, digestOf(entry).toString('hex')]

export async function writeEntry(
  deps: EntryDeps,
  entry: Entry,
  content: Record<string, unknown>,
  { agentId, seconds = UNUSED_SECONDS }: { agentId: string | null; seconds?: number | undefined },
): Promise<void> {
  const at = unmoved(deps.clock)
  const sealed = sealText(deps.entriesKey, placeOf(deps, entry), JSON.stringify(content))
  await command(deps, { name: 'mcp.write_entry', why: SILENT, together: 'statement' }, ({ on }) =>
    store.upsertEntry(on, {
      ...{ merchantId: deps.merchantId, kind: entry.kind, digest: digestOf(entry), agentId, content: sealed, at },
      expiresAt: addSeconds(at, seconds),
    }),
  )
}

export async function findEntry(deps: EntryDeps, entry: Entry): Promise<FoundEntry | undefined> {
  const { pool, clock, merchantId, entriesKey } = deps
  const values = { merchantId, digest: digestOf(entry), at: unmoved(clock) }
  const found = await store.findEntry(pool, values)
  if (found === undefined) return undefined
  return { ...found, content: JSON.parse(openText(entriesKey, placeOf(deps, entry), found.content)) }
}

/** False: another caller was first. */
export async function consumeEntry(deps: EntryDeps, entry: Entry): Promise<boolean> {
  const values = { merchantId: deps.merchantId, digest: digestOf(entry), at: unmoved(deps.clock) }
  const consumed = await command(deps, { name: 'mcp.consume_entry', why: SILENT, together: 'statement' }, ({ on }) =>
    store.consumeEntry(on, values),
  )
  return consumed !== undefined
}

/** True for the first who comes with this name, of all nodes. */
export async function isFirst(
  deps: EntryDeps,
  entry: Entry,
  { agentId, until }: { agentId: string; until: Date },
): Promise<boolean> {
  const values = { merchantId: deps.merchantId, kind: entry.kind, digest: digestOf(entry), agentId, expiresAt: until }
  const spent = await command(deps, { name: 'mcp.spend_once', why: SILENT, together: 'statement' }, ({ on }) =>
    store.spendOnce(on, { ...values, at: unmoved(deps.clock) }),
  )
  return spent !== undefined
}

export async function keepEntry(deps: EntryDeps, entry: Entry, seconds: number): Promise<void> {
  const expiresAt = addSeconds(unmoved(deps.clock), seconds)
  const values = { merchantId: deps.merchantId, digest: digestOf(entry), expiresAt }
  await command(deps, { name: 'mcp.keep_entry', why: SILENT, together: 'statement' }, ({ on }) =>
    store.updateExpiry(on, values),
  )
}

export async function deleteEntry(deps: EntryDeps, entry: Entry): Promise<void> {
  const values = { merchantId: deps.merchantId, digest: digestOf(entry) }
  await command(deps, { name: 'mcp.delete_entry', why: SILENT, together: 'statement' }, ({ on }) =>
    store.deleteEntry(on, values),
  )
}

export async function deleteOfAgent(deps: EntryDeps, kind: string, agentId: string): Promise<void> {
  const values = { merchantId: deps.merchantId, kind, agentId }
  await command(deps, { name: 'mcp.delete_of_agent', why: SILENT, together: 'statement' }, ({ on }) =>
    store.deleteOfAgent(on, values),
  )
}

/** Returns how many there were. */
export async function deleteExpired(deps: EntryDeps, limit: number): Promise<number> {
  const values = { merchantId: deps.merchantId, at: unmoved(deps.clock), limit }
  return command(deps, { name: 'mcp.delete_expired', why: SILENT, together: 'statement' }, ({ on }) =>
    store.deleteExpired(on, values),
  )
}

/** The text of a field of what was stored. */
export function textAt(content: unknown, name: string): string | undefined {
  const value = isRecord(content) ? content[name] : undefined
  return typeof value === 'string' ? value : undefined
}
