import { READABLE_AFTER_END_SECONDS } from '@mintmark/contract'
import type { EntryStore } from '../cards/service.ts'
import { single, singleTogether } from '../db/command.ts'
import { readTogether } from '../db/pipeline.ts'
import { addSeconds } from '../platform/clock.ts'
import type { ErrorDetails, ErrorOptions } from '../platform/errors.ts'
import type { SessionDeps, SessionRef } from './deps.ts'
import { upToDate } from './end.ts'
import { entryWrites } from './entry-writes.ts'
import { merchantSuspended, sessionExpired, sessionNotFound, sessionRevoked, sessionTokenInvalid } from './errors.ts'
import { kindOf } from './kind.ts'
import { launchSecretMatches } from './launch.ts'
import {
  find,
  findLaunched,
  findOnSurface,
  findShown,
  findToSign,
  findWithCard,
  type ShownSession,
  type SurfaceSession,
  type ToSign,
  type WithCard,
  withRest,
} from './read.ts'
import { readAsOf, returnUrl } from './rules.ts'
import { type Session, updateCard, updateNoCard } from './store.ts'
import type { SurfaceCaller } from './token.ts'

/** Trades the launch secret of `iframe_url` for the session's token. */
export async function launch(
  deps: SessionDeps,
  ref: SessionRef,
  launchSecret: string,
): Promise<{ session: SurfaceSession; token: string }> {
  const read = () => findLaunched(deps, ref)
  const session = await upToDate(deps, await read(), read)
  // A wrong secret reads like an unknown session, so that it does not tell which ids exist.
  if (!launchSecretMatches(deps.launchSecretsKey, session.id, launchSecret, session.launchHash)) throw sessionNotFound()
  rejectEnded(deps, session, { details: wayBack(session) })
  const { merchantId, id: sessionId, customerId, orderId, expiresAt } = session
  const issuedAt = deps.clock.now()
  const subject = { merchantId, sessionId, customerId, orderId, readAs: readAsOf(session), issuedAt, expiresAt }
  return { session, token: await deps.tokens.signLaunched(subject) }
}

/** Whose payment it was and where to go on, for who holds the whole link of a session that is over. */
function wayBack(session: Session): ErrorDetails {
  const address = returnUrl(session)
  return { merchant_name: session.payeeName, ...(address !== null && { return_url: address }) }
}

/** The caller's session, while it may be read. */
export async function read(deps: SessionDeps, caller: SurfaceCaller): Promise<SurfaceSession> {
  const read = () => findOnSurface(deps, caller)
  return readable(deps, caller, await read(), read)
}

/** The caller's session, for what changes something: once the session has ended, its token is worth nothing. */
export async function open(deps: SessionDeps, caller: SurfaceCaller): Promise<Session> {
  const read = () => find(deps.pool, caller)
  return admit(deps, caller, await read(), read)
}

/** As `open`, with the chosen card. */
export async function openWithCard(deps: SessionDeps, caller: SurfaceCaller): Promise<WithCard> {
  const read = () => readTogether(deps.pool, (on) => findWithCard(on, caller))
  return admit(deps, caller, await read(), read)
}

/** As `open`, with what it is approved with, and by whom. */
export async function openToSign(deps: SessionDeps, caller: SurfaceCaller): Promise<ToSign> {
  const read = () => readTogether(deps.pool, (on) => findToSign(deps, on, caller))
  return admit(deps, caller, await read(), read)
}

/** As `open`, of a session that was read together with something else. */
export async function admit<S extends Session>(
  deps: SessionDeps,
  caller: SurfaceCaller,
  found: S | undefined,
  readAgain: () => Promise<S | undefined>,
): Promise<S> {
  const session = await readable(deps, caller, found, readAgain)
  const status = kindOf(session).statusOf(session)
  if (status === 'completed' || status === 'failed') throw sessionExpired()
  return session
}

async function readable<S extends Session>(
  deps: SessionDeps,
  caller: SurfaceCaller,
  found: S | undefined,
  readAgain: () => Promise<S | undefined>,
): Promise<S> {
  if (found === undefined) throw sessionTokenInvalid()
  const session = await upToDate(deps, found, readAgain)
  if (session.customerId !== caller.customerId) throw sessionTokenInvalid()
  rejectEnded(deps, session)
  return session
}

/**
 * Revoked, expired and long finished sessions show nothing any more, on any call. Whatever its state, nothing is read of a
 * session a quarter of an hour after its token expired. A suspended merchant's cardholders are told so.
 */
function rejectEnded({ clock }: SessionDeps, session: Session, told: ErrorOptions = {}): void {
  if (addSeconds(session.expiresAt, READABLE_AFTER_END_SECONDS) < clock.now()) throw rejection(session, told)
  const kind = kindOf(session)
  const failure = kind.failureOf(session)
  if (failure === 'SESSION_REVOKED') throw sessionRevoked(told)
  if (failure === 'SESSION_EXPIRED') throw sessionExpired(told)
  const status = kind.statusOf(session)
  const isOver = status === 'completed' || status === 'failed'
  if (isOver && addSeconds(session.changedAt, READABLE_AFTER_END_SECONDS) < clock.now()) throw sessionExpired(told)
  if (session.merchantStatus !== 'active') throw merchantSuspended()
}

function rejection(session: Session, told: ErrorOptions) {
  return kindOf(session).failureOf(session) === 'SESSION_REVOKED' ? sessionRevoked(told) : sessionExpired(told)
}

const CHOOSE = { name: 'sessions.choose_card', silent: 'unapproved' } as const

/** Chooses one of the usable cards to approve with. Undefined: it may not be chosen, or not now; nothing says why. */
export async function chooseCard(
  deps: SessionDeps,
  caller: SurfaceCaller,
  cardId: string,
): Promise<SurfaceSession | undefined> {
  const [chosen, shown] = await singleTogether(
    deps,
    CHOOSE,
    ({ on, at }) => updateCard(on, { ...caller, cardId, at }),
    (on) => findShown(deps, on, caller),
  )
  return chosen && after(deps, caller, shown)
}

/** Lets the cardholder of an open session choose again. */
export async function chooseAgain(deps: SessionDeps, { merchantId, sessionId }: SessionRef): Promise<void> {
  await single(deps, CHOOSE, ({ on, at }) => updateNoCard(on, { merchantId, sessionId, at }))
}

/** The session as it was read behind what changed it. */
async function after(deps: SessionDeps, caller: SurfaceCaller, shown: ShownSession | undefined) {
  return upToDate(deps, shown && (await withRest(deps, shown)), () => findOnSurface(deps, caller))
}

export interface SessionEntries extends EntryStore {
  /** The session as it is after what was stored. */
  shown(): Promise<SurfaceSession>
}

/** How the entry of a card is stored together with the session that it is made in. */
export function entryStore(deps: SessionDeps, caller: SurfaceCaller): SessionEntries {
  let shown: ShownSession | undefined
  return {
    ...entryWrites(deps, caller),
    async look(on, updating) {
      shown = await findShown(deps, on, caller, updating)
    },
    shown: () => after(deps, caller, shown),
  }
}
