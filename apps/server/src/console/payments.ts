import type { ChargeStatus } from '@mintmark/contract'
import { ID_PREFIXES } from '../platform/ids.ts'
import type { ConsoleCaller, ConsoleDeps } from './deps.ts'
import { paymentNotFound } from './errors.ts'
import { listSent, type SentRow } from './events-store.ts'
import * as store from './payments-store.ts'

// The payments of an account: a page of them, and one with what happened to it.

const PAGE = 50
/** How far a page looks for payments of one status; the next one goes on behind them. */
const MAX_READ = 2000
/** Behind every id of a charge. */
const NEWEST = `${ID_PREFIXES.charge}~`
/** Where the events of one payment went: some ten events, to every endpoint, and sent again. */
const MAX_SENT = 500

export interface PaymentsPage {
  payments: store.PaymentRow[]
  /** The last charge that was looked at; null: there is no more. */
  before: string | null
}

export async function listPayments(
  { pool }: ConsoleDeps,
  { merchantId }: ConsoleCaller,
  { status, before = NEWEST }: { status?: ChargeStatus | undefined; before?: string | undefined },
): Promise<PaymentsPage> {
  const values = { merchantId, before, limit: PAGE + 1 }
  if (status === undefined) return pageOf(await store.listPayments(pool, values), null)
  const [rows, reach] = await Promise.all([
    store.listPaymentsThat(pool, { ...values, status, most: MAX_READ }),
    store.findReach(pool, { merchantId, before, most: MAX_READ - 1 }),
  ])
  return pageOf(rows, reach?.id ?? null)
}

function pageOf(rows: store.PaymentRow[], reach: string | null): PaymentsPage {
  const payments = rows.slice(0, PAGE)
  return { payments, before: rows.length > PAGE ? (payments.at(-1)?.id ?? null) : reach }
}

export interface ReadPayment {
  payment: store.PaymentView
  approvedAt: Date | null
  sentence: { language: string; text: string } | null
  told: Awaited<ReturnType<typeof store.listTold>>
  facts: Awaited<ReturnType<typeof store.listFacts>>
  sent: SentRow[]
  now: Date
}

/** By the id of the charge, or of the session that it was made in. */
export async function readPayment(deps: ConsoleDeps, { merchantId }: ConsoleCaller, id: string): Promise<ReadPayment> {
  const { pool, clock } = deps
  const find = id.startsWith(ID_PREFIXES.session) ? store.findBySession : store.findByCharge
  const payment = await find(pool, { merchantId, id })
  if (payment === undefined) throw paymentNotFound()
  const [told, facts, approval, sentence] = await Promise.all([
    store.listTold(pool, { merchantId, resources: [payment.id, payment.openedBy].filter((of) => of !== null) }),
    store.listFacts(pool, { merchantId, chargeId: payment.id }),
    payment.openedBy === null ? undefined : store.findApproval(pool, { merchantId, sessionId: payment.openedBy }),
    payment.openedBy === null ? undefined : sentenceOf(deps, merchantId, payment.openedBy),
  ])
  const eventIds = told.map((event) => event.id)
  const sent = eventIds.length === 0 ? [] : await listSent(pool, { merchantId, eventIds, limit: MAX_SENT })
  const approvedAt = approval?.approvedAt ?? null
  return { payment, approvedAt, sentence: sentence ?? null, told, facts, sent, now: clock.now() }
}

function sentenceOf({ approvals }: ConsoleDeps, merchantId: string, id: string) {
  return approvals.sentenceOf({ merchantId, subject: { type: 'session', id } })
}
