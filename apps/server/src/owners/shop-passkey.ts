import type { Queryable } from '../db/statement.ts'
import { ofOneOwner } from '../mail/service.ts'
import { passkeyFailed } from '../passkeys/errors.ts'
import type { NewPasskey } from '../passkeys/service.ts'
import { canonicalJson } from '../platform/canonical-json.ts'
import { foldWhiteSpace } from '../platform/text.ts'
import type { OwnerDeps } from './deps.ts'
import type { Arrival, newSession } from './sessions.ts'
import { type Begun, begunOf, claim, newOwner, scopeOf } from './sign-in.ts'
import { insertOwnerOfShop } from './store.ts'

// A person who has proven an address becomes an owner with the passkey that they have made at a shop's payment. They
// are a new customer of the operator's account: nothing of the shop's customer is shown here, or kept with the
// passkey.

/** What is signed: that this visit ends in an owner. */
const textOf = (visit: string) => canonicalJson({ ceremony: 'become_owner', visit })

/** The WebAuthn request to a person who has proven an address. The browser shows which passkeys it has. */
export async function shopPasskeyOptions(deps: OwnerDeps, visit: string) {
  const { mail, merchantId, passkeys } = deps
  await mail.provenEmail({ merchantId, visit })
  return { visit, options: await passkeys.discoveryOptions(scopeOf(deps, visit, visit), textOf(visit)) }
}

/** Makes the owner, whose id was the name of the visit, and signs them in. */
export async function becomeOwner(
  deps: OwnerDeps,
  visit: string,
  { name: given, response }: { name: string; response: unknown },
  arrival: Arrival,
): Promise<Begun> {
  const { merchantId, mail, passkeys } = deps
  const name = foldWhiteSpace(given)
  const scope = scopeOf(deps, visit, visit)
  const answer = passkeys.readAssertion(response)
  const { claimed } = await claim(deps, visit, 'assertion', answer.clientData.challenge, answer.json.id)
  const email = await mail.provenEmail({ merchantId, visit })
  const shared = await passkeys.verifyShared(scope, answer, claimed)
  // A challenge to sign in with is none to become an owner with.
  if (shared.verified.text !== textOf(visit)) throw passkeyFailed()
  let begun: ReturnType<typeof newSession> | undefined
  const store = ({ on, at }: { on: Queryable; at: Date }, passkey: NewPasskey) => {
    const owner = newOwner(deps, passkey, { visit, email, name, arrival }, at)
    begun = owner.session
    return insertOwnerOfShop(on, { ...passkey, ...owner.row, userHandle: shared.userHandle })
  }
  await ofOneOwner(() => passkeys.storeShared(scope, shared, store))
  if (begun === undefined) throw new Error('A passkey was stored without its session.')
  return begunOf(begun, name)
}
