import type { ChargeStatus } from '@mintmark/contract'
import type { ActivityOutcome } from '@mintmark/contract/owner-activity'
import { chargeNotFound } from '../charges/errors.ts'
import type { ActivityRow } from './activity-store.ts'
import * as store from './activity-store.ts'
import type { OwnerCaller, OwnerDeps } from './deps.ts'

// What an owner's agents did: a page of it, one charge with its life.

export interface ActivityFilter {
  agentId?: string | undefined
  shop?: string | undefined
  /** The first moment, and the first one that is none of them. */
  from?: Date | undefined
  to?: Date | undefined
  outcome?: ActivityOutcome | undefined
  /** Alone: the charges of one permission. */
  mandateId?: string | undefined
  before?: { at: Date; id: string } | undefined
  limit: number
}

export interface ActivityPage {
  charges: ActivityRow[]
  /** Behind which more may follow, also where this page is not full. */
  before: { at: Date; id: string } | null
}

/** How a charge stands, by what is stored of it; `hadNumber`: null where it makes no difference. */
const STORED: Record<ActivityOutcome, { statuses: readonly ChargeStatus[]; hadNumber: boolean | null }> = {
  paid: { statuses: ['completed'], hadNumber: null },
  held: { statuses: ['minting', 'awaiting_result'], hadNumber: null },
  refused: { statuses: ['failed'], hadNumber: false },
  given_back: { statuses: ['failed'], hadNumber: true },
}

export function outcomeOf({ status, hadNumber }: Pick<ActivityRow, 'status' | 'hadNumber'>): ActivityOutcome {
  if (status === 'completed') return 'paid'
  if (status === 'failed') return hadNumber ? 'given_back' : 'refused'
  return 'held'
}

const BEGINNING = new Date(0)
/**
 * How a charge stands is in no index, since each step would write it there. So what stands in one way is read among so
 * many charges of each agent; the next page goes on behind them.
 */
const MAX_READ = 2000

export async function listActivity(
  deps: OwnerDeps,
  { merchantId, customerId }: OwnerCaller,
  filter: ActivityFilter,
): Promise<ActivityPage> {
  const { limit, agentId = null, shop, outcome, mandateId, from = BEGINNING, before } = filter
  const end = filter.to ?? new Date(deps.clock.now().getTime() + 60_000)
  const { at: beforeAt, id: beforeId } = before ?? { at: end, id: '' }
  const values = { merchantId, customerId, agentId, from, beforeAt, beforeId }
  const reach = outcome === undefined ? undefined : await store.findReach(deps.pool, { ...values, most: MAX_READ })
  const within = { ...values, from: reach?.createdAt ?? from, limit: limit + 1 }
  const rows = await read(deps, { ...within, shop, outcome, mandateId })
  const charges = rows.slice(0, limit)
  const last = charges.at(-1)
  if (rows.length > limit && last !== undefined) return { charges, before: { at: last.createdAt, id: last.id } }
  return { charges, before: reach === undefined ? null : { at: reach.createdAt, id: '' } }
}

type Values = Parameters<typeof store.listCharges>[1]
type Asked = Values & Pick<ActivityFilter, 'shop' | 'outcome' | 'mandateId'>

function read({ pool }: OwnerDeps, { shop, outcome, mandateId, ...values }: Asked): Promise<ActivityRow[]> {
  if (mandateId !== undefined) return store.listChargesOfMandate(pool, { ...values, mandateId })
  const { statuses, hadNumber } = outcome === undefined ? { statuses: [], hadNumber: null } : STORED[outcome]
  const that = { statuses: [...statuses], hadNumber }
  if (outcome === undefined) {
    return shop === undefined ? store.listCharges(pool, values) : store.listChargesAt(pool, { ...values, shop })
  }
  return shop === undefined
    ? store.listChargesThat(pool, { ...values, ...that })
    : store.listChargesThatAt(pool, { ...values, ...that, shop })
}

const MAX_SHOPS = 500

/** The shops of an owner's permissions, by name. */
export async function listShops({ pool }: OwnerDeps, { merchantId, customerId }: OwnerCaller): Promise<string[]> {
  const found = await store.listShops(pool, { merchantId, customerId, limit: MAX_SHOPS })
  return found.map(({ payeeName }) => payeeName)
}

export interface ChargeLife {
  charge: ActivityRow
  /** What was told of it, with the times. */
  told: { type: string; occurredAt: Date }[]
}

export async function readCharge(
  { pool, clock }: OwnerDeps,
  { merchantId, customerId }: OwnerCaller,
  chargeId: string,
): Promise<{ life: ChargeLife; now: Date }> {
  const [charge, told] = await Promise.all([
    store.findCharge(pool, { merchantId, customerId, chargeId }),
    store.listTold(pool, { merchantId, chargeId }),
  ])
  if (charge === undefined) throw chargeNotFound()
  return { life: { charge, told }, now: clock.now() }
}
