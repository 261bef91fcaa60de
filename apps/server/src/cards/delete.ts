import type { CardDeletionReason } from '@mintmark/contract'
import { command, rollback } from '../db/command.ts'
import { unbounded } from '../platform/bounds.ts'
import { notFound, unavailable } from '../platform/errors.ts'
import type { CardDeps } from './deps.ts'
import { customerNotFound, networkDeleteFailed } from './errors.ts'
import { cardDeleted } from './events.ts'
import { networkCardId } from './rules.ts'
import { sealedCard } from './seal.ts'
import type { DeletableCard } from './store.ts'
import * as store from './store.ts'

export interface Deletion {
  merchantId: string
  /** The merchant's own `user_id`, or our id. */
  customer: string
  cardId: string
  reason: CardDeletionReason
}

/** What came of a deletion; the same however often it is asked for. */
export interface Deleted {
  cardId: string
  wasDefault: boolean
  networkTokenDeleted: boolean
}

/** So often a card would have to change between a look and a write of ours. */
const MOST_LOOKS = 10

/**
 * Deletes a card: first at the network, outside any transaction, then here. From the network's word on nothing is minted with
 * it; from ours on nothing is approved with it and its number is gone. Where the network says no, or nothing, the card is as it
 * was, and asking again is safe. `NOT_FOUND` also for a card that was never accepted, and for another's.
 */
export async function remove(deps: CardDeps, deletion: Deletion): Promise<Deleted> {
  const { merchantId, customer, cardId } = deletion
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const found = await store.findToDelete(deps.pool, { merchantId, customer, cardId })
    if (found === undefined || found.customerId === null) throw customerNotFound()
    const { card } = found
    if (card === null) throw notFound()
    const before = resultOf(card)
    if (before !== null) return before
    const isGone = await deleteToken(deps, card)
    // What the network has done is recorded, also for a caller who hung up meanwhile.
    const deleted = await unbounded(() => record(deps, card, deletion.reason, isGone))
    if (deleted !== null) return deleted
  }
  throw unavailable()
}

/** What came of a deletion before; null: there was none since the network accepted the card. */
function resultOf(card: DeletableCard): Deleted | null {
  const { id: cardId, status, acceptedAt, wasDefault, networkTokenDeleted } = card
  if (status === 'active') return null
  if (acceptedAt === null || wasDefault === null || networkTokenDeleted === null) throw notFound()
  return { cardId, wasDefault, networkTokenDeleted }
}

/** True: the network deleted the token; false: it knows of none. Unknown is not deleted. */
async function deleteToken({ network, seals }: CardDeps, card: DeletableCard): Promise<boolean> {
  const { networkTokenRef: tokenRef, seal } = card
  if (tokenRef === null || seal === null) throw new Error(`The active card ${card.id} has no token.`)
  seals.check(sealedCard(card, tokenRef), seal)
  const answer = await network.deleteToken({ cardId: networkCardId(card), tokenRef })
  if (answer.outcome === 'ok') return true
  if (answer.outcome === 'declined' && answer.reason === 'NOT_FOUND') return false
  throw networkDeleteFailed({ cause: new Error(answer.outcome === 'declined' ? answer.reason : answer.cause) })
}

/** One effect of any number of callers, with its events. Null: the card is not as it was read. */
async function record(
  deps: CardDeps,
  card: DeletableCard,
  reason: CardDeletionReason,
  tokenDeleted: boolean,
): Promise<Deleted | null> {
  const { merchantId, customerId, id: cardId, enrolment, networkTokenRef: tokenRef } = card
  const emits = ['card.deleted', 'mandate.cancelled', 'mandate.creation_failed'] as const
  return command(deps, { name: 'cards.delete', emits }, async ({ tx, at, emit }) => {
    const values = { merchantId, customerId, cardId, enrolment, tokenRef, reason, tokenDeleted, at }
    const ended = await store.updateEnded(tx, values)
    if (ended === undefined) return rollback
    const { wasDefault } = ended
    emit(cardDeleted(card, { ...ended, reason, networkTokenDeleted: tokenDeleted }))
    for (const event of await deps.mandates.cancelOfCard({ tx, at }, { merchantId, customerId, cardId })) emit(event)
    return { cardId, wasDefault, networkTokenDeleted: tokenDeleted }
  })
}
