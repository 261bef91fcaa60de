import type { CardDeletionReason } from '@mintmark/contract'
import { single } from '../db/command.ts'
import { holding } from '../jobs/handle.ts'
import { leaseEnd } from '../jobs/work.ts'
import { unbounded } from '../platform/bounds.ts'
import { notFound, unavailable } from '../platform/errors.ts'
import { type Deleted, deleteNow, isOfNetwork, tokenOf } from './deletion.ts'
import * as work from './deletion-store.ts'
import type { CardDeps } from './deps.ts'
import { customerNotFound } from './errors.ts'
import type { DeletableCard } from './store.ts'
import * as store from './store.ts'

export type { Deleted } from './deletion.ts'

export interface Deletion {
  merchantId: string
  /** The merchant's own `user_id`, or our id. */
  customer: string
  cardId: string
  reason: CardDeletionReason
}

/** So often a card would have to change between a look and a write of ours. */
const MAX_LOOKS = 10

/**
 * Deletes a card: first at the network, outside any transaction, then here. From the network's word on nothing is minted with
 * it; from ours on nothing is approved with it and its number is gone. Where the network says no, or nothing, the card is as it
 * was, and asking again is safe. Where it deleted the token the card ends, also if the caller is told of a failure here.
 * `NOT_FOUND` also for a card that was never accepted, and for another's.
 */
export async function remove(deps: CardDeps, deletion: Deletion): Promise<Deleted> {
  const { merchantId, customer, cardId } = deletion
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const found = await store.findToDelete(deps.pool, { merchantId, customer, cardId })
    if (found === undefined || found.customerId === null) throw customerNotFound()
    const { card } = found
    if (card === null) throw notFound()
    const before = resultOf(card)
    if (before !== null) return before
    const deleted = await removeActive(deps, card, deletion.reason)
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

/**
 * What is about to be done is written first, leased to this process: should it die between the network's word and ours, a worker
 * finishes the deletion. Null: the card is not as it was read.
 */
async function removeActive(deps: CardDeps, card: DeletableCard, reason: CardDeletionReason): Promise<Deleted | null> {
  const { merchantId, id: cardId, enrolment } = card
  const tokenRef = tokenOf(deps, card)
  const begun = await single(deps, { name: 'cards.begin_deletion', silent: 'middle' }, ({ on, at }) =>
    work.insertDeletion(on, { merchantId, cardId, enrolment, tokenRef, reason, leaseUntil: leaseEnd(deps, at), at }),
  )
  if (begun === undefined) return null
  return holding(deps, work.deletions, begun, async () => {
    try {
      return await deleteNow(deps, card, reason)
    } catch (error) {
      if (isOfNetwork(error)) await withdraw(deps, begun)
      else await handOn(deps, begun)
      throw error
    }
  })
}

/**
 * The network has deleted the token, and that could not be written: the card must not stay active without one. A worker finishes the
 * deletion, now or, should this fail too, when the lease has ended.
 */
async function handOn(deps: CardDeps, begun: work.Begun): Promise<void> {
  const handing = unbounded(() =>
    single(deps, { name: 'cards.hand_on_deletion', silent: 'work' }, ({ on, at }) =>
      work.deletions.postpone(on, begun, at),
    ),
  )
  await handing.catch((error: unknown) => {
    deps.log.failure('a deletion was not given back', error, { merchant_id: begun.merchantId })
  })
}

/**
 * The caller is told that the card is as it was: so it is, and no worker goes on without them. Should this fail, the deletion
 * is finished, as after a death.
 */
async function withdraw(deps: CardDeps, begun: work.Begun): Promise<void> {
  const { merchantId, id: cardId, leaseFence } = begun
  const withdrawing = unbounded(() =>
    single(deps, { name: 'cards.withdraw_deletion', silent: 'middle' }, ({ on, at }) =>
      work.updateWithdrawn(on, { merchantId, cardId, leaseFence, at }),
    ),
  )
  await withdrawing.catch((error: unknown) => {
    deps.log.failure('a deletion that failed was not withdrawn', error, { merchant_id: merchantId })
  })
}
