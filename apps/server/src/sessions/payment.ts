import type { Adjustment, ApprovalTerms, PaymentFailure, SurfaceOutcome } from '@mintmark/contract'
import type { VerifiedApproval } from '../approvals/service.ts'
import { isLapsed } from '../charges/service.ts'
import type { Quote } from '../checkout/quotes/service.ts'
import { addSeconds } from '../platform/clock.ts'
import { newOrderedId } from '../platform/ids.ts'
import { amountFromMinor, minorFromAmount } from '../platform/money.ts'
import { approvePayment, approveQuotedPayment } from './approve-store.ts'
import { approving } from './approving.ts'
import { isQuoted } from './create-quoted.ts'
import type { SessionDeps } from './deps.ts'
import type { Approved, Ending, SessionKind, SignedCard, TermsCard } from './kind.ts'
import type { ToSign } from './read.ts'
import { signedPayee, standingOfPayment } from './rules.ts'
import { agentTerms, paymentSentence, type Telling } from './sentence.ts'
import type { PaymentSession } from './store.ts'

/** One purchase: its subject is a charge, opened with the session and minted when the cardholder approves. */
export const payment: SessionKind<PaymentSession> = {
  statusOf: (session) => standingOfPayment(session).status,
  failureOf: (session) => standingOfPayment(session).failure,
  outcomeOf,
  adjustmentProblems: (_, adjust) =>
    Object.keys(adjust).length === 0 ? {} : { adjust: 'is for standing permissions only' },
  termsOf,

  approve,

  end({ charges, purchases }, change, { merchantId, chargeId, customerId, quoteId }, ending) {
    const charge = { merchantId, chargeId, customerId, ...ENDINGS[ending] }
    return quoteId === null ? charges.voidCharge(change, charge) : purchases.voidPurchase(change, charge)
  },

  async catchUp({ charges, clock }, session) {
    const { merchantId, chargeId, mandateId, quoteId } = session
    // No time makes an end of what the service itself buys: its shop may have been paid.
    if (quoteId !== null) return false
    if (mandateId === null || !isLapsed(session, clock.now())) return false
    await charges.lapse({ merchantId, chargeId, mandateId })
    return true
  },
}

async function approve(
  deps: SessionDeps,
  session: ToSign<PaymentSession>,
  card: SignedCard,
  approval: VerifiedApproval,
): Promise<Approved | undefined> {
  const { quoteId } = session
  if (quoteId !== null) return approveQuoted(deps, { ...session, quoteId }, card, approval)
  const made = await approving(deps, { session, card, approval, silent: 'middle' }, async ({ on, at }) => {
    const { mandate, charge, values } = approvalOf(deps, session, card, approval, at)
    const begun = await approvePayment(on, values)
    return begun && { work: deps.charges.begunWork(charge, mandate.instruction, begun), closedAt: at }
  })
  if (made === undefined) return undefined
  const { work, closedAt } = made
  return {
    async finish() {
      const driven = await deps.charges.drive(work)
      return driven && { ...session, ...driven, closedAt, mandateId: work.mandateId }
    },
  }
}

/** The service itself buys what was quoted, in the background: the cardholder's part is done with the approval. */
async function approveQuoted(
  deps: SessionDeps,
  session: ToSign<PaymentSession> & { quoteId: string },
  card: SignedCard,
  approval: VerifiedApproval,
): Promise<Approved | undefined> {
  const { merchantId, chargeId, quoteId } = session
  const quote = await deps.quotes.untouched({ merchantId, quoteId })
  checkQuoted(deps, session, approval, quote)
  const { shopId, shopRef } = quote
  const purchase = deps.purchases.purchaseOf({ merchantId, chargeId, quoteId, shopId, shopRef })
  const made = await approving(deps, { session, card, approval, silent: 'middle' }, ({ on, at }) => {
    deps.purchases.wakeBuying(on)
    return approveQuotedPayment(on, { ...approvalOf(deps, session, card, approval, at).values, ...purchase })
  })
  return made && { finish: async () => null }
}

/**
 * What was signed is what the shop will be asked for. The terms are those of the session, which was built from the quote: they differ
 * where an editor of the database has changed either, or given the session another quote.
 */
