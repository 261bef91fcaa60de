import type {
  Adjustment,
  EnterCardRequest,
  FrameInfo,
  ReaderInfo,
  RegistrationResponse,
  SurfaceView,
} from '@mintmark/contract'
import { KEEPING_WORDS_VERSION } from '@mintmark/contract/keeping'
import { accountNotUsed, cardNotFound, numbersNotTaken } from '../cards/errors.ts'
import type { EnteredResult, EntryStore } from '../cards/service.ts'
import { bound } from '../platform/bound.ts'
import { fieldErrors, PublicError } from '../platform/errors.ts'
import { sessionChanged } from '../sessions/errors.ts'
import { isOpen, type ReadingPage, type Session, type SurfaceCaller, type SurfaceSession } from '../sessions/service.ts'
import type { CardholderDeps } from './deps.ts'
import { removalOptions, removeCard } from './remove-card.ts'
import { viewOf } from './view.ts'

/** Trades the launch secret for the session's token. */
async function launch(
  deps: CardholderDeps,
  merchantId: string,
  sessionId: string,
  launchSecret: string,
): Promise<{ sessionToken: string; view: SurfaceView }> {
  const { session, token } = await deps.sessions.launch({ merchantId, sessionId }, launchSecret)
  return { sessionToken: token, view: await loadedView(deps, session) }
}

async function view(deps: CardholderDeps, caller: SurfaceCaller): Promise<SurfaceView> {
  return loadedView(deps, await deps.sessions.read(caller))
}

/** For a page that did not see what was signed: it was loaded again, or the approval was in another one. */
async function loadedView(deps: CardholderDeps, session: SurfaceSession): Promise<SurfaceView> {
  const view = await viewOf(deps, session)
  if (view.outcome !== 'approved') return view
  const { merchantId, id } = session
  const signed = await deps.approvals.sentenceOf({ merchantId, subject: { type: 'session', id } })
  return signed === undefined ? view : { ...view, signed }
}

/** What the step fails with is kept with the session, where its merchant reads of that. */
function noting<T>({ sessions }: CardholderDeps, caller: SurfaceCaller, work: () => Promise<T>): Promise<T> {
  return sessions.noting(caller, work) as Promise<T>
}

/** A step of a session that is still open; returns where the cardholder stands after it. */
function step<Args extends unknown[]>(
  work: (deps: CardholderDeps, session: SurfaceSession, ...args: Args) => Promise<unknown>,
) {
  return async (deps: CardholderDeps, caller: SurfaceCaller, ...args: Args): Promise<SurfaceView> => {
    await deps.sessions.noting(caller, async () => work(deps, await deps.sessions.open(caller), ...args))
    return viewOf(deps, await deps.sessions.readOnSurface(caller))
  }
}

/** Enrols a card as typed, or the merchant's vault record with the CVV that was typed, and chooses it. */
async function enterCard(deps: CardholderDeps, caller: SurfaceCaller, input: EnterCardRequest): Promise<SurfaceView> {
  const entries = deps.sessions.entryStore(caller)
  // A whole card needs nothing of the session but that it is open, which is asked where the card is stored.
  const isWhole = input.card_number !== undefined
  if (deps.cardEntry !== 'number') throw numbersNotTaken()
  const entered = await noting(deps, caller, async () => {
    checkWords(input)
    if (input.once === true) await checkOnce(deps, caller, isWhole)
    if (isWhole) return deps.cards.enrol(caller, entries, input)
    return enterCvv(deps, await deps.sessions.open(caller), entries, input)
  })
  return afterEntry(deps, caller, entered)
}

/** Has the network make the customer's card from the operator's account, if it is not made yet, and chooses it. */
async function useAccount(deps: CardholderDeps, caller: SurfaceCaller): Promise<SurfaceView> {
  if (deps.cardEntry !== 'account') throw accountNotUsed()
  const entries = deps.sessions.entryStore(caller)
  return afterEntry(deps, caller, await noting(deps, caller, () => deps.cards.enrolAccount(caller, entries)))
}

async function afterEntry(deps: CardholderDeps, caller: SurfaceCaller, entered: EnteredResult | null) {
  // Says why nothing may be entered, if the session is not just being approved.
  if (entered === null) await deps.sessions.open(caller)
  if (!entered?.card.isChosen) throw sessionChanged()
  return viewOf(deps, await deps.sessions.readOnSurface(caller))
}

/** What this page has never said is not kept as said. */
function checkWords({ keeping_words: words }: EnterCardRequest): void {
  if (words === undefined || words <= KEEPING_WORDS_VERSION) return
  throw fieldErrors({ keeping_words: 'is no version of what is said about keeping a card; load the page again' })
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
  session: SurfaceSession,
  entries: EntryStore,
  input: EnterCardRequest,
): Promise<EnteredResult | null> {
  const { card: chosen, preselectedVaultRecordId: record } = session
  if (!isOpen(session)) throw sessionChanged()
  if (chosen?.status === 'active') {
    await sessions.startTry(session)
    const once = chosen.onceSessions?.includes(session.id) ?? false
    return cards.prove(chosen, entries, { cvv: input.cvv, once })
  }
  return record === null ? cards.enrol(session, entries, input) : cards.enrolRecord(session, entries, record, input)
}

