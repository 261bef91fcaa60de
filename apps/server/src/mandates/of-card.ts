import type { SetupFailure } from '@mintmark/contract'
import type { Captured, Change } from '../db/command.ts'
import { wake } from '../jobs/wake.ts'
import { mandateEvent, setupEvent } from './events.ts'
import * as store from './of-card-store.ts'
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
 * A card was deleted, in this transaction, and with it go the mandates that it pays: nothing is charged any more, and a worker
 * tells the network. Their credentials end with the card (`charges/of-card.ts`). Returns their events. The card's row is locked by now, so
 * no approval gives it another mandate.
 */
export async function cancelOfCard(
  _deps: MandateDeps,
  { tx, at }: Change,
  card: OfCard,
): Promise<Captured<'mandate.cancelled' | 'mandate.creation_failed'>[]> {
  const { merchantId } = card
  const mandates = await store.lockOfCard(tx, { ...card, at })
  if ((await store.updateWaitingWithCard(tx, { ...card, at })) > 0) wake(tx, END_JOB)
  if (mandates.length === 0) return []
  wake(tx, END_JOB)
  const ended = await store.updateCancelledWithCard(tx, {
    merchantId,
    ids: mandates.map(({ id }) => id),
    failure: FAILURE,
    at,
  })
  if (ended.length !== mandates.length) throw new Error('A locked mandate was not cancelled.')
  return mandates.map((mandate) => {
    const { status, sessionId, orderId } = mandate
    // No caller has been told of one that waits for the network: the setup ends, not the mandate.
    const isSetup = status === 'pending' && sessionId !== null && orderId !== null
    if (isSetup) return setupEvent('mandate.creation_failed', { ...mandate, sessionId, orderId }, FAILURE)
    return mandateEvent('mandate.cancelled', mandate, 'cancelled')
  })
}
