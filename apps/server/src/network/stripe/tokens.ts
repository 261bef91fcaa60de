import { transaction } from '../../db/transaction.ts'
import { declined, ok } from '../answers.ts'
import type { AccountRequest, NetworkAnswer, ProvisionResult, Standing } from '../port.ts'
import { type StripeDeps, single, unclear } from './deps.ts'
import { endCardOf } from './ending.ts'
import * as store from './store.ts'

/**
 * `CardNetwork.provisionAccount`: a cardholder, and a card that shows what it is and pays nothing. The row is there
 * first, and both calls have keys that are made of the card id: however often they are made, there is one of each.
 */
export async function provisionAccount(
  deps: StripeDeps,
  { cardId }: AccountRequest,
): Promise<NetworkAnswer<ProvisionResult>> {
  const { api, clock, currency } = deps
  await store.insertAsked(single(deps), { cardId, at: clock.now() })
  const known = await recorded(deps, cardId)
  if (known !== undefined) return known
  const holder = await api.createCardholder(cardId, deps.cardholder)
  if (holder.outcome !== 'ok') return holder.outcome === 'refused' ? unclear(holder) : holder
  const tokenRef = holder.value.id
  const face = await api.createFace(cardId, tokenRef, currency)
  if (face.outcome !== 'ok') return face.outcome === 'refused' ? unclear(face) : face
  const { last4, brand, expMonth, expYear } = face.value
  await store.updateTokenActive(single(deps), { cardId, tokenRef, last4, brand, expMonth, expYear })
  const after = await recorded(deps, cardId)
  if (after === undefined) throw new Error('A token that was recorded was not found.')
  // The service has ended the card meanwhile: nothing is made from this cardholder.
  if (after.outcome === 'declined') await api.endCardholder(tokenRef)
  return after
}

/** What the row says, if it says how the question ended. */
async function recorded(deps: StripeDeps, cardId: string): Promise<NetworkAnswer<ProvisionResult> | undefined> {
  const row = await store.findToken(deps.pool, { cardId })
  if (row?.state === 'deleted') return declined('TOKEN_NOT_ACTIVE')
  if (row === undefined || row.state === 'asked') return undefined
  const { tokenRef, last4, brand, expMonth, expYear } = row
  if (tokenRef === null || last4 === null || expMonth === null || expYear === null) return undefined
  return ok({ state: 'provisioned', tokenRef, design: null, made: { last4, brand, expMonth, expYear } })
}

/**
 * `CardNetwork.deleteToken`. Stripe first: an inactive cardholder's cards pay nothing, and none is made for them. Only
 * then the rows say so. A failure leaves everything as it was.
 */
export async function deleteToken(
  deps: StripeDeps,
  { cardId, tokenRef }: { cardId: string; tokenRef: string | null },
): Promise<NetworkAnswer<Record<never, never>>> {
  const before = await store.findToken(deps.pool, { cardId })
  if (tokenRef !== null && before?.tokenRef !== tokenRef) return declined('NOT_FOUND')
  const ended = await endAtStripe(deps, before?.tokenRef ?? null)
  if (ended.outcome !== 'ok') return ended
  const at = deps.clock.now()
  await store.endToken(single(deps), { cardId, at })
  // One that was made between the two is ended too.
  const after = await store.findToken(deps.pool, { cardId })
  const ref = after?.tokenRef ?? null
  if (ref !== null && before?.tokenRef !== ref) {
    const late = await endAtStripe(deps, ref)
    if (late.outcome !== 'ok') return late
  }
  if (ref === null) return ok({})
  await transaction(deps.pool, (tx) => store.updateCancelledOfToken(tx, { tokenRef: ref, at }))
  for (const { chargeId } of await store.listOpenOfToken(deps.pool, { tokenRef: ref })) {
    const card = await endCardOf(deps, chargeId)
    if (card.outcome === 'unknown') return card
  }
  return ok({})
}

async function endAtStripe({ api }: StripeDeps, tokenRef: string | null): Promise<NetworkAnswer<Record<never, never>>> {
  if (tokenRef === null) return ok({})
  const ended = await api.endCardholder(tokenRef)
  if (ended.outcome === 'ok' && ended.value.isActive) return { outcome: 'unknown', cause: 'a cardholder that goes on' }
  return ended.outcome === 'refused' ? unclear(ended) : ended.outcome === 'ok' ? ok({}) : ended
}

/** `CardNetwork.inquireToken`. Stripe is asked: what is restored from a backup does not know what ended since. */
export async function inquireToken(
  { pool, api }: StripeDeps,
  { cardId, tokenRef }: { cardId: string; tokenRef: string },
): Promise<NetworkAnswer<{ state: Standing }>> {
  if (!/^ich_\w+$/.test(tokenRef)) return ok({ state: 'not_found' })
  const found = await api.findCardholder(tokenRef)
  if (found.outcome === 'refused') return found.status === 404 ? ok({ state: 'not_found' }) : unclear(found)
  if (found.outcome === 'unknown') return found
  if (found.value.cardId !== cardId) return ok({ state: 'not_found' })
  const row = await store.findToken(pool, { cardId })
  return ok({ state: found.value.isActive && row?.state !== 'deleted' ? 'active' : 'ended' })
}
