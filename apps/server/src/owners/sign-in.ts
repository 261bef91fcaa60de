import { createHash, randomBytes } from 'node:crypto'
import { single } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import type { CeremonyScope } from '../passkeys/service.ts'
import { canonicalJson } from '../platform/canonical-json.ts'
import { addSeconds } from '../platform/clock.ts'
import { invalidState } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { foldWhiteSpace } from '../platform/text.ts'
import type { OwnerCaller, OwnerDeps } from './deps.ts'
import { notSignedIn, passkeyUnknown, signInOver } from './errors.ts'
import { sealedSession } from './seal.ts'
import * as store from './store.ts'

// A visit is what a person begins before the service knows them: its challenge is good for this one ceremony. What it ends in is a session.

/** How long a session is good, whatever happens in it. */
export const SESSION_SECONDS = 12 * 60 * 60

/** What a browser gets for a sign-in; the token is stored nowhere. */
export interface Begun {
  token: string
  name: string
  expiresAt: Date
}

/** The WebAuthn request of a person who has a passkey. The browser shows which ones it has. */
export async function signInOptions(deps: OwnerDeps) {
  await deps.ensureAccount()
  const visit = newId('customer')
  const text = canonicalJson({ ceremony: 'sign_in', visit })
  return { visit, options: await deps.passkeys.discoveryOptions(scopeOf(deps, visit, visit), text) }
}

/** Signs in the owner whose passkey it is. `PASSKEY_FAILED` for one that no owner here has. */
export async function signIn(deps: OwnerDeps, visit: string, response: unknown): Promise<Begun> {
  const answer = deps.passkeys.readAssertion(response)
  const { json, clientData } = answer
  const { claimed, passkey, customerId } = await claim(deps, visit, 'assertion', clientData.challenge, json.id)
  if (customerId === null) throw passkeyUnknown()
  const scope = scopeOf(deps, visit, customerId)
  const {
    passkeyId,
    newSignCount: signCount,
    backedUp,
  } = await deps.passkeys.verify(scope, answer, { claimed, passkey })
  const begun = await single(deps, { name: 'owners.begin_session', silent: 'owner' }, async ({ on, at }) => {
    const session = newSession(deps, { customerId, passkeyId }, at)
    const stored = await store.insertSession(on, { ...session.row, signCount, backedUp, at })
    return stored && session
  })
  if (begun === undefined) throw invalidState({ message: 'The passkey was used elsewhere meanwhile: sign in again.' })
  const name = await nameOf(deps, { merchantId: deps.merchantId, customerId })
  return { token: begun.token, name, expiresAt: begun.row.expiresAt }
}

/** The WebAuthn request of a person who comes for the first time. Nothing is made before they answer it. */
export async function newOwnerOptions(deps: OwnerDeps, name: string) {
  await deps.ensureAccount()
  const visit = newId('customer')
  const scope = scopeOf(deps, visit, visit)
  const challenge = await single(deps, { name: 'owners.ask_registration', silent: 'challenge' }, ({ on, at }) =>
    deps.passkeys.issueRegistration(on, scope, at),
  )
  const shown = { challenge, userLabel: foldWhiteSpace(name), discoverable: true }
  return { visit, options: await deps.passkeys.registrationOptions(scope, null, shown) }
}

/** Makes the owner, whose id was the name of the visit, with their passkey, and signs them in. */
export async function registerOwner(
  deps: OwnerDeps,
  visit: string,
  { name: given, response }: { name: string; response: unknown },
): Promise<Begun> {
  const name = foldWhiteSpace(given)
  const scope = scopeOf(deps, visit, visit)
  const answer = deps.passkeys.readRegistration(response)
  const { claimed } = await claim(deps, visit, 'registration', answer.clientData.challenge, '')
  let begun: ReturnType<typeof newSession> | undefined
  await deps.passkeys.register(scope, answer, claimed, {
    silent: 'owner',
    store: ({ on, at }, passkey) => {
      begun = newSession(deps, passkey, at)
      return store.insertOwner(on, { ...passkey, ...begun.row, name, at })
    },
  })
  if (begun === undefined) throw new Error('A passkey was stored without its session.')
  return { token: begun.token, name, expiresAt: begun.row.expiresAt }
}

/** The owner who has a token. Throws for one that no owner was given, or that is over. */
export async function resolve(deps: OwnerDeps, token: string): Promise<OwnerCaller> {
  const { merchantId, pool, clock, seals } = deps
  const digest = digestOf(token)
  const found = await store.findSession(pool, { merchantId, digest })
  if (found === undefined) throw notSignedIn()
  seals.check(sealedSession({ ...found, merchantId }), found.seal)
  if (found.expiresAt <= clock.now()) throw signInOver()
  const { customerId, expiresAt } = found
  return { merchantId, customerId, digest, expiresAt }
}

/** What the page greets with; empty of one who never came for the first time, as the sandbox's are. */
export async function nameOf(
  { pool }: OwnerDeps,
  whose: Pick<OwnerCaller, 'merchantId' | 'customerId'>,
  on: Queryable = pool,
): Promise<string> {
  const { merchantId, customerId } = whose
  return (await store.findOwner(on, { merchantId, customerId }))?.name ?? ''
}

export async function signOut(deps: OwnerDeps, { merchantId, digest }: OwnerCaller): Promise<void> {
  await single(deps, { name: 'owners.end_session', silent: 'owner' }, ({ on }) =>
    store.deleteSession(on, { merchantId, digest }),
  )
}

/** Deletes sessions that are over. Returns how many. */
export async function deleteOver(deps: OwnerDeps, limit: number): Promise<number> {
  const { merchantId } = deps
  return single(deps, { name: 'owners.delete_sessions', silent: 'past' }, ({ on, at }) =>
    store.deleteOver(on, { merchantId, at, limit }),
  )
}

const TOKEN_BYTES = 32

/** 256 random bits need no key: no attacker finds a token by trying. */
const digestOf = (token: string) => createHash('sha256').update(token).digest()

function newSession({ merchantId, seals }: OwnerDeps, whose: { customerId: string; passkeyId: string }, at: Date) {
  const token = randomBytes(TOKEN_BYTES).toString('base64url')
  const { customerId, passkeyId } = whose
  const row = { merchantId, digest: digestOf(token), customerId, passkeyId, expiresAt: addSeconds(at, SESSION_SECONDS) }
  return { token, row: { ...row, sessionSeal: seals.seal(sealedSession(row)) } }
}

async function claim(
  deps: OwnerDeps,
  visit: string,
  ceremony: 'registration' | 'assertion',
  challenge: string,
  passkeyId: string,
) {
  const place = { merchantId: deps.merchantId, subjectType: 'owner_visit', subjectId: visit, passkeyId }
  const known = await single(deps, { name: 'owners.claim_visit', silent: 'challenge' }, ({ on, at }) =>
    store.claimVisit(on, { ...place, ceremony, challenge, at }),
  )
  return known ?? { claimed: null, passkey: null, customerId: null }
}

function scopeOf({ merchantId }: OwnerDeps, visit: string, customerId: string): CeremonyScope {
  return { merchantId, customerId, subject: { type: 'owner_visit', id: visit }, allowedOrigins: [] }
}
