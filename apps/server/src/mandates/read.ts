import { MAX_CHARGES_SHOWN } from '@mintmark/contract'
import { findCustomerId, listNamed } from '../customers/service.ts'
import type { Queryable } from '../db/statement.ts'
import { fieldErrors } from '../platform/errors.ts'
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

/** Whose mandates are meant. */
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
  const { merchantId, customer, user, ownerId, agentId, standingOnly, limit, before = lastId('mandate') } = filter
  const values = { merchantId, before, limit: limit + 1 }
  if (ownerId !== undefined && agentId !== undefined) {
    const given =
      customer === undefined ? await listOfAgent(deps, filter, { ...values, customerId: ownerId, agentId }) : []
    return pageOf(deps, limit, given)
  }
  if (user === undefined && customer === undefined) {
    const listAll = standingOnly ? store.listStanding : store.listMandates
    return pageOf(deps, limit, await listAll(deps.pool, values))
  }
  const [customerId, ...others] = await Promise.all([
    ...(user === undefined ? [] : [customerOf(deps, { merchantId }, user)]),
    ...(customer === undefined ? [] : [theOneNamed(deps, { merchantId }, customer)]),
  ])
  // Two names of two customers: what one of them has, the other has not.
  if (!customerId || others.some((other) => other !== customerId)) return pageOf(deps, limit, [])
  if (agentId !== undefined) {
    return pageOf(deps, limit, await listOfAgent(deps, filter, { ...values, customerId, agentId }))
  }
  const listOwn = standingOnly ? store.listStandingOfCustomer : store.listOfCustomer
  return pageOf(deps, limit, await listOwn(deps.pool, { ...values, customerId }))
}

function listOfAgent(
  { pool }: ReadDeps,
  { standingOnly }: MandateFilter,
  values: Parameters<typeof store.listOfAgent>[1],
): Promise<store.MandateRow[]> {
  return (standingOnly ? store.listStandingOfAgent : store.listOfAgent)(pool, values)
}

/** One that was given to another user by hand is left out, with an alarm: the others are still the caller's to see, and to stop. */
function pageOf(deps: ReadDeps, limit: number, rows: store.MandateRow[]): MandatePage {
  const looked = rows.slice(0, limit)
  const mandates = looked.filter((row) => isUntouched(() => checkOwner(deps, row))).map((row) => shown(deps, row))
  return { mandates, before: rows.length > limit ? (looked.at(-1)?.id ?? null) : null }
}

/**
 * A customer may have a `user_id` that is our id of another: by it the one would be shown what is the other's. Which is meant is not guessed,
 * as where a customer is forgotten (`customers/service.ts`).
 */
async function theOneNamed({ pool }: ReadDeps, { merchantId }: MandateScope, name: string): Promise<string | null> {
  const [found, other] = await listNamed(pool, { merchantId, name })
  if (other === undefined) return found?.id ?? null
  throw fieldErrors({
    customer_id:
      'is our id of one customer and the user_id of another: name the first by its user_id, the other by its id',
  })
}

async function customerOf({ pool }: ReadDeps, { merchantId }: MandateScope, name: string): Promise<string | null> {
  return (await findCustomerId(pool, { merchantId, name }))?.id ?? null
}

/** One mandate with its newest charges. `MANDATE_FORBIDDEN` for another's, `MANDATE_NOT_FOUND` for none. Throws `RowTampered`. */
export async function find(deps: ReadDeps, scope: MandateScope, id: string): Promise<MandateWithCharges> {
  const found = await findOwn(deps, scope, id, MAX_CHARGES_SHOWN)
  checkOwner(deps, found)
  return shown(deps, found)
}

/**
 * The row of a mandate that the caller has, with this many of its newest charges. Throws `RowTampered` where it is the user's who is
 * named, and was not theirs: its merchant may still stop it.
 */
export async function findOwn(
  deps: ReadDeps,
  scope: MandateScope,
  id: string,
  maxListed: number,
): Promise<FoundMandate> {
  const { merchantId } = scope
  const found = await store.findMandate(deps.pool, { merchantId, id, maxListed })
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

/** Several by their ids. One that was given to another user, or agent, by hand is left out, with an alarm. */
export async function lookAtAll(
  deps: ReadDeps,
  on: Queryable,
  { merchantId, ids }: { merchantId: string; ids: readonly string[] },
): Promise<Map<string, ShownMandate>> {
  const rows = ids.length === 0 ? [] : await store.listByIds(on, { merchantId, ids })
  const whole = rows.filter((row) => isUntouched(() => checkOwner(deps, row)))
  return new Map(whole.map((row) => [row.id, shown(deps, row)]))
}

export function shown<Row extends store.MandateRow>({ clock }: ReadDeps, row: Row): Row & MandateStanding {
  return { ...row, ...standingOf(row, clock.now()) }
}
