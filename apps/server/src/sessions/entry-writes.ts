import type { EntryStore } from '../cards/service.ts'
import { answerOf } from '../db/pipeline.ts'
import type { Queryable } from '../db/statement.ts'
import { busyUntil } from '../enrollment/service.ts'
import type { SessionDeps } from './deps.ts'
import * as store from './entry-store.ts'
import type { ReadRef } from './read.ts'
import { sealedProof } from './seal.ts'
import type { Proof } from './store.ts'
import { tellsOfTries } from './tries.ts'

/** What the entry of a card writes, together with the session that it is made in. In each, the lines are in the order of the locks. */
export function entryWrites({ seals }: Pick<SessionDeps, 'seals'>, ref: ReadRef): Omit<EntryStore, 'look'> {
  const { merchantId, sessionId } = ref
  const place = { merchantId, sessionId }
  const isTold = tellsOfTries(ref)
  const alone = (once: boolean) => (once ? [sessionId] : null)
  const proven = (cardId: string, proof: Proof) => {
    const proofSeal = seals.seal(sealedProof({ merchantId, id: sessionId }, { cardId, proof }))
    return { ...place, proof, proofSeal }
  }
  const endTry = (on: Queryable, { at }: { at: Date }) => (isTold ? store.endTry(on, { ...place, at }) : undefined)
  const updateLate = (...late: Parameters<typeof store.updateLate>) => (isTold ? store.updateLate(...late) : undefined)

  const inserting =
    (insert: typeof store.insertCard): EntryStore['insertCard'] =>
    async (on, card) => {
      const values = { ...card, ...place, onceSessions: alone(card.once), busyUntil: busyUntil(card.at) }
      const begun = isTold ? store.beginTry(on, values) : undefined
      const inserted = insert(on, values)
      const deletion = card.once ? store.openDeletion(on, values) : undefined
      return answerOf(inserted, begun, deletion)
    }

  return {
    insertCard: inserting(store.insertCard),
    reviveCard: inserting(store.reviveCard),
    async updateAccepted(on, accepted, isActive) {
      const { cardId, once } = accepted
      const values = { ...accepted, ...proven(cardId, 'entered'), onceSessions: alone(once) }
      const ended = endTry(on, values)
      const updated = isActive ? store.updateRenewed(on, values) : store.updateAccepted(on, values)
      const late = updateLate(on, values)
      const deletion = once ? store.openDeletionAfter(on, values) : undefined
      return answerOf(updated, ended, late, deletion)
    },
    async updateAwaited(on, awaited) {
      const values = { ...awaited, ...place, onceSessions: alone(awaited.once) }
      const ended = endTry(on, values)
      const updated = store.updateAwaited(on, values)
      const deletion = awaited.once ? store.openDeletionAfter(on, values) : undefined
      return answerOf(updated, ended, deletion)
    },
    async updateVerified(on, verified, isActive) {
      const values = { ...verified, ...proven(verified.cardId, 'code') }
      const ended = endTry(on, values)
      const updated = isActive ? store.updateProven(on, values) : store.updateVerified(on, values)
      const late = updateLate(on, values)
      // The session knows whether it was for this once.
      const deletion = store.openDeletionAfter(on, values)
      return answerOf(updated, ended, late, deletion)
    },
  }
}
