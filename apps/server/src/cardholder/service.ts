import type { EnterCardRequest, FrameInfo, ReaderInfo, RegistrationResponse, SurfaceView } from '@mintmark/contract'
import { cardNotFound } from '../cards/errors.ts'
import { type EnteredResult, type EntryStore, isOwnCard } from '../cards/service.ts'
import { bound } from '../platform/bound.ts'
import { fieldErrors, PublicError } from '../platform/errors.ts'
import { sessionChanged } from '../sessions/errors.ts'
import {
  callerOf,
  isOpen,
  type Session,
  type SurfaceCaller,
  type SurfaceSession,
  type WithCard,
} from '../sessions/service.ts'
import type { CardholderDeps } from './deps.ts'
import { usualCard } from './rules.ts'
import { viewOf } from './view.ts'

/** Trades the launch secret for the session's token. */
async function launch(
  deps: CardholderDeps,
  merchantId: string,
  sessionId: string,
  launchSecret: string,
): Promise<{ sessionToken: string; view: SurfaceView }> {
  const { session, token } = await deps.sessions.launch({ merchantId, sessionId }, launchSecret)
  return { sessionToken: token, view: viewOf(deps, await withUsualCard(deps, session)) }
}

/** A returning customer has only to approve: the card that a new session is approved with is chosen, and may be changed. */
async function withUsualCard(deps: CardholderDeps, session: SurfaceSession): Promise<SurfaceSession> {
  const { cardId, kind, passkey, preselectedVaultRecordId, saved } = session
  const isNew = isOpen(session) && cardId === null && preselectedVaultRecordId === null
  if (!isNew || kind === 'enrollment' || passkey === null || passkey.released) return session
  const card = usualCard(
    saved.filter((card) => isOwnCard(deps.seals, card)),
    deps.clock.now(),
  )
  // One that may not be chosen any more leaves the choice to the cardholder.
  return (card && (await deps.sessions.chooseCard(callerOf(session), card.id))) ?? session
}

async function view(deps: CardholderDeps, caller: SurfaceCaller): Promise<SurfaceView> {
  return viewOf(deps, await deps.sessions.read(caller))
}

/** What the step fails with is kept with the session, where its merchant reads of that. */
function noting<T>({ sessions }: CardholderDeps, caller: SurfaceCaller, work: () => Promise<T>): Promise<T> {
  return sessions.noting(caller, work) as Promise<T>
}

/** A step of a session that is still open; returns where the cardholder stands after it. */
function step<Args extends unknown[]>(
  work: (deps: CardholderDeps, session: Session, ...args: Args) => Promise<unknown>,
) {
  return async (deps: CardholderDeps, caller: SurfaceCaller, ...args: Args): Promise<SurfaceView> => {
    await noting(deps, caller, async () => work(deps, await deps.sessions.open(caller), ...args))
    return viewOf(deps, await deps.sessions.look(caller))
  }
}

/** Enrolls a card as typed, or the merchant's vault record with the CVV that was typed, and chooses it. */
async function enterCard(deps: CardholderDeps, caller: SurfaceCaller, input: EnterCardRequest): Promise<SurfaceView> {
  const entries = deps.sessions.entryStore(caller)
  // A whole card needs nothing of the session but that it is open, which is asked where the card is stored.
  const isWhole = input.card_number !== undefined
  const entered = await noting(deps, caller, async () => {
    if (input.once === true) await checkOnce(deps, caller, isWhole)
    if (isWhole) return deps.cards.enroll(caller, entries, input)
    return enterCvv(deps, await deps.sessions.openWithCard(caller), entries, input)
  })
  // Says why nothing may be entered, if the session is not just being approved.
  if (entered === null) await deps.sessions.open(caller)
  if (!entered?.card.isChosen) throw sessionChanged()
  return viewOf(deps, await entries.shown())
}

/** What is set up or enrolled needs its card for longer than this once; and so does the merchant's record. */
async function checkOnce({ sessions }: CardholderDeps, caller: SurfaceCaller, isWhole: boolean): Promise<void> {
  const { kind } = await sessions.open(caller)
  if (kind !== 'payment') throw fieldErrors({ once: 'is for payments only' })
  if (!isWhole) throw fieldErrors({ once: 'is for a card that is entered with its number' })
}

