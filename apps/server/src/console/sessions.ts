import { command } from '../db/command.ts'
import { addSeconds, unmoved } from '../platform/clock.ts'
import { newId } from '../platform/ids.ts'
import { digestOf, newToken } from '../platform/page-session.ts'
import { actBy, SILENT } from './acts.ts'
import type { Arrival, ConsoleCaller, ConsoleDeps } from './deps.ts'
import { accountNotFound, noDemo, notSignedIn, sessionNotFound, signInOver } from './errors.ts'
import { listAccounts } from './people-store.ts'
import { sealedMember, sealedPerson, sealedSession } from './seal.ts'
import * as store from './sessions-store.ts'

// A session is a row, read for every request: one that is ended is refused on every node by the next one. It lasts in
// the time of people: whoever moves the clock of a sandbox stays signed in.

const HOUR = 60 * 60
/** How long a session is good, however much it is used. */
export const SESSION_SECONDS = 30 * 24 * HOUR
/** And how long without being used. */
const IDLE_SECONDS = 24 * HOUR
/** The use of a session is written down this often. */
const USE_SECONDS = 10 * 60
const MAX_LISTED = 100

/** One press lets this person in, where the sandbox has its demo account. */
export const DEMO_PERSON = { id: 'psn_demo', email: null, name: 'Demo developer', role: 'owner' } as const

/** What a browser gets; the token is stored nowhere. */
export interface Token {
  token: string
  digest: Buffer
  expiresAt: Date
}

/** The account that everyone on this machine may open; undefined: it is not there. */
export async function demoAccount({
  environment,
  merchants,
}: ConsoleDeps): Promise<{ id: string; name: string } | undefined> {
  return environment === 'sandbox' ? merchants.findMerchant(merchants.demoMerchantId) : undefined
}

/** Opens the demo account. */
export async function signInAsDemo(deps: ConsoleDeps, arrival: Arrival): Promise<Token> {
  const account = await demoAccount(deps)
  if (account === undefined) throw noDemo()
  await deps.ensureAccount()
  const { operatorId: merchantId, seals } = deps
  const { id: personId, name, role } = DEMO_PERSON
  const member = { merchantId, accountId: account.id, personId, role }
  await command(deps, { name: 'console.insert_demo_person', why: SILENT, together: 'statement' }, ({ on, at }) => {
    const personSeal = seals.seal(sealedPerson({ merchantId, ...DEMO_PERSON }))
    return store.insertDemoPerson(on, { ...member, name, at, personSeal, memberSeal: seals.seal(sealedMember(member)) })
  })
  return openSession(deps, { personId, accountId: account.id, passkeyId: null }, arrival)
}

/** The statement before has let the person in. */
export async function openSession(
  deps: ConsoleDeps,
  whose: { personId: string; accountId: string; passkeyId: string | null },
  arrival: Arrival,
): Promise<Token> {
  const { token, row } = newSession(deps, whose, arrival)
  const begun = await command(deps, { name: 'console.insert_session', why: SILENT, together: 'statement' }, ({ on }) =>
    store.insertSession(on, row),
  )
  if (begun === undefined) throw notSignedIn()
  return { token, digest: row.digest, expiresAt: row.expiresAt }
}

/** The parameters of the statements that begin a session, and its token. */
export function newSession(
  { operatorId: merchantId, seals, clock }: ConsoleDeps,
  whose: { personId: string; accountId: string; passkeyId: string | null },
  { device, former }: Arrival,
) {
  const token = newToken()
  const signedInAt = unmoved(clock)
  const [sessionId, digest, expiresAt] = [
    newId('personSession'),
    digestOf(token),
    addSeconds(signedInAt, SESSION_SECONDS),
  ]
  const sessionSeal = seals.seal(sealedSession({ merchantId, digest, id: sessionId, ...whose, expiresAt }))
  const times = { signedInAt, idleAt: addSeconds(signedInAt, IDLE_SECONDS), expiresAt }
  const formerDigest = former === undefined ? null : digestOf(former)
  return { token, row: { merchantId, digest, sessionId, ...whose, ...device, formerDigest, ...times, sessionSeal } }
}

/** The person who has a token. Throws for one that is not known, or that is over. */
export async function resolve(deps: ConsoleDeps, token: string, place: string): Promise<ConsoleCaller> {
  const { pool, clock, seals, operatorId: merchantId } = deps
  const digest = digestOf(token)
  const found = await store.findSession(pool, { merchantId, digest })
  if (found === undefined) throw notSignedIn()
  const { id: sessionId, personId, accountId, passkeyId, name, email, role, expiresAt, idleAt, usedAt } = found
  seals.check(sealedSession({ ...found, merchantId }), found.seal)
  seals.check(sealedPerson({ merchantId, id: personId, email, name }), found.personSeal)
  seals.check(sealedMember({ merchantId, accountId, personId, role }), found.memberSeal)
  const now = unmoved(clock)
  if (idleAt <= now || (passkeyId !== null && !found.signs)) throw signInOver()
  if (addSeconds(usedAt, USE_SECONDS) <= now) await noteUse(deps, { merchantId, digest, place })
  return { merchantId: accountId, personId, name, email, role, digest, expiresAt, sessionId, passkeyId }
}

