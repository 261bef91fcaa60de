import { command } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import { ofOneOwner, sealedOwnerAddress } from '../mail/service.ts'
import type { CeremonyScope, NewPasskey } from '../passkeys/service.ts'
import { canonicalJson } from '../platform/canonical-json.ts'
import { invalidState } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { foldWhiteSpace } from '../platform/text.ts'
import type { OwnerCaller, OwnerDeps } from './deps.ts'
import { passkeyUnknown } from './errors.ts'
import { type Arrival, newSession, type Token } from './sessions.ts'
import { findOwner, insertOwner, insertSession } from './store.ts'

// A visit is what a person begins before the service knows them: its challenge is good for this one ceremony. What it
// ends in is a session.

/** What a browser gets for a sign-in. */
export interface Begun extends Token {
  name: string
}

/** The WebAuthn request for a person who has a passkey. The browser shows which ones it has. */
export async function signInOptions(deps: OwnerDeps) {
  await deps.ensureAccount()
  const visit = newId('customer')
  const text = canonicalJson({ ceremony: 'sign_in', visit })
  return { visit, options: await deps.passkeys.discoveryOptions(scopeOf(deps, visit, visit), text) }
}

/** Signs in the owner of the passkey. `PASSKEY_FAILED` for one that no owner here has. */
export async function signIn(deps: OwnerDeps, visit: string, response: unknown, arrival: Arrival): Promise<Begun> {
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
  const begun = await command(
    deps,
    { name: 'owners.begin_session', why: SILENT, together: 'statement' },
    async ({ on, at }) => {
      const session = newSession(deps, { customerId, passkeyId, ...arrival }, at)
      const stored = await insertSession(on, { ...session.row, signCount, backedUp, at })
      return stored && session
    },
  )
  if (begun === undefined) throw invalidState({ message: 'The passkey was used elsewhere meanwhile: sign in again.' })
  const name = await nameOf(deps, { merchantId: deps.merchantId, customerId })
  return begunOf(begun, name)
}

/** Mails a code to an address, in a visit of its own. The answer is the same if an owner has the address. */
export async function signUp(deps: OwnerDeps, email: string) {
  await deps.ensureAccount()
  const visit = newId('customer')
  return { visit, codeEndsAt: await deps.mail.openVisit({ merchantId: deps.merchantId, visit }, email) }
}

/** The code that was mailed. A person who has typed it may know that an owner has this address already. */
export async function proveAddress({ mail, merchantId }: OwnerDeps, visit: string, code: string) {
  return mail.proveVisit({ merchantId, visit }, code)
}

/** The WebAuthn request of a person who has proven an address. Nothing is made before they answer it. */
export async function newOwnerOptions(deps: OwnerDeps, visit: string, name: string) {
  const { mail, merchantId } = deps
  await mail.provenEmail({ merchantId, visit })
  const scope = scopeOf(deps, visit, visit)
  const challenge = await command(
    deps,
    { name: 'owners.ask_registration', why: SILENT, together: 'statement' },
    ({ on, at }) => deps.passkeys.issueRegistration(on, scope, at),
  )
  const shown = { challenge, userLabel: foldWhiteSpace(name), discoverable: true }
  return { visit, options: await deps.passkeys.registrationOptions(scope, null, shown) }
}

/** Makes the owner, whose id was the name of the visit, with their passkey, and signs them in. */
export async function registerOwner(
  deps: OwnerDeps,
  visit: string,
  { name: given, response }: { name: string; response: unknown },
  arrival: Arrival,
): Promise<Begun> {
  const { merchantId, mail } = deps
  const name = foldWhiteSpace(given)
  const scope = scopeOf(deps, visit, visit)
  const answer = deps.passkeys.readRegistration(response)
  const { claimed } = await claim(deps, visit, 'registration', answer.clientData.challenge, '')
  const email = await mail.provenEmail({ merchantId, visit })
  let begun: ReturnType<typeof newSession> | undefined
  const store = ({ on, at }: { on: Queryable; at: Date }, passkey: NewPasskey) => {
    const owner = newOwner(deps, passkey, { visit, email, name, arrival }, at)
    begun = owner.session
    return insertOwner(on, { ...passkey, ...owner.row })
  }
  await ofOneOwner(() => deps.passkeys.register(scope, answer, claimed, store))
  if (begun === undefined) throw new Error('A passkey was stored without its session.')
  return begunOf(begun, name)
}

/** What the page greets with; empty of one who never came for the first time, as the sandbox's are. */
export async function nameOf(
  { pool }: OwnerDeps,
  whose: Pick<OwnerCaller, 'merchantId' | 'customerId'>,
): Promise<string> {
  const { merchantId, customerId } = whose
  return (await findOwner(pool, { merchantId, customerId }))?.name ?? ''
}

const SILENT = 'Owners have no feed.'

/** The parameters of the statements that make an owner, and the token of their session. */
export function newOwner(
  deps: OwnerDeps,
  { customerId, passkeyId }: Pick<NewPasskey, 'customerId' | 'passkeyId'>,
  { visit, email, name, arrival }: { visit: string; email: string; name: string; arrival: Arrival },
  at: Date,
) {
  const session = newSession(deps, { customerId, passkeyId, ...arrival }, at)
  const address = sealedOwnerAddress({ merchantId: deps.merchantId, customerId, email, verifiedAt: at })
  return { session, row: { ...session.row, visit, name, email, addressSeal: deps.seals.seal(address), at } }
}

export const begunOf = ({ token, row: { digest, expiresAt } }: ReturnType<typeof newSession>, name: string): Begun => ({
  ...{ token, digest, name, expiresAt },
})

export function claim(
  { merchantId, passkeys }: OwnerDeps,
  visit: string,
  ceremony: 'registration' | 'assertion',
  challenge: string,
  passkeyId: string,
) {
  const subject = { type: 'owner_visit', id: visit } as const
  return passkeys.claimDiscovered({ merchantId, subject }, { ceremony, challenge, passkeyId })
}

export function scopeOf({ merchantId }: OwnerDeps, visit: string, customerId: string): CeremonyScope {
  return { merchantId, customerId, subject: { type: 'owner_visit', id: visit }, allowedOrigins: [] }
}
