import { type Card, sealedPasskeyOf } from '../cards/service.ts'
import type { RowSeals, SealedRow } from '../platform/row-seals.ts'
import { cardNotProven, sessionChanged } from './errors.ts'
import type { ToSign } from './read.ts'
import type { Proof, Session } from './store.ts'

// The right to spend a card: that it was proven in a session, or belongs to a passkey. What says so is sealed when it comes true, and checked
// where it counts, on what was read: what is written then is about this very session, card and passkey.

/** That a card was proven in a session, and how. */
export function sealedProof(
  { merchantId, id }: Pick<Session, 'merchantId' | 'id'>,
  { cardId, proof }: { cardId: string; proof: Proof | null },
): SealedRow {
  return { table: 'sessions', merchantId, id, parts: ['proof', cardId, proof] }
}

/** Which agent has asked for a session, and so gets what comes of it. */
export function sealedAgentOf({
  merchantId,
  id,
  agentId,
  agentName,
}: Pick<Session, 'merchantId' | 'id' | 'agentId' | 'agentName'>): SealedRow {
  return { table: 'sessions', merchantId, id, parts: ['agent', agentId, agentName] }
}

/** Before anything is approved for, or told to, the agent of a session. Throws `RowTampered`. */
export function checkAgent({ seals }: { seals: RowSeals }, session: Session): void {
  const { agentId, agentName, agentSeal } = session
  // Where one of them alone is missing, no seal fits.
  if (agentId === null && agentName === null && agentSeal === null) return
  seals.check(sealedAgentOf(session), agentSeal)
}

/** The seal of a card that belongs to this passkey from now on. */
export function passkeySealOf(
  { seals }: { seals: RowSeals },
  card: Pick<Card, 'merchantId' | 'id'>,
  passkeyId: string,
): Buffer {
  return seals.seal(sealedPasskeyOf(card, passkeyId))
}

/** Before a passkey is made with the chosen card, whose id is returned. Throws `RowTampered`. */
export function checkProven(seals: RowSeals, session: Session): string {
  const { cardId, provenCardId, proof, proofSeal } = session
  if (cardId === null || cardId !== provenCardId || proof === null) throw cardNotProven()
  seals.check(sealedProof(session, { cardId, proof }), proofSeal)
  return cardId
}

/** Before a card is approved with the customer's passkey. Throws `RowTampered`. */
export function checkHeld(seals: RowSeals, session: ToSign, card: Card): void {
  const { provenCardId, proof, proofSeal, passkey } = session
  if (card.id === provenCardId) {
    seals.check(sealedProof(session, { cardId: card.id, proof }), proofSeal)
  } else {
    // Another card was proven meanwhile, or the passkey was replaced.
    if (passkey === null || card.passkeyId !== passkey.id) throw sessionChanged()
    seals.check(sealedPasskeyOf(card, passkey.id), card.passkeySeal)
  }
}
