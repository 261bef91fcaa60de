import { hash } from 'node:crypto'
import { single } from '../db/command.ts'
import { addSeconds, unmoved } from '../platform/clock.ts'
import { isRecord } from '../platform/json.ts'
import { openText, sealText } from '../platform/sealed-text.ts'
import type { AuthorizationDeps } from './deps.ts'
import { grantNamed } from './grant.ts'
import { REPEAT_SECONDS } from './lifetimes.ts'
import * as store from './store.ts'

// What the authorization server remembers, for every node. A name is a secret of its holder (a token, a cookie), so only its hash is kept,
// and what it stands for is encrypted, in its place. Times are those of other people's machines: no sandbox moves them.

type EntryDeps = Pick<AuthorizationDeps, 'pool' | 'clock' | 'events' | 'merchantId' | 'entriesKey' | 'seals'>

export interface Entry {
  kind: string
  id: string
}

export interface FoundEntry {
  content: Record<string, unknown>
  agentId: string | null
  consumedAt: Date | null
}

/** Registered clients for which no owner has approved anything go after a day. */
const UNUSED_SECONDS = 24 * 60 * 60

export const digestOf = ({ kind, id }: Entry): Buffer => hash('sha256', `${kind}:${id}`, 'buffer')

const placeOf = ({ merchantId }: EntryDeps, entry: Entry) => [merchantId, entry.kind, digestOf(entry).toString('hex')]

export async function writeEntry(
  deps: EntryDeps,
  entry: Entry,
  content: Record<string, unknown>,
  seconds = UNUSED_SECONDS,
): Promise<void> {
  const at = unmoved(deps.clock)
  const sealed = sealText(deps.entriesKey, placeOf(deps, entry), JSON.stringify(content))
  await single(deps, { name: 'mcp.write_entry', silent: 'owner' }, ({ on }) =>
    store.upsertEntry(on, {
      ...{ merchantId: deps.merchantId, kind: entry.kind, digest: digestOf(entry), content: sealed, at },
      ...{ agentId: agentOf(entry, content), grantId: grantOf(entry, content), expiresAt: addSeconds(at, seconds) },
    }),
  )
}

/** The grant for which it is given, or that it is. */
const grantOf = ({ kind, id }: Entry, content: Record<string, unknown>): string | null =>
  kind === 'Grant' ? id : (textAt(content, 'grantId') ?? null)

/** Whose it is: the name of a grant says of which agent. */
const agentOf = (entry: Entry, content: Record<string, unknown>): string | null =>
  grantNamed(grantOf(entry, content))?.agentId ?? null

/** None also where an editor of the database has given it to another agent, whose things it would open. */
export async function findEntry(deps: EntryDeps, entry: Entry): Promise<FoundEntry | undefined> {
  const { pool, clock, merchantId, entriesKey } = deps
  const values = { merchantId, digest: digestOf(entry), at: unmoved(clock) }
  const found = await store.findEntry(pool, values)
  if (found === undefined) return undefined
  const content: Record<string, unknown> = JSON.parse(openText(entriesKey, placeOf(deps, entry), found.content))
  if (agentOf(entry, content) === found.agentId) return { ...found, content }
  deps.seals.alarm({ table: 'oauth_entries', merchantId, id: digestOf(entry).toString('hex') })
  return undefined
}

/** False: another caller was first, or it is gone. */
export async function consumeEntry(deps: EntryDeps, entry: Entry): Promise<boolean> {
  const values = { merchantId: deps.merchantId, digest: digestOf(entry), at: unmoved(deps.clock) }
  const consumed = await single(deps, { name: 'mcp.consume_entry', silent: 'owner' }, ({ on }) =>
    store.consumeEntry(on, values),
  )
  return consumed !== undefined
}

/**
 * What the first caller, who used it up, has added to it: another within `REPEAT_SECONDS` gets that, and not what they would have added.
 * Undefined: the time is over, or it is gone.
 */
export async function consumeForRepeats(
  deps: EntryDeps,
  entry: Entry,
  added: Record<string, unknown>,
): Promise<unknown> {
  const found = await findEntry(deps, entry)
  if (found === undefined) return undefined
  const at = unmoved(deps.clock)
  const sealed = sealText(deps.entriesKey, placeOf(deps, entry), JSON.stringify({ ...found.content, ...added }))
  const values = { merchantId: deps.merchantId, digest: digestOf(entry), content: sealed, at }
  const consumed = await single(deps, { name: 'mcp.consume_for_repeats', silent: 'owner' }, ({ on }) =>
    store.consumeForRepeats(on, { ...values, since: addSeconds(at, -REPEAT_SECONDS) }),
  )
  return consumed === undefined
    ? undefined
    : JSON.parse(openText(deps.entriesKey, placeOf(deps, entry), consumed.content))
}

/** True for the first who comes with this name, of all nodes. */
export async function isFirst(
  deps: EntryDeps,
  entry: Entry,
  { agentId, until }: { agentId: string; until: Date },
): Promise<boolean> {
  const values = { merchantId: deps.merchantId, kind: entry.kind, digest: digestOf(entry), agentId, expiresAt: until }
  const spent = await single(deps, { name: 'mcp.spend_once', silent: 'challenge' }, ({ on }) =>
    store.spendOnce(on, { ...values, at: unmoved(deps.clock) }),
  )
  return spent !== undefined
}

export async function keepEntry(deps: EntryDeps, entry: Entry, seconds: number): Promise<void> {
  const expiresAt = addSeconds(unmoved(deps.clock), seconds)
  const values = { merchantId: deps.merchantId, digest: digestOf(entry), expiresAt }
  await single(deps, { name: 'mcp.keep_entry', silent: 'owner' }, ({ on }) => store.updateExpiry(on, values))
}

export async function deleteEntry(deps: EntryDeps, entry: Entry): Promise<void> {
  const values = { merchantId: deps.merchantId, digest: digestOf(entry) }
  await single(deps, { name: 'mcp.delete_entry', silent: 'owner' }, ({ on }) => store.deleteEntry(on, values))
}

export async function deleteOfGrant(deps: EntryDeps, kind: string, grantId: string): Promise<void> {
  const values = { merchantId: deps.merchantId, kind, grantId }
  await single(deps, { name: 'mcp.delete_of_grant', silent: 'owner' }, ({ on }) => store.deleteOfGrant(on, values))
}

/** Returns how many there were. */
export async function deleteExpired(deps: EntryDeps, limit: number): Promise<number> {
  const values = { merchantId: deps.merchantId, at: unmoved(deps.clock), limit }
  return single(deps, { name: 'mcp.delete_expired', silent: 'past' }, ({ on }) => store.deleteExpired(on, values))
}

/** The text of a field of what was stored. */
export function textAt(content: unknown, name: string): string | undefined {
  const value = isRecord(content) ? content[name] : undefined
  return typeof value === 'string' ? value : undefined
}
