import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server'
import { lockCustomer } from '../customers/service.ts'
import { type CommandContext, command, rollback } from '../db/command.ts'
import { violates } from '../db/errors.ts'
import { notFound } from '../platform/errors.ts'
import { type CeremonyScope, claimChallenge, issueChallenge, type PasskeyDeps, sealedPasskey } from './ceremony.ts'
import { registrationText } from './challenge.ts'
import { parseClientData } from './client-data.ts'
import { passkeyExists, passkeyInUse } from './errors.ts'
import { findOwn } from './release.ts'
import { userHandle } from './rules.ts'
import { insertOnlyPasskey, PASSKEY_ID_CONSTRAINT } from './store.ts'
import { creationOptions, type NewCredential, verifyRegistration } from './webauthn.ts'
import { parseRegistration } from './wire.ts'

export interface RegistrationInput {
  embedded: boolean
  /** What passkey managers show the cardholder. */
  userLabel: string
}

/**
 * Says in the transaction that stores a passkey whether its subject has shown enough for it, and does what comes of the
 * passkey there. Null: not enough. There is no default: a link alone never registers a passkey.
 */
export type Admission = (
  change: Pick<CommandContext<never>, 'tx' | 'at'>,
  passkeyId: string,
) => Promise<{ mayReplace: boolean } | null>

/** `INVALID_STATE` when there is a passkey already, unless it was released to be replaced. */
export async function registrationOptions(
  deps: PasskeyDeps,
  scope: CeremonyScope,
  { embedded, userLabel }: RegistrationInput,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  // A flagged passkey counts: otherwise the holder of a copied key could get it flagged and register their own.
  if ((await findOwn(deps, scope))?.released === false) throw passkeyExists()
  const text = registrationText(scope)
  const challenge = await issueChallenge(deps, scope, { ceremony: 'registration', embedded, text, signCount: 0n })
  return creationOptions(deps, { challenge, userId: userHandle(scope), userLabel })
}

/** Verifies and stores the customer's passkey. Of registrations at the same time, one is stored. */
export async function register(
  deps: PasskeyDeps,
  scope: CeremonyScope,
  response: unknown,
  admit: Admission,
): Promise<{ passkeyId: string }> {
  const { json, clientData: bytes } = parseRegistration(response)
  const { challenge } = await claimChallenge(deps, scope, 'registration', parseClientData(bytes))
  const credential = await verifyRegistration(deps, challenge, json)
  await storePasskey(deps, scope, credential, admit)
  return { passkeyId: credential.id }
}

async function storePasskey(
  deps: PasskeyDeps,
  scope: CeremonyScope,
  credential: NewCredential,
  admit: Admission,
): Promise<void> {
  const silent = 'A passkey approves nothing by itself; what is approved with it is an event.'
  const { merchantId, customerId } = scope
  const seal = deps.seals.seal(sealedPasskey(scope, credential))
  try {
    const stored = await command(deps, { name: 'passkeys.register', silent }, async ({ tx, at }) => {
      if ((await lockCustomer(tx, { merchantId, customerId })) === undefined) throw notFound()
      const admitted = await admit({ tx, at }, credential.id)
      if (admitted === null) return rollback
      return (await insertOnlyPasskey(tx, { ...credential, merchantId, customerId, seal, ...admitted, at })) ?? rollback
    })
    if (stored === null) throw passkeyExists()
  } catch (error) {
    if (violates(error, PASSKEY_ID_CONSTRAINT)) throw passkeyInUse({ cause: error })
    throw error
  }
}
