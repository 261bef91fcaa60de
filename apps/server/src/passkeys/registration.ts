import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server'
import { transaction } from '../db/transaction.ts'
import { notFound } from '../platform/errors.ts'
import { type CeremonyScope, claimChallenge, issueChallenge, listCredentials, type PasskeyDeps } from './ceremony.ts'
import { parseClientData } from './client-data.ts'
import { passkeyExists, passkeyInUse } from './errors.ts'
import { userHandle } from './rules.ts'
import { insertOnlyPasskey, lockOwnerRow, type NewPasskey, PASSKEY_ID_CONSTRAINT } from './store.ts'
import { creationOptions, verifyRegistration } from './webauthn.ts'
import { parseRegistration } from './wire.ts'

export interface RegistrationInput {
  readonly embedded: boolean
  /** What passkey managers show the cardholder. */
  readonly userLabel: string
}

export async function registrationOptions(
  deps: PasskeyDeps,
  scope: CeremonyScope,
  { embedded, userLabel }: RegistrationInput,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  // A flagged passkey counts: else whoever holds a copy of a key could get it flagged and register one of his own.
  const { all } = await listCredentials(deps, scope)
  if (all.length > 0) throw passkeyExists()
  const challenge = await issueChallenge(deps, scope, { ceremony: 'registration', embedded })
  return creationOptions(deps, { challenge, userId: userHandle(scope), userLabel })
}

export async function register(
  deps: PasskeyDeps,
  scope: CeremonyScope,
  response: unknown,
): Promise<{ passkeyId: string }> {
  const { json, clientData: bytes } = parseRegistration(response)
  const { challenge } = await claimChallenge(deps, scope, 'registration', parseClientData(bytes))
  const credential = await verifyRegistration(deps, challenge, json)
  await storePasskey(deps, scope, { ...credential, at: deps.clock.now() })
  return { passkeyId: credential.id }
}

async function storePasskey(deps: PasskeyDeps, scope: CeremonyScope, passkey: NewPasskey): Promise<void> {
  try {
    await transaction(deps.pool, async (tx) => {
      if ((await lockOwnerRow(tx, scope)) === undefined) throw notFound()
      if ((await insertOnlyPasskey(tx, scope, passkey)) === undefined) throw passkeyExists()
    })
  } catch (error) {
    if (violates(error, PASSKEY_ID_CONSTRAINT)) throw passkeyInUse({ cause: error })
    throw error
  }
}

function violates(error: unknown, constraint: string): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === constraint
}
