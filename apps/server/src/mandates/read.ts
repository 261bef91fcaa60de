import { MOST_CHARGES_SHOWN } from '@mintmark/contract'
import { findCustomerId } from '../customers/service.ts'
import { lastId } from '../platform/ids.ts'
import { mandateForbidden, mandateNotFound } from './errors.ts'
import { type Standing, standingOf } from './rules.ts'
import type { MandateDeps, MandateRef } from './service.ts'
import * as store from './store.ts'

type ReadDeps = Pick<MandateDeps, 'pool' | 'clock'>

/** A mandate as it stands now. */
export type ShownMandate = Omit<store.MandateRow, keyof Standing> & Standing
export type MandateWithCharges = ShownMandate & Pick<FoundMandate, 'listedCharges'>
type FoundMandate = NonNullable<Awaited<ReturnType<typeof store.findMandate>>>

export interface MandateFilter {
  merchantId: string
  /** The merchant's own `user_id`, or our id. */
  customer?: string | undefined
  standingOnly: boolean
  /** The last mandate of the page before. */
  before?: string | undefined
  limit: number
}

export interface MandatePage {
  mandates: ShownMandate[]
  /** Whether more follow. */
  hasMore: boolean
}

/** Newest first. An unknown customer has no mandates. */
export async function list(deps: ReadDeps, filter: MandateFilter): Promise<MandatePage> {
  const { merchantId, customer, standingOnly, limit, before = lastId('mandate') } = filter
  const values = { merchantId, before, limit: limit + 1 }
  const rows = await (customer === undefined
    ? (standingOnly ? store.listStanding : store.listMandates)(deps.pool, values)
    : listOfCustomer(deps, customer, standingOnly, values))
  return { mandates: rows.slice(0, limit).map((row) => shown(deps, row)), hasMore: rows.length > limit }
}

async function listOfCustomer(
  { pool }: ReadDeps,
  name: string,
  standingOnly: boolean,
  values: { merchantId: string; before: string; limit: number },
): Promise<store.MandateRow[]> {
  const customer = await findCustomerId(pool, { merchantId: values.merchantId, name })
  if (customer === undefined || customer.id === null) return []
  const listAll = standingOnly ? store.listStandingOfCustomer : store.listOfCustomer
  return listAll(pool, { ...values, customerId: customer.id })
}

/** One mandate with its newest charges. `MANDATE_FORBIDDEN` for another's, `MANDATE_NOT_FOUND` for none. */
export async function find(deps: ReadDeps, mandate: MandateRef): Promise<MandateWithCharges> {
  return shown(deps, await findOwn(deps, mandate, MOST_CHARGES_SHOWN))
}

/** The row of a mandate that the caller has, with this many of its newest charges. */
export async function findOwn(
  { pool }: ReadDeps,
  { merchantId, id }: MandateRef,
  mostCharges: number,
): Promise<FoundMandate> {
  const found = await store.findMandate(pool, { merchantId, id, mostCharges })
  if (found !== undefined) return found
  const exists = (await store.findAnywhere(pool, { id })) !== undefined
  throw exists ? mandateForbidden() : mandateNotFound()
}

export function shown<Row extends store.MandateRow>({ clock }: ReadDeps, row: Row): Row & Standing {
  return { ...row, ...standingOf(row, clock.now()) }
}
