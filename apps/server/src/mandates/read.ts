import { MAX_CHARGES_SHOWN } from '@mintmark/contract'
import { findByOwnId, findCustomerId } from '../customers/service.ts'
import { lastId } from '../platform/ids.ts'
import { isUntouched } from '../platform/row-seals.ts'
import { mandateForbidden, mandateNotFound } from './errors.ts'
import { checkOwner } from './owner.ts'
import { type MandateStanding, standingOf } from './rules.ts'
import type { MandateDeps } from './service.ts'
import * as store from './store.ts'

type ReadDeps = Pick<MandateDeps, 'pool' | 'clock' | 'seals'>

/** A mandate as it stands now. */
export type ShownMandate = Omit<store.MandateRow, keyof MandateStanding> & MandateStanding
export type MandateWithCharges = ShownMandate & Pick<FoundMandate, 'listedCharges'>
type FoundMandate = NonNullable<Awaited<ReturnType<typeof store.findMandate>>>

/** The user or account whose mandates are meant. */
export interface MandateScope {
  merchantId: string
  /** Only those of this user of a dashboard: a customer of the account, by their `user_id` or our id. */
  user?: string | undefined
  /** Only those that this user, or the agent's owner, gave to one agent. */
  agentId?: string | undefined
  /** An agent asks, for what this customer gave it. */
  ownerId?: string | undefined
}

export interface MandateFilter extends MandateScope {
  /** Our id, or else the merchant's own `user_id`. */
  customer?: string | undefined
  standingOnly: boolean
  /** The last mandate of the page before. */
  before?: string | undefined
  limit: number
}

export interface MandatePage {
  mandates: ShownMandate[]
  /** The last mandate that was looked at, if more follow. */
  before: string | null
}

/** Newest first. An unknown customer has no mandates. */
export async function list(deps: ReadDeps, filter: MandateFilter): Promise<MandatePage> {
  const { merchantId, customer, user, ownerId, agentId, limit, before = lastId('mandate') } = filter
  const values = { merchantId, before, limit: limit + 1 }
  if (ownerId !== undefined && agentId !== undefined) {
    const given =
      customer === undefined ? await listOfAgent(deps, filter, { ...values, customerId: ownerId, agentId }) : []
    return pageOf(deps, limit, given)
  }
  if (user === undefined && customer === undefined) {
    return pageOf(deps, limit, await merged(deps, filter, values, store.listStanding, store.listPurchases))
  }
  const [customerId, ...others] = await Promise.all([
    ...(user === undefined ? [] : [customerOf(deps, { merchantId }, user)]),
    ...(customer === undefined ? [] : [findByOwnId(deps.pool, { merchantId, name: customer }).then((row) => row?.id)]),
  ])
  // Two names of two customers: what one of them has, the other has not.
  if (!customerId || others.some((other) => other !== customerId)) return pageOf(deps, limit, [])
  if (agentId !== undefined) {
    return pageOf(deps, limit, await listOfAgent(deps, filter, { ...values, customerId, agentId }))
  }
  const own = { ...values, customerId }
  return pageOf(
    deps,
    limit,
    await merged(deps, filter, own, store.listStandingOfCustomer, store.listPurchasesOfCustomer),
  )
}

type List<Values> = (on: ReadDeps['pool'], values: Values) => Promise<store.MandateRow[]>

/**
 * A page of both, by their ids. Each is read below the same id and as long as the whole page may be, so no one is left
 * out, and each is in one of the two for ever.
 */
async function merged<Values extends { limit: number }>(
  { pool }: ReadDeps,
  { standingOnly }: MandateFilter,
  values: Values,
  listStanding: List<Values>,
  listPurchases: List<Values>,
): Promise<store.MandateRow[]> {
  if (standingOnly) return listStanding(pool, values)
  const [standing, purchases] = await Promise.all([listStanding(pool, values), listPurchases(pool, values)])
  return [...standing, ...purchases].toSorted((one, other) => (one.id > other.id ? -1 : 1)).slice(0, values.limit)
}

const MAX_LIVE = 1000

/** The standing ones of a customer that have not ended, newest first. */
export async function listLive(
  deps: ReadDeps,
  { merchantId, customerId }: { merchantId: string; customerId: string },
): Promise<ShownMandate[]> {
  const values = { merchantId, customerId, before: lastId('mandate'), limit: MAX_LIVE, at: deps.clock.now() }
  return pageOf(deps, MAX_LIVE, await store.listLiveOfCustomer(deps.pool, values)).mandates
}

function listOfAgent(
  deps: ReadDeps,
  filter: MandateFilter,
  values: { merchantId: string; customerId: string; agentId: string; before: string; limit: number },
): Promise<store.MandateRow[]> {
  return merged(deps, filter, values, store.listStandingOfAgent, store.listPurchasesOfAgent)
}

/**
 * One that was given to another user is left out, with an alarm: the others are still the caller's to see, and
 * to stop.
 */
function pageOf(deps: ReadDeps, limit: number, rows: store.MandateRow[]): MandatePage {
  const looked = rows.slice(0, limit)
  const mandates = looked.filter((row) => isUntouched(() => checkOwner(deps, row))).map((row) => shown(deps, row))
  return { mandates, before: rows.length > limit ? (looked.at(-1)?.id ?? null) : null }
}

async function customerOf({ pool }: ReadDeps, { merchantId }: MandateScope, name: string): Promise<string | null> {
  return (await findCustomerId(pool, { merchantId, name }))?.id ?? null
}

/**
 * One mandate with its newest charges. `MANDATE_FORBIDDEN` for another's, `MANDATE_NOT_FOUND` for none. Throws
 * `RowTampered`.
 */
export async function find(deps: ReadDeps, scope: MandateScope, id: string): Promise<MandateWithCharges> {
  const found = await findOwn(deps, scope, id, MAX_CHARGES_SHOWN)
  checkOwner(deps, found)
  return shown(deps, found)
}

/**
 * The row of a mandate that the caller has, with this many of its newest charges. Throws `RowTampered` where it is the
 * user's who is named, and was not theirs: its merchant may still stop it.
 */
export async function findOwn(
  deps: ReadDeps,
  scope: MandateScope,
  id: string,
  mostCharges: number,
): Promise<FoundMandate> {
  const { merchantId } = scope
  const found =
    (await store.findMandate(deps.pool, { merchantId, id, mostCharges })) ??
    (await store.findOfPurchase(deps.pool, { merchantId, id }))
  if (found !== undefined && (await isIn(deps, scope, found))) {
    if (scope.user !== undefined || scope.agentId !== undefined) checkOwner(deps, found)
    return found
  }
  const exists = found !== undefined || (await store.findAnywhere(deps.pool, { id })) !== undefined
  throw exists ? mandateForbidden() : mandateNotFound()
}

async function isIn(deps: ReadDeps, scope: MandateScope, { customerId, agentId }: store.MandateRow): Promise<boolean> {
  if (scope.ownerId !== undefined && scope.ownerId !== customerId) return false
  if (scope.agentId !== undefined && scope.agentId !== agentId) return false
  return scope.user === undefined || (await customerOf(deps, scope, scope.user)) === customerId
}

export function shown<Row extends store.MandateRow>({ clock }: ReadDeps, row: Row): Row & MandateStanding {
  return { ...row, ...standingOf(row, clock.now()) }
}
