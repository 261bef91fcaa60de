import type { ReportedOutcome, StoredProduct } from '@mintmark/contract'
import type { ReportRefusal, ReportResult } from '../charges/service.ts'
import { pipelinedCommand, rollback } from '../db/command.ts'
import { leaseBound } from '../jobs/due.ts'
import { leaseEnd } from '../jobs/work.ts'
import { type DeclaredError, type ErrorDetails, fieldErrors } from '../platform/errors.ts'
import { amountFromMinor, fractionProblem } from '../platform/money.ts'
import type { OwnSessionRef, SessionDeps } from './deps.ts'
import { refreshOwn } from './end.ts'
import {
  alreadyReported,
  confirmationFailed,
  mandateExpired,
  noTransactionAwaiting,
  productNotFound,
  reportedByService,
  transactionNotFound,
} from './errors.ts'
import { claimFirstReport } from './report-store.ts'
import type { PaymentSession } from './store.ts'

/** What a merchant reports of a session's payment. */
export interface SessionReport {
  lineItemId: string
  outcome: ReportedOutcome
  type: string
  authorizationCode: string | null
  responseCode: string | null
  paidMinor: bigint | null
  productStatuses: ProductStatus[]
}

export interface ProductStatus {
  /** The merchant's own id, our reference, or both. */
  productId: string | null
  productRefId: string | null
  status: string
  paidMinor: bigint | null
}

const REFUSALS: Record<ReportRefusal, DeclaredError> = {
  other_outcome: alreadyReported,
  lapsed: mandateExpired,
  not_awaiting: noTransactionAwaiting,
}

/** What became of the payment of a session. An equal report returns the first result; the other outcome is refused. */
export async function report(
  deps: SessionDeps,
  ref: OwnSessionRef,
  given: SessionReport,
): Promise<ReportResult & { state: 'confirmed' }> {
  return resultOf((await reportFirst(deps, ref, given)) ?? (await reportLooking(deps, ref, given)))
}

function resultOf(result: ReportResult): ReportResult & { state: 'confirmed' } {
  switch (result.state) {
    case 'confirmed':
      return result
    case 'unconfirmed':
      throw confirmationFailed()
    case 'refused':
      throw REFUSALS[result.reason]()
  }
}

/**
 * Most reports are the first, of a merchant's own session, and say nothing of single products: these are judged by the row that takes them.
 * Undefined: this is none. Throws `RowTampered`.
 */
async function reportFirst(
  deps: SessionDeps,
  { merchantId, sessionId, agentId }: OwnSessionRef,
  { productStatuses, ...given }: SessionReport,
): Promise<ReportResult | undefined> {
  if (agentId !== undefined || productStatuses.length > 0) return undefined
  const declaration = { name: 'sessions.claim_report', silent: 'middle' } as const
  const taken = await pipelinedCommand(deps, declaration, async ({ tx, at }) => {
    const lease = { leaseUntil: leaseEnd(deps, at), leaseBound: leaseBound(at) }
    const work = await claimFirstReport(tx, { merchantId, sessionId, ...given, at, ...lease })
    if (work === undefined) return rollback
    // Nothing of an edited row is written: it may be another session's charge that this one was made to lead to.
    deps.charges.checkTaken(work)
    return work
  })
  return taken === null ? undefined : deps.charges.confirmTaken(taken)
}

async function reportLooking(deps: SessionDeps, ref: OwnSessionRef, given: SessionReport): Promise<ReportResult> {
  const session = await refreshOwn(deps, ref)
  // A setup has no transaction, and never will.
  if (session.kind !== 'payment') throw noTransactionAwaiting()
  if (session.quoteId !== null) throw reportedByService()
  const { merchantId, chargeId } = session
  if (session.lineItemId !== given.lineItemId) throw transactionNotFound()
  deps.charges.checkOpenedBy(session)
  rejectAmounts(given, session)
  const products = withStatuses(session.products, given.productStatuses)
  return deps.charges.report({ merchantId, chargeId }, session, { ...given, products })
}

/** Whether an amount may have a fraction depends on the session's currency, and no more is paid than was minted. */
function rejectAmounts(
  given: SessionReport,
  { currency, amountMinor }: Pick<PaymentSession, 'currency' | 'amountMinor'>,
): void {
  const problems: ErrorDetails = {}
  const check = (path: string, minor: bigint | null) => {
    const problem = minor === null ? null : fractionProblem(minor, currency)
    if (problem !== null) problems[path] = problem
  }
  check('amount_paid', given.paidMinor)
  if (given.paidMinor !== null && given.paidMinor > amountMinor) {
    problems.amount_paid ??= `must not be above the amount of the transaction, ${amountFromMinor(amountMinor)}`
  }
  given.productStatuses.forEach(({ paidMinor }, index) => {
    check(`product_statuses[${index}].amount_paid`, paidMinor)
  })
  if (Object.keys(problems).length > 0) throw fieldErrors(problems)
}

/** The products with what was reported of each. An entry must mean one product, by whichever of its two names it is called. */
function withStatuses(products: StoredProduct[], statuses: ProductStatus[]): StoredProduct[] {
  const reported = new Map<string, StoredProduct>()
  const problems: ErrorDetails = {}
  for (const [index, { productId, productRefId, status, paidMinor }] of statuses.entries()) {
    const product = products.find(
      ({ ref, externalId }) =>
        (productRefId === null || ref === productRefId) && (productId === null || externalId === productId),
    )
    if (product === undefined) {
      const [field, problem] = strayField({ productId, productRefId })
      problems[`product_statuses[${index}].${field}`] = problem
      continue
    }
    const paid = paidMinor === null ? {} : { paid: amountFromMinor(paidMinor) }
    reported.set(product.ref, { ...product, status, ...paid })
  }
  if (Object.keys(problems).length > 0) throw productNotFound({ details: problems })
  return products.map((product) => reported.get(product.ref) ?? product)
}

function strayField({ productId, productRefId }: Pick<ProductStatus, 'productId' | 'productRefId'>) {
  const field = productRefId === null ? 'product_id' : 'product_ref_id'
  const isMixed = productRefId !== null && productId !== null
  return [field, isMixed ? 'is not the product that product_id names' : 'is not a product of the session'] as const
}
