import type { AssertionAnswer, VerifiedAssertion } from './assertion.ts'
import { verify } from './assertion.ts'
import { type CeremonyScope, type PasskeyDeps, refused, sealedPasskey } from './ceremony.ts'
import { passkeyInUse } from './errors.ts'
import type { ClaimedChallenge, OnePasskey, Passkey } from './fragments.ts'
import { type StorePasskey, storeOnce } from './registration.ts'
import { failed, userHandleRefusal } from './rules.ts'
import { findAnywhere } from './store.ts'

// A passkey that was made at a shop's payment signs at the owners' page, too: both are one relying party (ADR 0098).
// What it signs there counts for its owner alone; the shop's customer stays who they are (ADR 0107).

/** The place of the ceremony, and the account whose customers may have no such passkey. */
type Place = Omit<CeremonyScope, 'customerId'>

/** A passkey of a shop that has signed, and for whom it was made. */
export interface SharedPasskey {
  passkey: OnePasskey
  userHandle: Buffer
  verified: VerifiedAssertion
}

/**
 * Verifies the signature of a passkey that is a customer's of any other account. The browser says for whom it was made,
 * and that must be this customer: the same id may be stored elsewhere, with a key of another person.
 */
export async function verifyShared(
  deps: PasskeyDeps,
  place: Place,
  answer: AssertionAnswer,
  claimed: ClaimedChallenge | null,
): Promise<SharedPasskey> {
  const { id: passkeyId, response } = answer.json
  const given = response.userHandle
  if (given === undefined) throw refused(failed('the browser does not say for whom the passkey was made'))
  const found = await findAnywhere(deps.pool, { passkeyId })
  const holder = found.find((row) => userHandleRefusal(row, given) === null)
  if (holder === undefined) throw refused(failed('no customer has such a credential'))
  const { merchantId, customerId, ...passkey } = holder
  const known: Passkey = { ...passkey, released: false, beside: [] }
  const scope = { ...place, merchantId, customerId }
  const verified = await verify(deps, scope, answer, { claimed, passkey: known })
  // Said to whoever has it, and to no other.
  if (found.some((row) => row.merchantId === place.merchantId)) throw passkeyInUse()
  return { passkey, userHandle: Buffer.from(given, 'base64url'), verified }
}

/** Stores it as an owner's as well. `PASSKEY_IN_USE` of one that was any owner's before. */
export function storeShared(
  deps: PasskeyDeps,
  owner: { merchantId: string; customerId: string },
  { passkey, verified }: SharedPasskey,
  store: StorePasskey,
): Promise<Passkey> {
  const { id, publicKey, transports, backupEligible } = passkey
  const seal = deps.seals.seal(sealedPasskey(owner, { id, publicKey, backupEligible }))
  const { newSignCount: signCount, backedUp } = verified
  return storeOnce(deps, owner, { id, publicKey, signCount, transports, backupEligible, backedUp, seal }, store)
}
