import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server'
import { lockCustomer } from '../customers/service.ts'
import { command, rollback } from '../db/command.ts'
import { violates } from '../db/errors.ts'
import { notFound } from '../platform/errors.ts'
import { type CeremonyScope, claimChallenge, issueChallenge, type PasskeyDeps } from './ceremony.ts'
import { registrationText } from './challenge.ts'
import { parseClientData } from './client-data.ts'
import { passkeyExists, passkeyInUse } from './errors.ts'
import { userHandle } from './rules.ts'
import { insertOnlyPasskey, listPasskeys, PASSKEY_ID_CONSTRAINT } from './store.ts'
import { creationOptions, type NewCredential, verifyRegistration } from './webauthn.ts'
import { parseRegistration } from './wire.ts'

export interface RegistrationInput {
  embedded: boolean
  /** What passkey managers show the cardholder. */
  userLabel: string
}

/** `INVALID_STATE` when there is a passkey already. */
export async function registrationOptions(
  deps: PasskeyDeps,
  scope: CeremonyScope,
  { embedded, userLabel }: RegistrationInput,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  // A flagged passkey counts: otherwise the holder of a copied key could get it flagged and register their own.
  if (await hasPasskey(deps, scope)) throw passkeyExists()
  const text = registrationText(scope)
  const challenge = await issueChallenge(deps, scope, { ceremony: 'registration', embedded, text })
  return creationOptions(deps, { challenge, userId: userHandle(scope), userLabel })
}

/** Whether the customer has a passkey, flagged or not: then no other one may be registered. */
export async function hasPasskey({ pool }: PasskeyDeps, customer: { merchantId: string; customerId: string }) {
  return (await listPasskeys(pool, { ...customer })).length > 0
}

/** Verifies and stores the customer's passkey. Of registrations at the same time, one is stored. */
export async function register(
  deps: PasskeyDeps,
  scope: CeremonyScope,
  response: unknown,
): Promise<{ passkeyId: string }> {
  const { json, clientData: bytes } = parseRegistration(response)
  const { challenge } = await claimChallenge(deps, scope, 'registration', parseClientData(bytes))
  const credential = await verifyRegistration(deps, challenge, json)
  await storePasskey(deps, scope, credential)
  return { passkeyId: credential.id }
}

async function storePasskey(deps: PasskeyDeps, scope: CeremonyScope, credential: NewCredential): Promise<void> {
  const silent = 'A passkey approves nothing by itself; what is approved with it is an event.'
  const { merchantId, customerId } = scope
  try {
    const stored = await command(deps, { name: 'passkeys.register', silent }, async ({ tx, at }) => {
      if ((await lockCustomer(tx, { merchantId, customerId })) === undefined) throw notFound()
      const row = { ...credential, merchantId, customerId, at }
      return (await insertOnlyPasskey(tx, row)) ?? rollback
    })
    if (stored === null) throw passkeyExists()
  } catch (error) {
    if (violates(error, PASSKEY_ID_CONSTRAINT)) throw passkeyInUse({ cause: error })
    throw error
  }
}
