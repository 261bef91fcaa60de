import { command } from '../db/command.ts'
import { addSeconds } from '../platform/clock.ts'
import type { Device } from '../platform/device.ts'
import { newId } from '../platform/ids.ts'
import { digestOf, newToken } from '../platform/page-session.ts'
import type { OwnerCaller, OwnerDeps } from './deps.ts'
import { deleteOverDevices } from './device-store.ts'
import { notSignedIn, sessionNotFound, signInOver } from './errors.ts'
import { deleteOverRecoveries } from './recovery-store.ts'
import { sealedSession } from './seal.ts'
import * as store from './store.ts'

// A session is a row, read for every request: one that is ended is refused on every node by the next one.

const DAY = 24 * 60 * 60
/** How long a session is good, however much it is used. */
export const SESSION_SECONDS = 90 * DAY
/** And how long without being used. */
const IDLE_SECONDS = 30 * DAY
/** The use of a session is written down this often. */
const USE_SECONDS = 10 * 60
const MAX_LISTED = 100

const SILENT = 'Owners have no feed.'

/** What a browser gets; the token is stored nowhere. */
export interface Token {
  token: string
  digest: Buffer
  expiresAt: Date
}

/** What is known of a browser that signs in. */
export interface Arrival {
  device: Device
  /** The token of the session that it had, which ends. */
  former: string | undefined
}

/** The parameters of the statements that begin a session, and its token. */
export function newSession(
  { merchantId, seals }: OwnerDeps,
  { customerId, passkeyId, device, former }: { customerId: string; passkeyId: string } & Arrival,
  at: Date,
) {
  const token = newToken()
  const [sessionId, digest, expiresAt] = [newId('ownerSession'), digestOf(token), addSeconds(at, SESSION_SECONDS)]
  const row = { merchantId, digest, customerId, passkeyId, expiresAt }
  const sessionSeal = seals.seal(sealedSession({ ...row, id: sessionId }))
  const formerDigest = former === undefined ? null : digestOf(former)
  const idleAt = addSeconds(at, IDLE_SECONDS)
  return { token, row: { ...row, ...device, sessionId, idleAt, formerDigest, sessionSeal } }
}

/** The owner who has a token. Throws for one that is not known, or that is over. */
export async function resolve(deps: OwnerDeps, token: string, place: string): Promise<OwnerCaller> {
  const { merchantId, pool, clock, seals } = deps
  const digest = digestOf(token)
  const found = await store.findSession(pool, { merchantId, digest })
  if (found === undefined) throw notSignedIn()
  seals.check(sealedSession({ ...found, merchantId }), found.seal)
  const now = clock.now()
  if (found.idleAt <= now || found.expiresAt <= now) throw signInOver()
  if (addSeconds(found.usedAt, USE_SECONDS) <= now) await noteUse(deps, digest, place)
  const { id: sessionId, customerId, passkeyId, expiresAt } = found
  return { merchantId, customerId, passkeyId, sessionId, digest, expiresAt }
}

async function noteUse(deps: OwnerDeps, digest: Buffer, place: string): Promise<void> {
  const { merchantId } = deps
  await command(deps, { name: 'owners.use_session', why: SILENT, together: 'statement' }, ({ on, at }) => {
    const times = { at, idleAt: addSeconds(at, IDLE_SECONDS), usedBefore: addSeconds(at, -USE_SECONDS) }
    return store.updateUsed(on, { merchantId, digest, place, ...times })
  })
}

/**
 * Another token for a session in which its owner has just used the passkey: whoever has stolen the one before is out.
 * Undefined: the session has ended meanwhile, or another of its requests was given the token.
 */
export async function rotate(deps: OwnerDeps, caller: OwnerCaller): Promise<(Token & { at: Date }) | undefined> {
  const { merchantId, customerId, passkeyId, sessionId: id, digest, expiresAt } = caller
  const token = newToken()
  const newDigest = digestOf(token)
  const row = { merchantId, id, digest: newDigest, customerId, passkeyId, expiresAt }
  const sessionSeal = deps.seals.seal(sealedSession(row))
  const moved = await command(
    deps,
    { name: 'owners.rotate_session', why: SILENT, together: 'statement' },
    ({ on, at }) =>
      store.updateToken(on, { merchantId, digest, newDigest, sessionSeal, at, idleAt: addSeconds(at, IDLE_SECONDS) }),
  )
  return moved && { token, digest: newDigest, expiresAt, at: deps.clock.now() }
}

/** Where an owner is signed in. */
export async function listSessions({ pool, clock }: OwnerDeps, { merchantId, customerId, sessionId }: OwnerCaller) {
  const found = await store.listSessions(pool, { merchantId, customerId, at: clock.now(), limit: MAX_LISTED })
  return found.map((session) => ({ ...session, isThis: session.id === sessionId }))
}
export type ListedSession = Awaited<ReturnType<typeof listSessions>>[number]

/** Ends one of an owner's own sessions. */
export async function endSession(deps: OwnerDeps, caller: OwnerCaller, sessionId: string): Promise<void> {
  const { merchantId, customerId } = caller
  const ended = await command(
    deps,
    { name: 'owners.end_named_session', why: SILENT, together: 'statement' },
    ({ on }) => store.deleteNamed(on, { merchantId, customerId, sessionId }),
  )
  if (ended === undefined) throw sessionNotFound()
}

/** Ends all of them, this one as well. */
export async function endSessions(deps: OwnerDeps, { merchantId, customerId }: OwnerCaller): Promise<void> {
  await command(deps, { name: 'owners.end_sessions', why: SILENT, together: 'statement' }, ({ on }) =>
    store.deleteSessions(on, { merchantId, customerId }),
  )
}

export async function signOut(deps: OwnerDeps, { merchantId, digest }: OwnerCaller): Promise<void> {
  await command(deps, { name: 'owners.end_session', why: SILENT, together: 'statement' }, ({ on }) =>
    store.deleteSession(on, { merchantId, digest }),
  )
}

/** Deletes what is over: sessions, visits, former addresses, devices and recoveries. Returns how many sessions. */
export async function deleteOver(deps: OwnerDeps, limit: number): Promise<number> {
  const { merchantId, mail } = deps
  await mail.deleteOverVisits(merchantId, limit)
  await mail.deleteFormerAddresses(merchantId, limit)
  await command(deps, { name: 'owners.delete_devices', why: SILENT, together: 'statement' }, ({ on, at }) =>
    deleteOverDevices(on, { merchantId, at, limit }),
  )
  await command(deps, { name: 'owners.delete_recoveries', why: SILENT, together: 'statement' }, ({ on, at }) =>
    deleteOverRecoveries(on, { merchantId, at, since: addSeconds(at, -DAY), limit }),
  )
  return command(deps, { name: 'owners.delete_sessions', why: SILENT, together: 'statement' }, ({ on, at }) =>
    store.deleteOver(on, { merchantId, at, limit }),
  )
}
