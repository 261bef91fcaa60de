import type { ApprovalTerms, PaymentFailure, SurfaceOutcome } from '@mintmark/contract'
import { isLapsed } from '../charges/service.ts'
import { rollback } from '../db/command.ts'
import { addSeconds } from '../platform/clock.ts'
import { newOrderedId } from '../platform/ids.ts'
import { amountFromMinor, minorFromAmount } from '../platform/money.ts'
import type { Ending, SessionKind, TermsCard } from './kind.ts'
import { SESSION_STATUS_OF } from './states.ts'
import type { Session } from './store.ts'

/** One purchase: its subject is a charge, opened with the session and minted when the cardholder approves. */
export const payment: SessionKind = {
  statusOf: ({ chargeStatus }) => SESSION_STATUS_OF[chargeStatus],
  failureOf: ({ failure }) => failure,
  outcomeOf,
  termsOf,

  async approve({ mandates, charges }, change, session, { terms, termsHash, tokenRef }) {
    const { merchantId, chargeId, customerId, payeeNetworkName } = session
    // From what was signed, not from the rows: an edited amount or payee is neither a mandate's nor minted.
    const { card, currency, payee } = terms
    const amountMinor = minorFromAmount(terms.amount)
    const mandateId = newOrderedId('mandate', change.at)
    await mandates.createForCheckout(change, {
      merchantId,
      id: mandateId,
      customerId,
      chargeId,
      cardId: card.id,
      tokenRef,
      payeeName: payee.name,
      payeeNetworkName,
      payeeUrl: payee.url,
      payeeCountry: payee.country,
      approvedMinor: amountMinor,
      currency,
      validUntil: addSeconds(change.at, terms.valid_minutes * 60),
      approvalHash: termsHash,
    })
    const signed = { amountMinor, currency, payeeUrl: payee.url }
    const work = await charges.startMinting(change, { merchantId, chargeId, mandateId, cardId: card.id, ...signed })
    return work === undefined ? rollback : () => charges.drive(work)
  },

  end: ({ charges }, change, { merchantId, chargeId }, ending) =>
    charges.voidCharge(change, { merchantId, chargeId, ...ENDINGS[ending] }),

  async catchUp({ charges, clock }, session) {
    const { merchantId, chargeId, mandateId } = session
    if (mandateId === null || !isLapsed(session, clock.now())) return false
    await charges.lapse({ merchantId, chargeId, mandateId })
    return true
  },
}

const ENDINGS = {
  expired: { failure: 'SESSION_EXPIRED', from: ['initiated'] },
  cancelled: { failure: 'CANCELLED', from: ['initiated'] },
  // A revoke while the network is asked voids what it may mint.
  revoked: { failure: 'SESSION_REVOKED', from: ['initiated', 'minting'] },
} as const satisfies Record<Ending, { failure: PaymentFailure; from: readonly ('initiated' | 'minting')[] }>

function outcomeOf({ chargeStatus, failure }: Session): SurfaceOutcome | null {
  switch (chargeStatus) {
    case 'initiated':
    case 'minting':
      return null
    case 'awaiting_result':
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

function termsOf(session: Session, card: TermsCard): ApprovalTerms {
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
  }
}