async function noteUse(
  deps: ConsoleDeps,
  session: { merchantId: string; digest: Buffer; place: string },
): Promise<void> {
  await command(deps, { name: 'console.use_session', why: SILENT, together: 'statement' }, ({ on }) => {
    const at = unmoved(deps.clock)
    const times = { at, idleAt: addSeconds(at, IDLE_SECONDS), usedBefore: addSeconds(at, -USE_SECONDS) }
    return store.updateUsed(on, { ...session, ...times })
  })
}

/**
 * Another token for a session whose person has just used the passkey, or looks at another account: whoever has stolen
 * the one before is out. Undefined: it has ended meanwhile, or another of its requests was given the token.
 */
export async function rotate(
  deps: ConsoleDeps,
  caller: ConsoleCaller,
  accountId: string = caller.merchantId,
): Promise<(Token & { at: Date }) | undefined> {
  const { operatorId: merchantId, clock, seals } = deps
  const { digest, sessionId: id, personId, passkeyId, expiresAt } = caller
  const token = newToken()
  const newDigest = digestOf(token)
  const sessionSeal = seals.seal(
    sealedSession({ merchantId, digest: newDigest, id, personId, accountId, passkeyId, expiresAt }),
  )
  const at = unmoved(clock)
  const moved = await command(deps, { name: 'console.rotate_session', why: SILENT, together: 'statement' }, ({ on }) =>
    store.updateToken(on, {
      ...{ merchantId, digest, newDigest, accountId, sessionSeal, at, idleAt: addSeconds(at, IDLE_SECONDS) },
    }),
  )
  return moved && { token, digest: newDigest, expiresAt, at }
}

/** Another account of the same person. */
export async function openAccount(deps: ConsoleDeps, caller: ConsoleCaller, accountId: string) {
  const rotated = await rotate(deps, caller, accountId)
  if (rotated === undefined) throw accountNotFound()
  return rotated
}

/** The accounts of a person, with their names, in the order in which they came to them. */
export async function accountsOf(
  { pool, merchants, operatorId: merchantId }: ConsoleDeps,
  { personId, merchantId: own }: Pick<ConsoleCaller, 'personId' | 'merchantId'>,
) {
  const found = await listAccounts(pool, { merchantId, personId, limit: MAX_LISTED })
  const named = await Promise.all(
    found.map(async ({ accountId, role }) => ({ accountId, role, account: await merchants.findMerchant(accountId) })),
  )
  return named.flatMap(({ accountId, role, account }) =>
    account === undefined ? [] : [{ id: accountId, name: account.name, role, isThis: accountId === own }],
  )
}

/** Where a person is signed in. */
export async function listSessions(
  { pool, clock, operatorId: merchantId }: ConsoleDeps,
  { personId, sessionId }: ConsoleCaller,
) {
  const found = await store.listSessions(pool, { merchantId, personId, at: unmoved(clock), limit: MAX_LISTED })
  return found.map((session) => ({ ...session, isThis: session.id === sessionId }))
}

/** Ends one of a person's own sessions. */
export async function endSession(deps: ConsoleDeps, caller: ConsoleCaller, sessionId: string): Promise<void> {
  const { operatorId: merchantId } = deps
  const ended = await command(
    deps,
    { name: 'console.end_named_session', why: SILENT, together: 'statement' },
    ({ on, at }) => store.deleteNamed(on, { merchantId, sessionId, ...actBy(caller, at), at }),
  )
  if (ended === undefined) throw sessionNotFound()
}

/** Ends all of them, this one as well. */
export async function endSessions(deps: ConsoleDeps, caller: ConsoleCaller): Promise<void> {
  const { operatorId: merchantId } = deps
  await command(deps, { name: 'console.end_sessions', why: SILENT, together: 'statement' }, ({ on, at }) =>
    store.deleteSessions(on, { merchantId, ...actBy(caller, at), at }),
  )
}

export async function signOut(deps: ConsoleDeps, { digest }: ConsoleCaller): Promise<void> {
  const { operatorId: merchantId } = deps
  await command(deps, { name: 'console.end_session', why: SILENT, together: 'statement' }, ({ on }) =>
    store.deleteSession(on, { merchantId, digest }),
  )
}

/** The account that a person looks at, as the page shows it. */
export async function accountOf(
  { merchants }: ConsoleDeps,
  { merchantId }: ConsoleCaller,
): Promise<{ id: string; name: string }> {
  const found = await merchants.findMerchant(merchantId)
  if (found === undefined) throw notSignedIn()
  return { id: found.id, name: found.name }
}
