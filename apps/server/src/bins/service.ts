import type { Environment } from '@mintmark/contract'
import type { CommandDeps } from '../db/command.ts'
import { single } from '../db/command.ts'
import { sqlState, UNIQUE_VIOLATION } from '../db/errors.ts'
import type { Queryable } from '../db/statement.ts'
import type { DeclineReason } from '../network/port.ts'
import { bound } from '../platform/bound.ts'
import { randomText } from '../platform/ids.ts'
import { badTable } from './errors.ts'
import { type BinFacts, type BinRange, type CardRules, readHead, readRange, refusalOf } from './rules.ts'
import { SANDBOX_RANGES } from './sandbox-table.ts'
import * as store from './store.ts'

export { BIN_DIGITS, type CardRules } from './rules.ts'

export interface BinDeps extends Pick<CommandDeps, 'pool' | 'clock'> {
  environment: Environment
}

/** Which country and issuer a card is of, by its first digits, and whether a merchant accepts it. */
export const createBinService = (deps: BinDeps) => bound(deps, { judge, importTable })
export type BinService = ReturnType<typeof createBinService>

/** Why a merchant with these rules does not accept a card that begins so; null: it does. Nothing is asked where there is no rule. */
export async function judge(deps: BinDeps, rules: CardRules, bin: string): Promise<DeclineReason | null> {
  if (rules.countries === null && rules.issuers === null) return null
  return refusalOf(rules, await find(deps, Number(bin)))
}

async function find({ pool, environment }: BinDeps, bin: number): Promise<BinFacts | null> {
  const range = await store.findRange(pool, { bin })
  if (range !== undefined) return range.last >= bin ? range : null
  if (environment !== 'sandbox' || (await store.findEdition(pool)) !== undefined) return null
  return SANDBOX_RANGES.find(({ first, last }) => first <= bin && bin <= last) ?? null
}

const BATCH = 5_000

/**
 * Puts a table in the place of the one in use, from its lines as CSV with a head. It is used when all of it is there; an import
 * that is broken off changes nothing, and the next one clears away what it left. Throws `VAL_2001` with the line that is wrong.
 */
export async function importTable(
  deps: BinDeps,
  lines: AsyncIterable<string>,
  onProgress: (count: number) => void,
): Promise<{ ranges: number }> {
  const edition = randomText(10)
  let ranges = 0
  for await (const batch of batches(lines)) {
    await insert(deps, edition, batch)
    ranges += batch.length
    onProgress(ranges)
  }
  if (ranges === 0) throw badTable('it has no ranges')
  const overlap = await store.findOverlap(deps.pool, { edition })
  if (overlap !== undefined) throw badTable(`the range that begins with ${overlap.first} reaches into the next one`)
  const used = await write(deps, 'bins.use', (on) => store.upsertEdition(on, { edition, count: ranges }))
  if (used === undefined) throw badTable('another import was made meanwhile')
  let deleted = BATCH
  while (deleted === BATCH) {
    deleted = await write(deps, 'bins.clear', (on) => store.deleteOldRanges(on, { edition, limit: BATCH }))
  }
  return { ranges }
}

function write<T>(deps: BinDeps, name: string, work: (on: Queryable) => Promise<T>): Promise<T> {
  return single(deps, { name, silent: 'operator' }, ({ on }) => work(on))
}

async function insert(deps: BinDeps, edition: string, batch: readonly BinRange[]): Promise<void> {
  const columns = {
    firsts: batch.map(({ first }) => first),
    lasts: batch.map(({ last }) => last),
    countries: batch.map(({ country }) => country),
    issuers: batch.map(({ issuer }) => issuer),
  }
  try {
    await write(deps, 'bins.insert', (on) => store.insertRanges(on, { edition, ...columns }))
  } catch (error) {
    if (sqlState(error) === UNIQUE_VIOLATION) throw badTable('two ranges begin with the same number')
    throw error
  }
}

async function* batches(lines: AsyncIterable<string>): AsyncIterable<BinRange[]> {
  let places: ReturnType<typeof readHead>
  let batch: BinRange[] = []
  let at = 0
  for await (const line of lines) {
    at += 1
    if (line.trim() === '') continue
    if (places === undefined) {
      places = readHead(line.replace(/^\uFEFF/, ''))
      if (places === undefined) throw badTable('its head names no column "first" or "bin"')
      continue
    }
    const range = readRange(line, places)
    if (typeof range === 'string') throw badTable(`line ${at}: ${range}`)
    batch.push(range)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
