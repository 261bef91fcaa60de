import { setTimeout as delay } from 'node:timers/promises'
import type { ReportedOutcome } from '@mintmark/contract'
import type { ChargeWork, StoredProduct } from '../charges/service.ts'
import { type ErrorDetails, fieldErrors } from '../platform/errors.ts'
import { amountFromMinor, amountProblem } from '../platform/money.ts'
import type { SessionDeps } from './deps.ts'
import { loadSession } from './end.ts'
import {
  alreadyReported,
  confirmationFailed,
  mandateExpired,
  noTransactionAwaiting,
  productNotFound,
  transactionNotFound,
} from './errors.ts'
import { driveConfirmation } from './settle.ts'
import type { SessionKey, SessionRow } from './store.ts'

export interface Report {
  txnRefId: string
  outcome: ReportedOutcome
  type: string
  authorizationCode: string | null
  responseCode: string | null
  paidMinor: bigint | null
  productStatuses: { productId?: string; productRefId?: string; status: string; paid?: string }[]
}

export interface ReportResult {
  txnRefId: string
  outcome: ReportedOutcome
  confirmation: 'SUCCESS' | 'FAILURE'
}

const WAIT_MILLIS = 50
/** How long an equal report waits for the one that is being confirmed: longer than the network may take. */
const WAIT_AT_MOST_MILLIS = 10_000

/**
 * What became of a payment. The first report claims the charge, whatever arrives at the same time; the network is told
 * once; an equal report waits for the answer and gets the same one; the other outcome is refused. When the network does
 * not confirm, the claim stays and an equal report, or the reconciler, finishes it.
 */
export async function reportStatus(deps: SessionDeps, of: SessionKey, report: Report): Promise<ReportResult> {
  const session = await loadSession(deps, of)
  if (session.line_item_id !== report.txnRefId) throw transactionNotFound()
  rejectFractions(report, session.currency)
  const products = withStatuses(session.products, report.productStatuses)
  const deadline = performance.now() + WAIT_AT_MOST_MILLIS
  for (let current = session; ; current = await loadSession(deps, of)) {
    const settled = settledReport(current, report)
    if (settled !== null) return settled
    const work = await deps.charges.claimReport({ ...of, ...report, products })
    if (work !== undefined) return confirm(deps, report, work)
    if (performance.now() > deadline) throw confirmationFailed()
    await delay(WAIT_MILLIS)
  }
}

/** The answer to a report about a charge that is already decided; null while it is still to be claimed or confirmed. */
function settledReport(session: SessionRow, report: Report): ReportResult | null {
  if (session.reported_outcome !== null && session.reported_outcome !== report.outcome) throw alreadyReported()
  if (session.network_confirmation !== null) {
    return { txnRefId: report.txnRefId, outcome: report.outcome, confirmation: session.network_confirmation }
  }
  if (session.failure_code === 'MANDATE_EXPIRED') throw mandateExpired()
  if (session.status !== 'awaiting_result') throw noTransactionAwaiting()
  return null
}

async function confirm(deps: SessionDeps, report: Report, work: ChargeWork): Promise<ReportResult> {
  const confirmation = await driveConfirmation(deps, work)
  if (confirmation === 'unknown') throw confirmationFailed()
  return { txnRefId: report.txnRefId, outcome: report.outcome, confirmation }
}

/** The amounts are well-formed by now; whether they may have a fraction depends on the session's currency. */
function rejectFractions(report: Report, currency: string): void {
  const details: ErrorDetails = {}
  const check = (path: string, amount: string) => {
    const problem = amountProblem(amount, currency)
    if (problem !== null) details[path] = problem
  }
  if (report.paidMinor !== null) check('amount_paid', amountFromMinor(report.paidMinor))
  report.productStatuses.forEach(({ paid }, index) => {
    if (paid !== undefined) check(`product_statuses[${index}].amount_paid`, paid)
  })
  if (Object.keys(details).length > 0) throw fieldErrors(details)
}

/** The products with what was reported of each, found by our reference or by the merchant's own id. */
function withStatuses(products: StoredProduct[], statuses: Report['productStatuses']): StoredProduct[] {
  const known = new Map<string, StoredProduct>()
  for (const product of products) {
    if (product.externalId !== null) known.set(product.externalId, product)
  }
  for (const product of products) known.set(product.ref, product)
  const reported = new Map<string, StoredProduct>()
  for (const [index, { productId, productRefId, status, paid }] of statuses.entries()) {
    const product = known.get(productRefId ?? productId ?? '')
    if (product === undefined) {
      const field = productRefId === undefined ? 'product_id' : 'product_ref_id'
      throw productNotFound({ details: { [`product_statuses[${index}].${field}`]: 'is not a product of the session' } })
    }
    reported.set(product.ref, { ...product, status, ...(paid === undefined ? {} : { paid }) })
  }
  return products.map((product) => reported.get(product.ref) ?? product)
}
