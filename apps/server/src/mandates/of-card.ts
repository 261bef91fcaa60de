import type { SetupFailure } from '@mintmark/contract'
import type { Captured, Change } from '../db/command.ts'
import { wake } from '../jobs/wake.ts'
import { mandateEvent, setupEvent } from './events.ts'
import * as store from './of-card-store.ts'
import { ONE_PAYMENT } from './rules.ts'
import type { MandateDeps } from './service.ts'
import { END_JOB } from './store.ts'

export interface OfCard {
  merchantId: string
  customerId: string
  cardId: string
}

/** How a mandate reads that was approved and not registered when its card was deleted. */
const FAILURE: SetupFailure = 'CARD_DECLINED'

/**
 * A card was deleted, in this transaction, and with it go the mandates that it pays: nothing is charged any more, and a
 * worker tells the network. What was charged before is reported as ever. Returns their events. The card's row is locked
 * by now, so no approval gives it another mandate.
 */
export async function cancelOfCard(
  { ofPurchases }: MandateDeps,
  { tx, at }: Change,
  card: OfCard,
): Promise<Captured<'mandate.cancelled' | 'mandate.creation_failed'>[]> {
  const { merchantId } = card
  const standing = await cancelStanding(tx, card, at)
  const purchases = await ofPurchases.updateCancelledWithCard(tx, { ...card, at })
  if (standing.length + purchases.length === 0) return []
  wake(tx, END_JOB)
  const events = [
    ...standing.map((mandate) => ({ id: mandate.id, event: endOf(mandate) })),
    ...purchases.map((mandate) => {
      const ofPurchase = { ...mandate, ...ONE_PAYMENT, merchantId, orderId: null }
      return { id: mandate.id, event: mandateEvent('mandate.cancelled', ofPurchase, 'cancelled') }
    }),
  ]
  return events.toSorted((one, other) => (one.id < other.id ? -1 : 1)).map(({ event }) => event)
}

async function cancelStanding(tx: Change['tx'], card: OfCard, at: Date) {
  const mandates = await store.lockOfCard(tx, { ...card, at })
  if (mandates.length === 0) return []
  const ids = mandates.map(({ id }) => id)
  const ended = await store.updateCancelledWithCard(tx, { merchantId: card.merchantId, ids, failure: FAILURE, at })
  if (ended.length !== mandates.length) throw new Error('A locked mandate was not cancelled.')
  return mandates
}

/** No one has been told of one that waits for the network: the setup ends, not the mandate. */
function endOf(mandate: Awaited<ReturnType<typeof cancelStanding>>[number]) {
  if (mandate.status === 'pending') return setupEvent('mandate.creation_failed', mandate, FAILURE)
  return mandateEvent('mandate.cancelled', mandate, 'cancelled')
}
