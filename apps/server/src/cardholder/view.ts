import type { EnrollmentView, MandateSetupView, PaymentView, SurfaceCard, SurfaceView } from '@mintmark/contract'
import { isOwnCard } from '../cards/service.ts'
import { mostTotal } from '../mandates/service.ts'
import { untouchedOrigins } from '../merchants/service.ts'
import { replacedAt } from '../passkeys/service.ts'
import { amountFromMinor } from '../platform/money.ts'
import {
  agentTerms,
  type EnrollmentSession,
  isOpen,
  isUsable,
  mayReplace,
  moreTimeFrom,
  type PaymentSession,
  returnUrl,
  type Session,
  type SetupSession,
  type SurfaceSession,
  standingOf,
} from '../sessions/service.ts'
import type { CardholderDeps } from './deps.ts'
import { type CardProof, stepOf } from './rules.ts'

type ShownCard = Pick<CardFacts, 'last4' | 'brand' | 'expMonth' | 'expYear'> & { id: string }
interface CardFacts {
  last4: string
  brand: string | null
  expMonth: number
  expYear: number
}

/** Everything the page may show of a session as it was read. */
export function viewOf(deps: CardholderDeps, session: SurfaceSession): SurfaceView {
  const { clock, environment, operator, seals } = deps
  const open = isOpen(session)
  const standing = standingOf(session)
  const { card, record } = session
  const passkey = open ? session.passkey : null
  const now = clock.now()
  return {
    operator,
    merchant: { brand: session.brand ?? {} },
    locale: session.locale,
    session_id: session.id,
    step: stepOf({
      ...standing,
      card,
      vaultRecordPreselected: session.preselectedVaultRecordId !== null,
      passkey: passkey === null ? 'none' : passkey.released ? 'released' : 'there',
      proof: proofOf(session, passkey),
    }),
    outcome: standing.outcome,
    integration_type: session.integrationType,
    agent: agentOf(deps, session),
    allowed_origins: [...untouchedOrigins({ seals }, session)],
    return_url: returnUrl(session),
    expires_at: session.expiresAt.toISOString(),
    now: now.toISOString(),
    ...moreTimeOf(session),
    environment,
    // A card is enrolled by entering it, also one that was before.
    cards:
      open && session.kind !== 'enrollment'
        ? session.saved.filter((card) => isOwnCard(seals, card)).map(toWireCard)
        : [],
    card: card === null || card.status === 'deleted' ? null : toWireCard(card),
    card_once: card?.onceSessions?.includes(session.id) ?? false,
    // What the vault knows, without opening anything, of the card that the merchant preselected.
    card_on_file: card === null && open && record !== null ? toWireFacts(record) : null,
    has_passkey: passkey !== null && !passkey.released,
    passkey_made_at: passkey === null ? null : (replacedAt(passkey, now)?.toISOString() ?? null),
    ...kindView(session),
  }
}

/** The agent has the same name here as in the terms. */
function agentOf({ ownerUrl }: CardholderDeps, session: SurfaceSession): SurfaceView['agent'] {
  const { agent } = agentTerms(session)
  return agent === undefined ? null : { name: agent.name, owner_url: ownerUrl }
}

function moreTimeOf(session: SurfaceSession): Pick<SurfaceView, 'more_time_from'> {
  const from = moreTimeFrom(session)
  return from === null ? {} : { more_time_from: from.toISOString() }
}

/** What this session has shown of its card. */
function proofOf(session: SurfaceSession, passkey: SurfaceSession['passkey']): CardProof {
  const { card, provenCardId, proof, entryId, othersHavePasskey: othersHave } = session
  const proven = card !== null && provenCardId === card.id ? proof : null
  const hadPasskey = card !== null && card.passkeyId !== null
  const released = passkey?.released === true
  return {
    usable: isUsable(session),
    registers: released ? mayReplace({ proof: proven, hadPasskey, othersHave }) : proven !== null,
    codePending: entryId !== null,
    provable: !released || mayReplace({ proof: 'code', hadPasskey, othersHave }),
  }
}

/** What each kind of session adds to the view. */
function kindView(session: Session) {
  switch (session.kind) {
    case 'payment':
      return paymentView(session)
    case 'mandate_setup':
      return setupView(session)
    case 'enrollment':
      return enrollmentView(session)
  }
}

function paymentView(session: PaymentSession): Pick<PaymentView, 'kind' | 'failure' | 'payment' | 'receipt'> {
  const { outcome } = standingOf(session)
  return {
    kind: 'payment',
    failure: outcome === 'failed' ? { code: session.failure ?? 'PAYMENT_FAILED' } : null,
    payment: {
      ...merchantOf(session),
      amount: amountFromMinor(session.amountMinor),
      currency: session.currency,
      description: session.description,
      products: session.products.map(({ name, unitPrice, quantity }) => ({ name, unit_price: unitPrice, quantity })),
      summary: session.summary,
      bought_here: session.quoteId !== null,
    },
    ...receiptOf(session),
  }
}

function setupView(session: SetupSession): Pick<MandateSetupView, 'kind' | 'failure' | 'mandate' | 'receipt'> {
  const { outcome } = standingOf(session)
  return {
    kind: 'mandate_setup',
    failure: outcome === 'failed' ? { code: session.setupFailure ?? 'PAYMENT_FAILED' } : null,
    mandate: {
      ...merchantOf(session),
      amount: amountFromMinor(session.amountMinor),
      currency: session.currency,
      recurring_frequency: session.frequency,
      merchant_scope: session.merchantScope,
      max_charges: session.maxCharges,
      valid_until: session.frequency === 'one_time' ? null : session.validUntil.toISOString(),
      most_total: amountFromMinor(mostTotal(session)),
      adjustable: session.adjustable,
      description: session.description,
    },
    ...receiptOf(session),
  }
}

function enrollmentView(session: EnrollmentSession): Pick<EnrollmentView, 'kind' | 'failure' | 'enrollment'> {
  const { outcome } = standingOf(session)
  return {
    kind: 'enrollment',
    failure: outcome === 'failed' ? { code: publicFailure(session.enrollmentError) } : null,
    enrollment: {
      merchant_name: session.payeeName,
      card_fixed: session.preselectedVaultRecordId !== null,
      passkey: session.enrolledPasskey,
    },
  }
}

/** Which rule refuses a card helps only who tries stolen numbers. */
function publicFailure(error: EnrollmentSession['enrollmentError']) {
  return error === 'PASSKEY_BLOCKED' ? error : 'CARD_DECLINED'
}

function merchantOf({ payeeName, payeeUrl }: PaymentSession | SetupSession) {
  return { merchant_name: payeeName, merchant_url: payeeUrl }
}

/** What the cardholder keeps of what they approved: when that was, and what the shop calls the order. */
function receiptOf(session: PaymentSession | SetupSession): Pick<PaymentView, 'receipt'> {
  const { externalOrderRef, orderId, closedAt } = session
  if (standingOf(session).outcome !== 'approved' || closedAt === null) return {}
  return { receipt: { approved_at: closedAt.toISOString(), reference: externalOrderRef ?? orderId } }
}

function toWireCard(card: ShownCard): SurfaceCard {
  return { card_id: card.id, ...toWireFacts(card) }
}

function toWireFacts({ last4, brand, expMonth, expYear }: CardFacts) {
  return { card_last4: last4, card_brand: brand, card_exp_month: expMonth, card_exp_year: expYear }
}
