import type { CardStatus, SessionStatus, SurfaceOutcome, SurfaceStep } from '@mintmark/contract'

export interface Standing {
  status: SessionStatus
  outcome: SurfaceOutcome | null
  card: { status: CardStatus; stepUpPending: boolean } | null
  vaultRecordPreselected: boolean
  hasPasskey: boolean
}

/** What the cardholder does next. The page draws this step and decides none itself. */
export function stepOf(standing: Standing): SurfaceStep {
  if (standing.outcome !== null) return 'done'
  if (standing.status !== 'pending') return 'processing'
  if (standing.card?.status === 'active') return standing.hasPasskey ? 'approval' : 'passkey_registration'
  if (standing.card?.status === 'provisioning' && standing.card.stepUpPending) return 'card_verification'
  return standing.vaultRecordPreselected && standing.card === null ? 'card_cvv' : 'card'
}
