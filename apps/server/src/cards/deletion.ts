import type { CardEndReason } from '@mintmark/contract'
import { command, rollback, single } from '../db/command.ts'
import { unbounded } from '../platform/bounds.ts'
import { PublicError } from '../platform/errors.ts'
import { deleteWork, updateKept } from './deletion-store.ts'
import type { CardDeps } from './deps.ts'
import { networkDeleteFailed, networkUnavailable } from './errors.ts'
import { cardDeleted } from './events.ts'
import { networkCardId } from './rules.ts'
import { sealedCard } from './seal.ts'
import type { Card, CardInEntry, DeletableCard } from './store.ts'
import * as store from './store.ts'

// How a card is deleted whose deletion was decided, whoever decided it: the network first, outside any transaction, then here.

/** What came of a deletion; the same however often it is asked for. */
export interface Deleted {
  cardId: string
  wasDefault: boolean
  networkTokenDeleted: boolean
}

type Deletable = Pick<
  DeletableCard,
  | 'merchantId'
  | 'id'
  | 'customerId'
  | 'vaultRecordId'
  | 'last4'
  | 'brand'
  | 'expMonth'
  | 'expYear'
  | 'enrolment'
  | 'networkTokenRef'
  | 'seal'
>

/** The token of an active card, as this program wrote it: an edited row would delete another one. */
export function tokenOf({ seals }: Pick<CardDeps, 'seals'>, card: Deletable): string {
  const { networkTokenRef: tokenRef, seal } = card
  if (tokenRef === null || seal === null) throw new Error(`The active card ${card.id} has no token.`)
  seals.check(sealedCard(card, tokenRef), seal)
  return tokenRef
}

/**
 * Deletes the token and records that. Null: the card is not as it was read. `NETWORK_DELETE_FAILED`: the network said no, or
 * nothing. Any number may do it at the same time: the network answers all alike, and one of them writes.
 */
export async function deleteNow(deps: CardDeps, card: Deletable, reason: CardEndReason): Promise<Deleted | null> {
  const tokenRef = tokenOf(deps, card)
  const tokenDeleted = await deleteToken(deps, card, tokenRef)
  // What the network has done is recorded, also for a caller who hung up meanwhile.
  return unbounded(() => record(deps, card, { tokenRef, tokenDeleted, reason }))
}

/** True: the network deleted the token; false: it knows of none. Unknown is not deleted. */
async function deleteToken({ network }: CardDeps, card: Deletable, tokenRef: string): Promise<boolean> {
  const answer = await network.deleteToken({ cardId: networkCardId(card), tokenRef })
  if (answer.outcome === 'ok') return true
  if (answer.outcome === 'declined' && answer.reason === 'NOT_FOUND') return false
  throw networkDeleteFailed({ cause: new Error(answer.outcome === 'declined' ? answer.reason : answer.cause) })
}

interface Word {
  tokenRef: string
  tokenDeleted: boolean
  reason: CardEndReason
}

/** One effect of any number of callers, with its events. The reason is that of the first who began it. */
async function record(deps: CardDeps, card: Deletable, word: Word): Promise<Deleted | null> {
  const { merchantId, customerId, id: cardId, enrolment } = card
  const { tokenDeleted } = word
  const emits = ['card.deleted', 'mandate.cancelled', 'mandate.creation_failed'] as const
  return command(deps, { name: 'cards.delete', emits }, async ({ tx, at, emit }) => {
    const ended = await store.updateEnded(tx, { merchantId, customerId, cardId, enrolment, ...word, at })
    if (ended === undefined) return rollback
    const { wasDefault } = ended
    emit(cardDeleted(card, { ...ended, networkTokenDeleted: tokenDeleted }))
    for (const event of await deps.mandates.cancelOfCard({ tx, at }, { merchantId, customerId, cardId })) emit(event)
    await deps.charges.endOfCard({ tx, at }, { merchantId, customerId, cardId })
    await deleteWork(tx, { merchantId, cardId })
    return { cardId, wasDefault, networkTokenDeleted: tokenDeleted }
  })
}

/** Finishes a deletion that another caller or a worker has begun, for a caller that wants to enroll the card anew. */
export async function finishDeletion(deps: CardDeps, card: Deletable & Pick<Card, 'endingReason'>): Promise<void> {
  if (card.endingReason === null) return
  try {
    await deleteNow(deps, card, card.endingReason)
  } catch (error) {
    throw isOfNetwork(error) ? networkUnavailable({ cause: error }) : error
  }
}

/** True: the network said no, or nothing, when a token was to be deleted. */
export function isOfNetwork(error: unknown): boolean {
  return error instanceof PublicError && error.code === 'NETWORK_DELETE_FAILED'
}

/** An active card is kept from now on, also one that was for this once. False: its deletion had begun, and it is deleted. */
export async function keep(deps: CardDeps, card: CardInEntry): Promise<boolean> {
  const { merchantId, id: cardId, enrolment, onceSessions, endingReason } = card
  if (endingReason === null && onceSessions === null) return true
  const kept = await single(deps, { name: 'cards.keep', silent: 'card' }, ({ on, at }) =>
    updateKept(on, { merchantId, cardId, enrolment, at }),
  )
  if (kept !== undefined) return true
  const now = await store.findCard(deps.pool, { merchantId, customerId: card.customerId, cardId })
  if (now !== undefined) await finishDeletion(deps, now)
  return false
}
