import type { CardStatus, SessionStatus, SurfaceOutcome, SurfaceStep } from '@mintmark/contract'

export interface Standing {
  status: SessionStatus
  outcome: SurfaceOutcome | null
  card: { status: CardStatus; stepUpPending: boolean } | null
  /** What the session has shown of an active card. */
  proof: CardProof
  vaultRecordPreselected: boolean
  /** The customer's passkey: none, one, or one that may be replaced now. */
  passkey: 'none' | 'there' | 'released'
}

export interface CardProof {
  /** It belongs to the passkey, or was proven in this session: it may be approved. */
  usable: boolean
  /** Proven well enough to make a passkey with it. */
  registers: boolean
  /** A proof was begun, and the network's code is awaited. */
  codePending: boolean
  /** Proving it could lead to a passkey. */
  provable: boolean
}

/** What the cardholder does next. The page draws this step and decides none itself. */
export function stepOf(standing: Standing): SurfaceStep {
  if (standing.outcome !== null) return 'done'
  if (standing.status !== 'pending') return 'processing'
  if (standing.card?.status === 'active') return stepOfActive(standing)
  if (standing.card?.status === 'provisioning' && standing.card.stepUpPending) return 'card_verification'
  return standing.vaultRecordPreselected && standing.card === null ? 'card_cvv' : 'card'
}

/** With an active card: first it is proven, then there is a passkey, then it is approved. */
function stepOfActive({ passkey, proof }: Standing): SurfaceStep {
  const ready = passkey === 'there' ? proof.usable : proof.registers
  if (ready) return passkey === 'there' ? 'approval' : 'passkey_registration'
  if (!proof.provable) return 'card'
  return proof.codePending ? 'card_verification' : 'card_cvv'
}

interface Expiring {
  expMonth: number
  expYear: number
}

/** The first that is still good, in the order in which they are offered: a card is so until its month is over in UTC. */
export function usualCard<C extends Expiring>(cards: readonly C[], now: Date): C | undefined {
  const month = now.getUTCFullYear() * 12 + now.getUTCMonth()
  return cards.find(({ expMonth, expYear }) => expYear * 12 + expMonth - 1 >= month)
}
