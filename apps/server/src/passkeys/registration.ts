import { randomBytes } from 'node:crypto'
import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { type CaptureContext, singleTogether } from '../db/command.ts'
import { violates } from '../db/errors.ts'
import type { SilentReason } from '../db/silent.ts'
import type { Queryable } from '../db/statement.ts'
import {
  type Answer,
  type CeremonyOwner,
  type CeremonyScope,
  type ChallengeRow,
  checkClaimed,
  newChallenge,
  originOf,
  type PasskeyDeps,
  sealedPasskey,
} from './ceremony.ts'
import { registrationText } from './challenge.ts'
import { insertChallenge } from './challenge-store.ts'
import { parseClientData } from './client-data.ts'
import { passkeyExists, passkeyInUse } from './errors.ts'
import type { ClaimedChallenge, Passkey } from './fragments.ts'
import { SALT_BYTES, userHandle } from './rules.ts'
import { ONE_PASSKEY_CONSTRAINT, PASSKEY_ID_CONSTRAINT } from './store.ts'
import { creationOptions, type NewCredential, verifyRegistration } from './webauthn.ts'
import { parseRegistration } from './wire.ts'

/** The challenge of a registration, for the statement that looks whether there may be one. */
export function registrationChallenge(
  deps: PasskeyDeps,
  owner: CeremonyOwner,
  embedded: boolean,
  at: Date,
): ChallengeRow {
  const text = registrationText(owner)
  return newChallenge(deps, owner, { ceremony: 'registration', embedded, text, signCount: 0n }, at)
}

/** The same, issued by itself: returns the challenge. */
export async function issueRegistration(
  deps: PasskeyDeps,
  on: Queryable,
  owner: CeremonyOwner,
  at: Date,
): Promise<string> {
  const row = registrationChallenge(deps, owner, false, at)
  await insertChallenge(on, row)
  return row.challenge
}

/** `INVALID_STATE` when there is a passkey already, unless it was released to be replaced. */
export async function registrationOptions(
  deps: PasskeyDeps,
  owner: CeremonyOwner,
  passkey: Pick<Passkey, 'released'> | null,
  // What passkey managers show the cardholder is the label.
  { challenge, ...shown }: { challenge: string; userLabel: string; discoverable?: boolean },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  // A flagged passkey counts: otherwise the holder of a copied key could get it flagged and register their own.
  if (passkey?.released === false) throw passkeyExists()
  const userId = userHandle(owner, randomBytes(SALT_BYTES))
  return creationOptions(deps, { challenge, userId, ...shown })
}

/** `VAL_2001` for an answer of another shape. */
export function readRegistration(_deps: PasskeyDeps, response: unknown): RegistrationAnswer {
  const { json, clientData: bytes } = parseRegistration(response)
  return { json, bytes, clientData: parseClientData(bytes) }
}

export type RegistrationAnswer = Answer<RegistrationResponseJSON>

/** A passkey as it is stored. */
export type NewPasskey = Omit<NewCredential, 'id'> & {
  merchantId: string
  customerId: string
  passkeyId: string
  seal: Buffer
}

/**
 * Stores a passkey, if its subject has shown enough for it. None: it has not, or there is a passkey that may not be replaced. There is no
 * default: a link alone never registers a passkey. What is sent with it without a wait in between is of the same transaction.
 */
export type StorePasskey = (
  change: { on: Queryable; at: Date },
  passkey: NewPasskey,
) => Promise<{ replaces: string | null } | undefined>

/** What stores it, and why no event is captured with what it writes. */
export interface PasskeyWrite {
  silent: SilentReason
  store: StorePasskey
}

/** Verifies and stores the customer's passkey. Where several registrations come at once, one is stored. */
export async function register(
  deps: PasskeyDeps,
  scope: CeremonyScope,
  { json, clientData }: RegistrationAnswer,
  claimed: ClaimedChallenge | null,
  write: PasskeyWrite,
): Promise<Passkey> {
  const { challenge } = checkClaimed(deps, scope, 'registration', clientData, claimed)
  const credential = await verifyRegistration(deps, { challenge, origin: originOf(deps, scope.subject) }, json)
  const seal = deps.seals.seal(sealedPasskey(scope, credential))
  const stored = await storeOnce(deps, scope, { ...credential, seal }, write)
  return {
    ...{ ...credential, signCount: BigInt(credential.signCount), seal, flaggedAt: null },
    ...{ ...stored, released: false },
  }
}

async function storeOnce(
  deps: PasskeyDeps,
  { merchantId, customerId }: CeremonyScope,
  { id: passkeyId, ...credential }: NewCredential & { seal: Buffer },
  { silent, store }: PasskeyWrite,
): Promise<{ replaces: string | null; createdAt: Date }> {
  try {
    const write = async ({ on, at }: CaptureContext) => {
      const stored = await store({ on, at }, { ...credential, merchantId, customerId, passkeyId })
      if (stored === undefined) throw passkeyExists()
      return { replaces: stored.replaces, createdAt: at }
    }
    const [made] = await singleTogether(deps, { name: 'passkeys.register', silent }, write, async () => undefined)
    return made
  } catch (error) {
    if (violates(error, PASSKEY_ID_CONSTRAINT)) throw passkeyInUse({ cause: error })
    if (violates(error, ONE_PASSKEY_CONSTRAINT)) throw passkeyExists({ cause: error })
    throw error
  }
}
