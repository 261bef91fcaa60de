import { type Tx, transaction } from '../../db/transaction.ts'
import { randomText } from '../../platform/ids.ts'
import { countedMinor, type FactTotals, totalsOf } from '../counted.ts'
import type { ChargeNews } from '../events-port.ts'
import type { SimulatorDeps } from './deps.ts'
import type { SettlementKind } from './facts-store.ts'
import * as store from './facts-store.ts'
import { lockInstruction } from './mint-store.ts'

/** What a shop's bank does with an authorization that was approved. */
export interface SettlementRequest {
  authorizationId: string
  kind: SettlementKind
  /** Null: all that there is to capture, to reverse, to refund or to dispute. */
  amountMinor: bigint | null
  /** Another capture will follow, so what is not taken stays held. */
  isPartial: boolean
}

/**
 * `not_found`: no such authorization was approved. `not_possible`: there is not as much to reverse, to refund or to
 * dispute.
 */
export type SettlementResult =
  | { state: 'settled'; settlementId: string; amountMinor: bigint; news: ChargeNews }
  | { state: 'not_found' }
  | { state: 'not_possible'; leftMinor: bigint }

/**
 * The other end of the network: what becomes of a payment. A capture may be above the authorization, and may come after
 * it has expired: a network allows both, and the window counts what was captured.
 */
export async function followUp(deps: SimulatorDeps, request: SettlementRequest): Promise<SettlementResult> {
  const found = await store.findAuthorization(deps.pool, request)
  if (found === undefined) return { state: 'not_found' }
  return transaction(deps.pool, async (tx) => {
    await lockInstruction(tx, found)
    const mint = await store.lockSettled(tx, found)
    if (mint === undefined) throw new Error('An authorization has no mint.')
    const totals = totalsOf(await store.listFacts(tx, found))
    const leftMinor = leftOf(request.kind, totals)
    const amountMinor = request.amountMinor ?? leftMinor
    const isAbove = request.kind !== 'captured' && amountMinor > leftMinor
    if (amountMinor <= 0n || isAbove) return { state: 'not_possible', leftMinor }
    const at = deps.clock.now()
    const row = { ...found, kind: request.kind, amountMinor, at, settlementId: `stl_${randomText(16)}` }
    await store.insertSettlement(tx, row)
    const restMinor = totals.heldMinor - amountMinor
    // What the shop does not take of what was held is given up with its last capture.
    if (request.kind === 'captured' && !request.isPartial && restMinor > 0n) {
      await store.insertSettlement(tx, {
        ...row,
        ...{ kind: 'reversed', amountMinor: restMinor, settlementId: `${row.settlementId}_rest` },
      })
    }
    await count(tx, mint)
    const { chargeId, mandateId } = found
    return { state: 'settled', settlementId: row.settlementId, amountMinor, news: { chargeId, mandateId } }
  })
}

function leftOf(kind: SettlementKind, { heldMinor, capturedMinor, refundedMinor }: FactTotals): bigint {
  switch (kind) {
    case 'captured':
    case 'reversed':
    case 'expired':
      return heldMinor
    case 'refunded':
      return capturedMinor - refundedMinor
    case 'disputed':
      return capturedMinor
  }
}

type Settled = NonNullable<Awaited<ReturnType<typeof store.lockSettled>>>

/** Window and mint count what they are to count now. */
async function count(tx: Tx, { chargeId, amountMinor, countedMinor: known }: Settled): Promise<void> {
  const counted = countedMinor(amountMinor, totalsOf(await store.listFacts(tx, { chargeId })))
  const changeMinor = counted - (known ?? amountMinor)
  if (changeMinor !== 0n) await store.updateCounted(tx, { chargeId, countedMinor: counted, changeMinor })
}
