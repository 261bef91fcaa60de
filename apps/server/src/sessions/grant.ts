import { READABLE_AFTER_END_SECONDS } from '@mintmark/contract'
import type { EntryStore } from '../cards/service.ts'
import { command } from '../db/command.ts'
import { busyUntil } from '../enrollment/service.ts'
import { addSeconds } from '../platform/clock.ts'
import type { ErrorDetails, ErrorOptions } from '../platform/errors.ts'
import type { SessionDeps, SessionRef } from './deps.ts'
import { readOnSurface, upToDate } from './end.ts'
import { merchantSuspended, sessionExpired, sessionNotFound, sessionRevoked, sessionTokenInvalid } from './errors.ts'
import { kindOf } from './kind.ts'
import { launchSecretMatches } from './launch.ts'
import * as entry from './page/entry-store.ts'
import type { SurfaceSession, ToSign } from './page/store.ts'
import { findOnSurface, READS, type ReadRef } from './read.ts'
import { rowOf, type TokenKind } from './ref.ts'
import { returnUrl } from './rules.ts'
import { sealedProof } from './seal.ts'
import { type Proof, type Session, updateCard } from './store.ts'
import type { SurfaceCaller } from './token.ts'

/** Trades the launch secret of `iframe_url` for the session's token. */
export async function launch(
  deps: SessionDeps,
  ref: SessionRef,
  launchSecret: string,
): Promise<{ session: SurfaceSession; token: string }> {
  const session = await readOnSurface(deps, ref)
  // A wrong secret reads like an unknown session, so that it does not tell which ids exist.
  if (!launchSecretMatches(deps.launchSecretsKey, session.id, launchSecret, session.launchHash)) throw sessionNotFound()
  rejectEnded(deps, session, { details: wayBack(session) })
  const { merchantId, id: sessionId, customerId, orderId, expiresAt } = session
  const issuedAt = deps.clock.now()
  const isPurchase = session.kind === 'payment'
  const subject = { merchantId, sessionId, customerId, orderId, isPurchase, issuedAt, expiresAt }
  return { session, token: await deps.tokens.sign(subject) }
}

/** The merchant and where to go on, for a person who holds the whole link of a session that is over. */
function wayBack(session: Session): ErrorDetails {
  const address = returnUrl(session)
  return {
    merchant_name: session.payeeName,
    ...(session.kind !== 'enrollment' && { merchant_url: session.payeeUrl }),
    ...(address !== null && { return_url: address }),
  }
}

/** The session of a token, which says in which row it is. */
export function refOf(caller: SurfaceCaller): Required<ReadRef> {
  const { merchantId, sessionId } = caller
  return { merchantId, sessionId, row: rowOf(caller) }
}

/** The caller's session, while it may be read. */
export async function read(deps: SessionDeps, caller: SurfaceCaller): Promise<SurfaceSession> {
  const ref = refOf(caller)
  return readable(deps, caller, await findOnSurface(deps, ref), () => findOnSurface(deps, ref))
}

/** The caller's session, for what changes something: once the session has ended, its token is worth nothing. */
export async function open(deps: SessionDeps, caller: SurfaceCaller): Promise<SurfaceSession> {
  const ref = refOf(caller)
  return authorize(deps, caller, await findOnSurface(deps, ref), () => findOnSurface(deps, ref))
}

/** As `open`, with what the terms are made of and who may sign them. */
export async function openToSign(deps: SessionDeps, caller: SurfaceCaller): Promise<ToSign> {
  const { merchantId, sessionId } = caller
  const read = (): Promise<ToSign | undefined> =>
    READS[rowOf(caller)].findToSign(deps.pool, { merchantId, sessionId, at: deps.clock.now() })
  return authorize(deps, caller, await read(), read)
}

/** As `open`, of a session that was read together with something else. */
export async function authorize<S extends Session>(
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
 * Revoked, expired and long finished sessions show nothing any more, on any call. Whatever its state, nothing is read
 * of a session a quarter of an hour after its token expired. A suspended merchant's cardholders are told so.
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

/**
 * Which of the usable cards the session will be approved with; null lets the cardholder choose again. False: it may
 * not.
 */
export async function chooseCard(
  deps: SessionDeps,
  { merchantId, sessionId, ...kind }: SessionRef & TokenKind,
  cardId: string | null,
): Promise<boolean> {
  const why = 'A choice can change until it is approved.'
  const row = rowOf(kind)
  // A card is enrolled by entering it.
  if (row === 'enrollment') return false
  const chosen = await command(deps, { name: 'sessions.choose_card', why, together: 'statement' }, ({ on, at }) =>
    updateCard[row](on, { merchantId, sessionId, cardId, at }),
  )
  return chosen !== undefined
}

/** How the entry of a card is stored together with the session that it is made in. */
export function entryStore(
  { seals }: Pick<SessionDeps, 'seals'>,
  { merchantId, sessionId, ...reading }: SessionRef & TokenKind,
): EntryStore {
  const place = { merchantId, sessionId }
  const row = rowOf(reading)
  const proven = (cardId: string, proof: Proof) => ({
    ...place,
    proofSeal: seals.seal(sealedProof({ merchantId, id: sessionId }, { cardId, proof })),
  })
  const alone = (once: boolean) => (once ? [sessionId] : null)
  return {
    insertCard: (on, card) =>
      entry.insertCard(on, {
        ...{ ...card, ...place, ...reading },
        ...{ onceSessions: alone(card.once), busyUntil: busyUntil(card.at) },
      }),
    updateAccepted: (on, { once, ...accepted }) =>
      entry.updateAccepted(on, {
        ...{ ...accepted, ...reading, ...proven(accepted.cardId, 'entered') },
        onceSessions: alone(once),
      }),
    updateAwaited: (on, awaited) =>
      entry.updateAwaited[row](on, { ...awaited, ...place, onceSessions: alone(awaited.once) }),
    updateVerified: (on, verified) =>
      entry.updateVerified[row](on, { ...verified, ...proven(verified.cardId, 'code') }),
  }
}