function checkQuoted({ seals }: SessionDeps, { id }: PaymentSession, { terms }: VerifiedApproval, quote: Quote): void {
  if (quote.sessionId === id && terms.type === 'payment' && isQuoted(terms, quote)) return
  throw seals.alarm({ table: 'quotes', merchantId: quote.merchantId, id: quote.id })
}

/** Mandate, charge and the values of the statement: from what was signed, not from the rows. An edited amount or payee is neither a mandate's nor minted. */
function approvalOf(
  deps: SessionDeps,
  session: ToSign<PaymentSession>,
  card: SignedCard,
  approval: VerifiedApproval,
  at: Date,
) {
  const { merchantId, id: sessionId, chargeId, customerId, agentId } = session
  const { terms } = approval
  // Compared with the terms of this session before: no other type gets here.
  if (terms.type !== 'payment') throw new Error(`Terms of the type ${terms.type} approve no payment.`)
  const { currency, payee } = terms
  const amountMinor = minorFromAmount(terms.amount)
  const mandate = deps.mandates.checkoutMandate({
    merchantId,
    id: newOrderedId('mandate', at),
    customerId,
    chargeId,
    cardId: card.id,
    tokenRef: card.networkTokenRef,
    ...signedPayee(payee, session),
    approvedMinor: amountMinor,
    currency,
    validUntil: addSeconds(at, terms.valid_minutes * 60),
    approvalHash: approval.termsHash,
  })
  const { mandateId } = mandate.row
  const signed = { merchantId, chargeId, mandateId, openedBy: sessionId, amountMinor, currency, payeeUrl: payee.url }
  const charge = { ...signed, ...deps.charges.mintingOf(signed, at) }
  return { mandate, charge, values: { ...mandate.row, ...charge, sessionId, agentId, at } }
}

const ENDINGS = {
  expired: { failure: 'SESSION_EXPIRED', from: ['initiated'] },
  cancelled: { failure: 'CANCELLED', from: ['initiated'] },
  // A revoke while the network is asked voids what it may mint.
  revoked: { failure: 'SESSION_REVOKED', from: ['initiated', 'minting'] },
} as const satisfies Record<Ending, { failure: PaymentFailure; from: readonly ('initiated' | 'minting')[] }>

function outcomeOf(session: PaymentSession): SurfaceOutcome | null {
  const { chargeStatus, quoteId } = session
  const { status, failure } = standingOfPayment(session)
  if (status === 'completed') return 'approved'
  switch (chargeStatus) {
    case 'initiated':
    case 'minting':
      return null
    case 'awaiting_result':
      // What the service buys is paid or not before it is done, and the page says which.
      return quoteId === null ? 'approved' : null
    case 'completed':
      return 'approved'
    case 'failed':
      return FAILED_OUTCOMES[failure ?? 'PAYMENT_FAILED'] ?? 'failed'
  }
}

const FAILED_OUTCOMES: Partial<Record<PaymentFailure, SurfaceOutcome>> = {
  SESSION_EXPIRED: 'expired',
  SESSION_REVOKED: 'revoked',
  CANCELLED: 'cancelled',
  // Approved and minted; what the shop made of it afterwards is between the shop and the cardholder.
  MANDATE_EXPIRED: 'approved',
  PAYMENT_DECLINED: 'approved',
}

function termsOf(session: PaymentSession, card: TermsCard, _: Adjustment, told: Telling): ApprovalTerms {
  return {
    version: 1,
    type: 'payment',
    session_id: session.id,
    account_id: session.merchantId,
    customer_id: session.customerId,
    payee: { name: session.payeeName, url: session.payeeUrl, country: session.payeeCountry },
    amount: amountFromMinor(session.amountMinor),
    currency: session.currency,
    description: session.description,
    products: session.products.map(({ name, unitPrice, quantity }) => ({ name, unit_price: unitPrice, quantity })),
    summary: session.summary,
    card: { id: card.id, brand: card.brand, last4: card.last4 },
    charges: 1,
    valid_minutes: session.effectiveMinutes,
    approve_by: session.expiresAt.toISOString(),
    quote_id: session.quoteId,
    operator: told.operator,
    sentence: paymentSentence(session, told),
    ...agentTerms(session),
  }
}
