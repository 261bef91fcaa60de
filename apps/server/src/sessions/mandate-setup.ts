import type { Adjustment, ApprovalTerms, SurfaceOutcome } from '@mintmark/contract'
import type { VerifiedApproval } from '../approvals/service.ts'
import { rollback } from '../db/command.ts'
import { leaseEnd } from '../jobs/work.ts'
import { mostTotal, oneTimeEnd } from '../mandates/service.ts'
import type { ErrorDetails } from '../platform/errors.ts'
import { amountFromMinor, fractionProblem, minorFromAmount } from '../platform/money.ts'
import { approveSetup } from './approve-store.ts'
import { approving } from './approving.ts'
import type { SessionDeps } from './deps.ts'
import type { Approved, SessionKind, SignedCard, TermsCard } from './kind.ts'
import type { ToSign } from './read.ts'
import { signedPayee } from './rules.ts'
import { agentTerms, mandateSentence, type Telling } from './sentence.ts'
import type { SetupStatus } from './states.ts'
import type { SetupSession } from './store.ts'

/**
 * A standing permission: its subject is a mandate, made with the session and registered at the network when the cardholder
 * approves. No credential comes of it.
 */
export const mandateSetup: SessionKind<SetupSession> = {
  statusOf,
  failureOf: ({ setupFailure }) => setupFailure,
  outcomeOf,
  adjustmentProblems,
  termsOf,

  approve,

  async end({ mandates }, change, { merchantId, mandateId: id }, ending) {
    return (await mandates.endSetup(change, { merchantId, id }, ending)) ?? rollback
  },

  // What time brings to a mandate that is active is no matter of its setup.
  catchUp: async () => false,
}

/** Once it was active the setup has succeeded, whatever becomes of the mandate. Its moves are `SETUP_TRANSITIONS`. */
function statusOf({ mandateStatus, activatedAt, closedAt }: SetupSession): SetupStatus {
  if (activatedAt !== null) return 'completed'
  if (mandateStatus !== 'pending') return 'failed'
  return closedAt === null ? 'pending' : 'processing'
}

function outcomeOf(session: SetupSession): SurfaceOutcome | null {
  switch (statusOf(session)) {
    case 'completed':
      return 'approved'
    case 'failed':
      return FAILED_OUTCOMES[session.setupFailure ?? 'PAYMENT_FAILED']
    case 'pending':
    case 'processing':
      return null
  }
}

const FAILED_OUTCOMES = {
  SESSION_EXPIRED: 'expired',
  SESSION_REVOKED: 'revoked',
  CANCELLED: 'cancelled',
  CARD_DECLINED: 'failed',
  PAYMENT_FAILED: 'failed',
} as const

/** The limits as the cardholder wants them: what they do not name stays as the merchant asked. */
function wishedLimits(session: SetupSession, { amount, valid_until: until }: Adjustment) {
  const isRecurring = session.frequency !== 'one_time'
  return {
    amountMinor: amount === undefined ? session.amountMinor : minorFromAmount(amount),
    validUntil: until === undefined || !isRecurring ? session.validUntil : new Date(until),
  }
}

/** Lower or nearer, and only where the merchant lets them. What is as the merchant asked is never a problem. */
function adjustmentProblems(session: SetupSession, adjust: Adjustment): ErrorDetails {
  const amount = amountProblem(session, adjust)
  const end = endProblem(session, adjust)
  return { ...(amount !== null && { 'adjust.amount': amount }), ...(end !== null && { 'adjust.valid_until': end }) }
}

const FIXED = 'cannot be changed'

function amountProblem(session: SetupSession, adjust: Adjustment): string | null {
  const { amountMinor } = wishedLimits(session, adjust)
  if (amountMinor === session.amountMinor) return null
  if (!session.adjustable) return FIXED
  if (amountMinor > session.amountMinor) return `must not be above ${amountFromMinor(session.amountMinor)}`
  return fractionProblem(amountMinor, session.currency)
}

function endProblem(session: SetupSession, adjust: Adjustment): string | null {
  if (adjust.valid_until === undefined) return null
  // It has no end of its own that could be named.
  if (session.frequency === 'one_time') return FIXED
  const { validUntil } = wishedLimits(session, adjust)
  if (validUntil.getTime() === session.validUntil.getTime()) return null
  if (!session.adjustable) return FIXED
  if (validUntil > session.validUntil) return `must not be after ${session.validUntil.toISOString()}`
  return validUntil <= session.expiresAt ? 'must lie after the end of the session' : null
}

function termsOf(session: SetupSession, card: TermsCard, adjust: Adjustment, told: Telling): ApprovalTerms {
  const { amountMinor, validUntil } = wishedLimits(session, adjust)
  return {
    version: 1,
    type: 'mandate',
    session_id: session.id,
    account_id: session.merchantId,
    customer_id: session.customerId,
    mandate_id: session.mandateId,
    payee: { name: session.payeeName, url: session.payeeUrl, country: session.payeeCountry },
    merchant_scope: session.merchantScope,
    amount: amountFromMinor(amountMinor),
    currency: session.currency,
    frequency: session.frequency,
    max_charges: session.maxCharges,
    valid_until: session.frequency === 'one_time' ? null : validUntil.toISOString(),
    most_total: amountFromMinor(mostTotal({ ...session, amountMinor, validUntil })),
    description: session.description,
    card: { id: card.id, brand: card.brand, last4: card.last4 },
    approve_by: session.expiresAt.toISOString(),
    operator: told.operator,
    sentence: mandateSentence({ ...session, amountMinor, validUntil }, told),
    ...agentTerms(session),
  }
}

async function approve(
  deps: SessionDeps,
  session: ToSign<SetupSession>,
  card: SignedCard,
  approval: VerifiedApproval,
): Promise<Approved | undefined> {
  const made = await approving(deps, { session, card, approval, silent: 'middle' }, async ({ on, at }) => {
    const values = approvalValues(deps, session, card, approval, at)
    const work = await approveSetup(on, values)
    return work && { work, closedAt: at, amountMinor: values.amountMinor, validUntil: values.validUntil }
  })
  if (made === undefined) return undefined
  const { work, ...approved } = made
  return {
    async finish() {
      const settled = await deps.mandates.settle(work)
      return settled && { ...session, ...approved, ...settled }
    },
  }
}

/** From what was signed, not from the rows: an edited limit or payee is neither a mandate's nor registered. */
function approvalValues(
  deps: SessionDeps,
  session: ToSign<SetupSession>,
  card: SignedCard,
  approval: VerifiedApproval,
  at: Date,
) {
  const { merchantId, id: sessionId, mandateId, customerId } = session
  const { networkTokenRef: tokenRef } = card
  const { terms } = approval
  // Compared with the terms of this session before: no other type gets here.
  if (terms.type !== 'mandate') throw new Error(`Terms of the type ${terms.type} set up no mandate.`)
  const { currency, payee, frequency, merchant_scope: merchantScope, max_charges: maxCharges } = terms
  const mandate = deps.mandates.allowedMandate({
    merchantId,
    id: mandateId,
    customerId,
    cardId: card.id,
    tokenRef,
    frequency,
    merchantScope,
    maxCharges,
    ...signedPayee(payee, session),
    approvedMinor: minorFromAmount(terms.amount),
    currency,
    validUntil: terms.valid_until === null ? oneTimeEnd(at) : new Date(terms.valid_until),
    approvalHash: approval.termsHash,
  })
  return { ...mandate, sessionId, tokenRef, at, leaseUntil: leaseEnd(deps, at) }
}
