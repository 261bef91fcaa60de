import { transaction } from '../../db/transaction.ts'
import { addSeconds } from '../../platform/clock.ts'
import { declined, ok } from '../answers.ts'
import type { DeclineReason, NetworkAnswer } from '../port.ts'
import { type CardRow, findCard, updateDeclined, updateMinted } from './card-store.ts'
import { type StripeDeps, single, unclear } from './deps.ts'
import type { IssuedCard } from './shapes.ts'
import { lockInstruction } from './store.ts'

/** A card that Stripe may have made, with everything that it was asked for with. */
export type AskedCard = CardRow & { mandateId: string; tokenRef: string; currency: string; amountMinor: bigint }

export function isAsked(row: CardRow): row is AskedCard {
  return row.mandateId !== null && row.tokenRef !== null && row.currency !== null && row.amountMinor !== null
}

/** Stripe forgets its idempotency keys after a day. From well before that on a card is searched, not asked for. */
const KEY_SECONDS = 20 * 60 * 60
/** Clocks differ. */
const SKEW_SECONDS = 300

/**
 * The card of a charge, made if it is not there: the same key gives the same card, also to calls of several processes
 * together. `declined`: there is none and will be none.
 */
export async function makeCard(deps: StripeDeps, row: AskedCard): Promise<NetworkAnswer<IssuedCard>> {
  const { chargeId, mandateId, amountMinor, merchantCountry, askedAt } = row
  if (deps.clock.now() >= addSeconds(askedAt, KEY_SECONDS)) {
    const found = await findMade(deps, row)
    if (found.outcome !== 'ok') return found
    return found.value === null ? refuse(deps, row, 'NOT_FOUND') : ok(found.value)
  }
  const made = await deps.api.createCard({
    ...{ chargeId, mandateId, amountMinor, merchantCountry, currency: deps.currency, cardholder: row.tokenRef },
  })
  if (made.outcome === 'unknown') return made
  if (made.outcome === 'ok') return record(deps, row, made.value)
  // It refuses for a cardholder who was ended, of which our row may not know yet.
  const holder = await deps.api.findCardholder(row.tokenRef)
  if (holder.outcome === 'ok' && !holder.value.isActive) return refuse(deps, row, 'TOKEN_NOT_ACTIVE')
  return unclear(made)
}

/** The card by its metadata; null, of a whole list alone: there is none. Changes nothing at Stripe. */
export async function findMade(deps: StripeDeps, row: AskedCard): Promise<NetworkAnswer<IssuedCard | null>> {
  const listed = await deps.api.listCards(row.tokenRef, addSeconds(row.askedAt, -SKEW_SECONDS))
  if (listed.outcome !== 'ok') return listed.outcome === 'refused' ? unclear(listed) : listed
  const card = listed.value.find(({ chargeId }) => chargeId === row.chargeId)
  return card === undefined ? ok(null) : record(deps, row, card)
}

/** Another call may have recorded it, or ended the charge: then the row says so, and the card is what it is. */
async function record(deps: StripeDeps, row: AskedCard, card: IssuedCard): Promise<NetworkAnswer<IssuedCard>> {
  if (card.chargeId !== row.chargeId || card.cardholderId !== row.tokenRef) {
    return { outcome: 'unknown', cause: 'a card of another charge' }
  }
  await updateMinted(single(deps), { chargeId: row.chargeId, issuerCardId: card.id })
  return ok(card)
}

async function refuse(deps: StripeDeps, row: AskedCard, reason: DeclineReason): Promise<NetworkAnswer<never>> {
  const { chargeId, mandateId } = row
  await transaction(deps.pool, async (tx) => {
    await lockInstruction(tx, { mandateId })
    await updateDeclined(tx, { chargeId, reason })
  })
  const stored = await findCard(deps.pool, { chargeId })
  return declined(stored?.declineReason ?? 'NOT_FOUND')
}
