import type { CardRemovalTerms, SurfaceView } from '@mintmark/contract'
import { cardNotFound, networkUnavailable } from '../cards/errors.ts'
import { type Card, isOfNetwork, type StartDeletion, sealedCard } from '../cards/service.ts'
import { command } from '../db/command.ts'
import { untouchedOrigins } from '../merchants/service.ts'
import type { AssertionAnswer, CeremonyScope } from '../passkeys/service.ts'
import { newId } from '../platform/ids.ts'
import { sessionChanged } from '../sessions/errors.ts'
import { rowOfKind } from '../sessions/ref.ts'
import { isOpen, type SurfaceCaller, type SurfaceSession } from '../sessions/service.ts'
import type { CardholderDeps } from './deps.ts'
import * as store from './remove-card-store.ts'
import { viewOf } from './view.ts'

// A customer removes a card of theirs, which is what their passkey signs. It ends as every card that is deleted.

/** The statement that names the card, and the WebAuthn request whose challenge binds it. */
export async function removalOptions(
  deps: CardholderDeps,
  caller: SurfaceCaller,
  { cardId, embedded }: { cardId: string; embedded: boolean },
) {
  const session = await openSession(deps, caller)
  // No list of cards is shown there.
  if (session.kind === 'enrollment') throw cardNotFound()
  const { id: sessionId, merchantId, customerId, provenCardId } = session
  const card = await deps.cards.getUsable({ merchantId, customerId }, cardId, { sessionId, provenCardId })
  deps.seals.check(sealedCard(card, card.networkTokenRef), card.seal)
  const removalId = newId('cardRemoval')
  const terms = termsOf(session, card, removalId)
  return deps.approvals.requestRemoval(scopeOf(deps, session, removalId), session.passkey, { embedded, terms })
}

function termsOf({ id, merchantId, customerId }: SurfaceSession, card: Card, removalId: string): CardRemovalTerms {
  return {
    ...{ type: 'card_removal', version: 1, removal_id: removalId },
    ...{ session_id: id, account_id: merchantId, customer_id: customerId },
    card: { id: card.id, brand: card.brand, last4: card.last4, enrolment: card.enrolment },
  }
}

/** Removes the card that was signed, once. Where the network does not answer the card is as it was. */
export async function removeCard(
  deps: CardholderDeps,
  caller: SurfaceCaller,
  { removalId, response }: { removalId: string; response: unknown },
): Promise<SurfaceView> {
  const session = await openSession(deps, caller)
  const { id: sessionId, merchantId, customerId, passkey } = session
  const scope = scopeOf(deps, session, removalId)
  const answer = deps.passkeys.readAssertion(response)
  const claimed = await claim(deps, scope, answer)
  const approval = await deps.approvals.verifyRemoval(scope, answer, { claimed, passkey })
  const { card } = approval.terms
  if (approval.terms.session_id !== sessionId) throw sessionChanged()
  const evidence = { ...deps.approvals.evidenceOf(scope, approval), sessionId }
  let looks = 0
  const start: StartDeletion = async (on, deletion) => {
    const begun =
      deletion.enrolment === card.enrolment &&
      (await store.startRemoval[rowOfKind(session)](on, { ...deletion, ...evidence }))
    if (begun) return begun
    looks += 1
    // At the second look it is there still, and not for this signature.
    if (looks > 1) throw sessionChanged()
    return undefined
  }
  const removal = {
    merchantId,
    customer: customerId,
    cardId: card.id,
    reason: 'CUSTOMER_CONFIRMED',
    begin: start,
  } as const
  await deps.cards.remove(removal).catch((error: unknown) => {
    throw isOfNetwork(error) ? networkUnavailable({ cause: error }) : error
  })
  return viewOf(deps, await deps.sessions.readOnSurface(caller))
}

/** Nothing is removed by a link that has done what it was for. */
async function openSession({ sessions }: CardholderDeps, caller: SurfaceCaller): Promise<SurfaceSession> {
  const session = await sessions.open(caller)
  if (!isOpen(session)) throw sessionChanged()
  return session
}

async function claim(deps: CardholderDeps, { merchantId, subject }: CeremonyScope, answer: AssertionAnswer) {
  const place = { merchantId, subjectType: subject.type, subjectId: subject.id, ceremony: 'assertion' }
  const { challenge } = answer.clientData
  const why = 'A used challenge is no change; what is signed with it is.'
  const known = await command(deps, { name: 'cardholder.claim_removal', why, together: 'statement' }, ({ on, at }) =>
    store.claimRemoval(on, { ...place, challenge, at }),
  )
  return known?.claimed ?? null
}

function scopeOf({ seals }: CardholderDeps, session: SurfaceSession, removalId: string): CeremonyScope {
  const { merchantId, customerId } = session
  const subject = { type: 'card_removal', id: removalId } as const
  return { merchantId, customerId, subject, allowedOrigins: untouchedOrigins({ seals }, session) }
}
