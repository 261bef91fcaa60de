import type { ChargeStatus, LineItemStatus, ObservedStatus, PaymentFailure, SessionStatus } from '@mintmark/contract'
import { SESSION_KINDS } from '@mintmark/contract'
import type { PaymentTerms } from '@mintmark/contract/wire/surface'
import { NOT_OF_THE_PAYMENT, QUOTED_STATUS_OF } from '../checkout/purchases/states.ts'
import { networkName } from '../network/merchant-name.ts'
import type { SurfaceSession } from './read.ts'
import { SESSION_STATUS_OF } from './states.ts'
import type { Proof, Session } from './store.ts'

/** Which text reads a session: its kind, and of a payment whether the service makes it. Never changes. */
export const READ_AS = [...SESSION_KINDS, 'quoted_payment'] as const
export type ReadAs = (typeof READ_AS)[number]

export function readAsOf(session: Session): ReadAs {
  return session.kind === 'payment' && session.quoteId !== null ? 'quoted_payment' : session.kind
}

/** True while the cardholder can still do something with the session. */
export function isOpen({ closedAt }: Session): boolean {
  return closedAt === null
}

/** True when the time of an open session is over, and nothing has ended it yet. */
export function isOverdue(session: Session, now: Date): boolean {
  return isOpen(session) && session.expiresAt <= now
}

/** Whether the chosen card may be approved with: it was proven in this session, or belongs to the customer's passkey. */
export function isUsable({
  id,
  kind,
  card,
  provenCardId,
  passkey,
}: Pick<SurfaceSession, 'id' | 'kind' | 'card' | 'provenCardId' | 'passkey'>): boolean {
  if (card?.status !== 'active') return false
  // One that is not kept, and is for other sessions alone.
  if (card.onceSessions !== null && !card.onceSessions.includes(id)) return false
  // A card is enrolled by who entered it here, also where it is the passkey's already.
  if (kind === 'enrollment') return card.id === provenCardId
  return card.id === provenCardId || (card.passkeyId !== null && card.passkeyId === passkey?.id)
}

/** What a session has shown of the card that it proved. */
export interface ShownProof {
  proof: Proof | null
  /** The card belongs to the passkey that is to be replaced. */
  hadPasskey: boolean
  /** Other active cards of the customer do. */
  othersHave: boolean
}

/**
 * Whether a lost passkey may be replaced, once it is released: by the CVV and the network's code of a card that was its own.
 * Another person's card, entered in this session, shows nothing, unless there is no card to protect.
 */
export function mayReplace({ proof, hadPasskey, othersHave }: ShownProof): boolean {
  return hadPasskey ? proof === 'code' : proof !== null && !othersHave
}

export const LINE_ITEM_STATUS_OF: Record<ChargeStatus, LineItemStatus> = {
  initiated: 'pending',
  minting: 'pending',
  awaiting_result: 'credentials_generated',
  completed: 'completed',
  failed: 'failed',
}

/**
 * Where hosted mode returns to: the merchant's address with the session's id added. What it has already stays as it is written: to set a
 * parameter writes the whole query anew ("%20" becomes "+"), which breaks a signature over it. Only a `session_id` of its own gives way.
 */
export function returnUrl(session: Pick<Session, 'id' | 'callbackUrl' | 'integrationType'>): string | null {
  if (session.callbackUrl === null || session.integrationType !== 'full_checkout') return null
  const url = new URL(session.callbackUrl)
  if (url.searchParams.has('session_id')) url.searchParams.delete('session_id')
  url.search += `${url.search === '' ? '?' : '&'}session_id=${session.id}`
  return url.href
}

/**
 * The payee, from what was signed. What the card network is told follows from the signed name; where nothing of that is left, it is
 * the merchant's own word for statements, which the cardholder neither sees nor signs.
 */
export function signedPayee(
  { name, url, country }: PaymentTerms['payee'],
  { payeeNetworkName }: { payeeNetworkName: string },
) {
  return {
    payeeName: name,
    payeeNetworkName: networkName({ name, statement_name: payeeNetworkName, url }),
    payeeUrl: url,
    payeeCountry: country,
  }
}

/** How a payment stands for those who ask, and how it really does where that is something else. */
export interface PaymentStanding {
  status: SessionStatus
  failure: PaymentFailure | null
  /** For a session whose result is simulated, once it is over; else null. */
  observed: { status: ObservedStatus; failure: PaymentFailure | null } | null
}

/** What came of the payment of a simulated session is shown as paid; that there was none, because it ended before, is not hidden. */
export function standingOfPayment(payment: {
  chargeStatus: ChargeStatus
  failure: PaymentFailure | null
  quoteId: string | null
  simulated: boolean
}): PaymentStanding {
  const { chargeStatus, failure, quoteId, simulated } = payment
  const status = (quoteId === null ? SESSION_STATUS_OF : QUOTED_STATUS_OF)[chargeStatus]
  if (!simulated || (status !== 'completed' && status !== 'failed')) return { status, failure, observed: null }
  const observed = { status, failure }
  const isHidden = failure !== null && !NOT_OF_THE_PAYMENT.includes(failure)
  return isHidden ? { status: 'completed', failure: null, observed } : { status, failure, observed }
}