/** The CVV alone, of the card that is chosen or of the merchant's vault record. */
async function enterCvv(
  { cards, sessions }: CardholderDeps,
  session: WithCard,
  entries: EntryStore,
  input: EnterCardRequest,
): Promise<EnteredResult | null> {
  const { card: chosen, preselectedVaultRecordId: record } = session
  if (!isOpen(session)) throw sessionChanged()
  if (chosen?.status === 'active') {
    await sessions.beginTry(session)
    const once = chosen.onceSessions?.includes(session.id) ?? false
    return cards.prove(chosen, entries, { cvv: input.cvv, once })
  }
  return record === null
    ? cards.enroll(session, entries, input)
    : cards.enrollRecord(session, entries, record, input.cvv)
}

/** Chooses a card to approve with. Where it may not be chosen, the session and the card are looked at, to say why. */
async function selectCard(deps: CardholderDeps, caller: SurfaceCaller, cardId: string): Promise<SurfaceView> {
  const chosen = await deps.sessions.chooseCard(caller, cardId)
  return chosen === undefined ? refuseCard(deps, caller, cardId) : viewOf(deps, chosen)
}

const refuseCard = step(async (deps, session, cardId: string) => {
  // A card is enrolled by entering it.
  if (session.kind === 'enrollment') throw cardNotFound()
  const { id: sessionId, provenCardId } = session
  await deps.cards.getUsable(customerOf(session), cardId, { sessionId, provenCardId })
  throw sessionChanged()
})

/** The code that the network sent the cardholder. */
async function verifyCard(deps: CardholderDeps, caller: SurfaceCaller, code: string): Promise<SurfaceView> {
  return viewOf(deps, await noting(deps, caller, async () => verify(deps, await deps.sessions.open(caller), code)))
}

async function verify(deps: CardholderDeps, session: Session, code: string): Promise<SurfaceSession> {
  const { cardId, entryId } = session
  if (!isOpen(session) || cardId === null) throw sessionChanged()
  if (entryId === null) {
    // The other of two tabs was first.
    if (session.provenCardId === cardId) return deps.sessions.look(callerOf(session))
    throw sessionChanged()
  }
  await deps.sessions.beginTry(session)
  try {
    const entries = deps.sessions.entryStore(callerOf(session))
    const { isChosen } = await deps.cards.verify(customerOf(session), { cardId, entryId }, entries, code)
    if (!isChosen) throw sessionChanged()
    return await entries.shown()
  } catch (error) {
    // The network does not accept this card any more: the cardholder chooses again.
    const refused = error instanceof PublicError && error.code === 'CARD_REFUSED'
    if (refused) await deps.sessions.chooseAgain(refOf(session)).catch(() => undefined)
    throw error
  }
}

/** With `frame` what the approval is asked with comes along, if it is next. */
async function register(
  deps: CardholderDeps,
  caller: SurfaceCaller,
  response: unknown,
  frame?: FrameInfo,
  reader?: ReaderInfo,
): Promise<RegistrationResponse> {
  const page = frame && { ...frame, reader }
  const { session, approval } = await noting(deps, caller, () => deps.sessions.register(caller, response, page))
  return { view: viewOf(deps, session), approval }
}

async function approve(deps: CardholderDeps, caller: SurfaceCaller, response: unknown): Promise<SurfaceView> {
  return viewOf(deps, await noting(deps, caller, () => deps.sessions.approve(caller, response)))
}

const extend = step((deps, session) => deps.sessions.extend(session))

const cancel = step((deps, session) => deps.sessions.cancel(session))

function customerOf({ merchantId, customerId }: Session) {
  return { merchantId, customerId }
}

function refOf({ merchantId, id: sessionId }: Session) {
  return { merchantId, sessionId }
}

/** What the cardholder does at the page. Every call returns where the cardholder stands now. */
export const createCardholderService = (deps: CardholderDeps) =>
  bound(deps, {
    launch,
    view,
    enterCard,
    selectCard,
    verifyCard,
    register,
    approve,
    extend,
    cancel,
  })
export type CardholderService = ReturnType<typeof createCardholderService>