/** A choice that can be made is written before anything is read; why one cannot be is looked up after it. */
async function selectCard(deps: CardholderDeps, caller: SurfaceCaller, cardId: string): Promise<SurfaceView> {
  const isChosen = await deps.sessions.chooseCard(caller, cardId)
  if (!isChosen) await noting(deps, caller, () => rejectChoice(deps, caller, cardId))
  return viewOf(deps, await deps.sessions.read(caller))
}

async function rejectChoice(deps: CardholderDeps, caller: SurfaceCaller, cardId: string): Promise<never> {
  const session = await deps.sessions.open(caller)
  if (session.kind === 'enrollment') throw cardNotFound()
  const { id: sessionId, provenCardId } = session
  await deps.cards.getUsable(customerOf(session), cardId, { sessionId, provenCardId })
  throw sessionChanged()
}

/** The code that the network sent the cardholder. */
const verifyCard = step(async (deps, session, code: string) => {
  const { cardId, entryId } = session
  if (!isOpen(session) || cardId === null) throw sessionChanged()
  if (entryId === null) {
    // The other one of two tabs was first.
    if (session.provenCardId === cardId) return
    throw sessionChanged()
  }
  await deps.sessions.startTry(session)
  await orChooseAgain(deps, session, async () => {
    const entries = deps.sessions.entryStore(refOf(session))
    const { isChosen } = await deps.cards.verify(customerOf(session), { cardId, entryId }, entries, code)
    if (!isChosen) throw sessionChanged()
  })
})

/**
 * Another code in place of one that did not come. It is taken before the network is asked: what it does not answer is
 * used up, too.
 */
const sendNewCode = step(async (deps, session) => {
  const { cardId, entryId } = session
  if (!isOpen(session) || cardId === null || entryId === null) throw sessionChanged()
  const { number } = await deps.sessions.takeNewCode(session)
  const entry = { cardId, entryId, number }
  await orChooseAgain(deps, session, () => deps.cards.sendNewCode(customerOf(session), entry))
})

/** Once the network does not accept this card any more, the cardholder chooses again. */
async function orChooseAgain({ sessions }: CardholderDeps, session: SurfaceSession, work: () => Promise<void>) {
  try {
    await work()
  } catch (error) {
    const refused = error instanceof PublicError && error.code === 'CARD_REFUSED'
    if (refused) await sessions.chooseCard(refOf(session), null).catch(() => undefined)
    throw error
  }
}

function registrationOptions(deps: CardholderDeps, caller: SurfaceCaller, embedded: boolean) {
  return deps.sessions.registrationOptions(caller, embedded)
}

/** With `frame` what the approval is asked with comes along, if it is next. */
async function register(
  deps: CardholderDeps,
  caller: SurfaceCaller,
  response: unknown,
  frame?: FrameInfo,
  reader?: ReaderInfo,
): Promise<RegistrationResponse> {
  const page = frame === undefined ? null : { ...frame, reader }
  const { session, approval } = await noting(deps, caller, () => deps.sessions.register(caller, response, page))
  return { view: await viewOf(deps, session), approval }
}

function approvalOptions(deps: CardholderDeps, caller: SurfaceCaller, page: ReadingPage, adjust?: Adjustment) {
  return deps.sessions.approvalOptions(caller, page, adjust)
}

async function approve(deps: CardholderDeps, caller: SurfaceCaller, response: unknown): Promise<SurfaceView> {
  return viewOf(deps, await noting(deps, caller, () => deps.sessions.approve(caller, response)))
}

const extend = step((deps, session) => deps.sessions.extend(session))

const cancel = step((deps, session) => deps.sessions.cancel(session))

function customerOf({ merchantId, customerId }: Session) {
  return { merchantId, customerId }
}

function refOf({ merchantId, id: sessionId, kind }: Session) {
  return { merchantId, sessionId, enrolls: kind === 'enrollment', isPurchase: kind === 'payment' }
}

/** What the cardholder's page may ask for. Every call returns where the cardholder stands now. */
export const createCardholderService = (deps: CardholderDeps) =>
  bound(deps, {
    launch,
    view,
    enterCard,
    useAccount,
    selectCard,
    verifyCard,
    sendNewCode,
    removalOptions,
    removeCard,
    registrationOptions,
    register,
    approvalOptions,
    approve,
    extend,
    cancel,
  })
export type CardholderService = ReturnType<typeof createCardholderService>
