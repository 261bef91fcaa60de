import type { ChargeReportRequest, Mandate } from '@mintmark/node'
import type { ExitCode } from '../failure.ts'
import { needed } from '../usage.ts'
import { chosen } from './chosen.ts'
import { answered } from './client.ts'
import { linkedAgent } from './linked.ts'
import { type OutcomeWords, reportOf } from './outcome.ts'
import { type PurchaseWords, purchaseOf } from './purchase.ts'
import type { Screen } from './screen.ts'
import { ask } from './session.ts'

export interface MandateWords extends PurchaseWords {
  frequency?: 'one_time' | 'weekly' | 'monthly' | 'yearly'
  maxCharges?: number
  validUntil?: string
  anyMerchant?: true
  adjustable?: true
  wait?: true
}

const MANDATE = [
  ...(['id', 'state', 'status', 'recurringFrequency', 'merchantScope', 'merchantName', 'approvedAmount'] as const),
  ...(['remaining', 'currency', 'validUntil', 'renewsAt', 'lastCharge', 'createdAt', 'updatedAt'] as const),
] as const

/** Asks the owner for a standing mandate. */
export function createMandate(words: MandateWords, screen: Screen): Promise<ExitCode> {
  const { frequency, maxCharges, validUntil, anyMerchant, adjustable } = words
  const setup = {
    recurring_frequency: needed(frequency, '--frequency'),
    ...(maxCharges === undefined ? {} : { max_charges: maxCharges }),
    ...(validUntil === undefined ? {} : { valid_until: validUntil }),
    ...(anyMerchant === true ? { merchant_scope: 'any' as const } : {}),
    ...(adjustable === true ? { adjustable } : {}),
  }
  return ask({ ...purchaseOf(words), mandate_setup: setup }, words.wait === true, screen)
}

export async function listMandates(query: { limit?: number; cursor?: string }, screen: Screen): Promise<ExitCode> {
  const { agent } = await linkedAgent(screen)
  // Without those that single purchases make.
  const { mandates, next_cursor = null } = await answered(agent.mandates.list({ ...query, standing_only: true }), [
    'mandates',
  ])
  const more = next_cursor === null ? [] : [`There are more: mintmark mandate list --cursor ${next_cursor}`]
  const lines = mandates.length === 0 ? ['There are none.'] : mandates.map(mandateLine)
  screen.show({ mandates: mandates.map((mandate) => chosen(mandate, MANDATE)), next_cursor }, [...lines, ...more])
  return 0
}

export async function showMandate(id: string, screen: Screen): Promise<ExitCode> {
  const { agent } = await linkedAgent(screen)
  const mandate = await answered(agent.mandates.get(id), ['id', 'status', 'charges'])
  const charges = mandate.charges.map((charge) =>
    chosen(charge, ['transactionId', 'amount', 'currency', 'status', 'reference', 'createdAt']),
  )
  screen.show({ ...chosen(mandate, [...MANDATE, 'spent', 'chargeCount']), charges }, [
    mandateLine(mandate),
    ...charges.map(
      ({ createdAt, transactionId, amount, currency, status, reference }) =>
        `  ${createdAt}  ${transactionId}  ${amount} ${currency}  ${status}  ${reference ?? ''}`,
    ),
  ])
  return 0
}

export async function changeMandate(
  id: string,
  verb: 'pause' | 'resume' | 'cancel',
  screen: Screen,
): Promise<ExitCode> {
  const { agent } = await linkedAgent(screen)
  const mandate = await answered(agent.mandates[verb](id), ['id', 'status'])
  screen.show(chosen(mandate, MANDATE), [mandateLine(mandate)])
  return 0
}

/** What became of a charge. */
export async function reportCharge(
  id: string,
  transactionId: string,
  words: OutcomeWords,
  screen: Screen,
): Promise<ExitCode> {
  const { agent } = await linkedAgent(screen)
  const body: ChargeReportRequest = { ...reportOf(words), txn_type: 'PURCHASE' }
  const reported = await answered(agent.charges.report(id, transactionId, body), ['transactionId', 'status'])
  screen.show(chosen(reported, ['mandateId', 'transactionId', 'orderId', 'status', 'mandateStatus']), [
    `Reported: ${body.txn_status}. The charge is ${reported.status}, the mandate ${reported.mandateStatus}.`,
  ])
  return 0
}

function mandateLine({
  id,
  state,
  remaining,
  approvedAmount,
  currency,
  recurringFrequency,
  merchantName,
}: Mandate): string {
  return `${id}  ${state.padEnd(9)}  ${remaining} of ${approvedAmount} ${currency} left, ${recurringFrequency}, ${merchantName}`
}
