import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { Queryable } from '../db/statement.ts'
import type { Tx } from '../db/transaction.ts'
import type { CardNetwork, MintedCredential, NetworkAnswer, ProvisionResult } from '../network/port.ts'
import { notFound } from '../platform/errors.ts'
import type { KeyProvider } from '../platform/key-provider.ts'
import { type Secret, secret } from '../platform/secret.ts'
import { open, type SealedField, type SealPlace, seal } from './envelope.ts'
import { fingerprintOf } from './fingerprint.ts'
import { type CardInput, type EnteredCard, parseCard, parseCvv } from './rules.ts'
import type { SealedCard, VaultRecord } from './store.ts'
import * as store from './store.ts'

export { SealBroken, type SealedField, type SealPlace } from './envelope.ts'
export type { CardInput, EnteredCard } from './rules.ts'
export type { SealedCard, VaultRecord } from './store.ts'

export interface VaultDependencies {
  readonly keys: KeyProvider
  readonly fingerprintKey: Secret<Buffer>
  readonly network: Pick<CardNetwork, 'provision'>
  readonly pool: Pool
}

/** A minted credential as the merchant receives it, in plain text. It goes into the response and nowhere else. */
export interface WireCredential {
  readonly token: string
  readonly dynamic_cvv: string
  readonly expiry_month: string
  readonly expiry_year: string
}

export interface ProvisionRecord {
  readonly merchantId: string
  readonly recordId: string
  /** The network's idempotency key. */
  readonly cardId: string
  readonly cvv: Secret
}

/**
 * The only part of the program in which a card number exists in the clear, together with the network call it makes.
 * Sealing and opening ask the key provider, which may be far away: they run before or after a transaction, never in it.
 */
export interface Vault {
  /** Throws `VAL_2001` naming every failing field by its wire name. */
  parseCard(input: CardInput, now: Date): EnteredCard
  /** Throws `VAL_2001` for `cvv`. Without a brand three and four digits pass. */
  parseCvv(cvv: string, brand: string | null): Secret
  /** Equal for equal numbers of one merchant, unrelated across merchants. */
  fingerprint(merchantId: string, number: Secret): Buffer
  /** Seals the number for a new record; the caller then inserts it, or updates the record with that fingerprint. */
  sealCard(merchantId: string, card: EnteredCard): Promise<SealedCard>
  insertRecord(tx: Tx, merchantId: string, card: SealedCard, at: Date): Promise<void>
  /** The same number entered again with another expiry. False for no such record. */
  updateExpiry(tx: Tx, merchantId: string, recordId: string, expMonth: number, expYear: number): Promise<boolean>
  findRecord(on: Queryable, merchantId: string, recordId: string): Promise<VaultRecord | undefined>
  /** The one decryption of a card number: opens it, asks the network, forgets it. `NOT_FOUND` for no such record. */
  provision(request: ProvisionRecord): Promise<NetworkAnswer<ProvisionResult>>
  /** Destroys the number for good. No card or session may name the record any more. */
  deleteRecord(tx: Tx, merchantId: string, recordId: string): Promise<boolean>
  sealCredential(merchantId: string, chargeId: string, credential: MintedCredential): Promise<SealedField>
  /** The only place where a stored credential becomes plain. Throws `SealBroken` for anything but what was sealed. */
  openCredential(merchantId: string, chargeId: string, field: SealedField): Promise<WireCredential>
  /** For secrets of other features that must be readable again, such as a webhook secret. */
  sealText(place: SealPlace, text: Secret): Promise<SealedField>
  openText(place: SealPlace, field: SealedField): Promise<Secret>
}

/** Builds the vault on its key provider and network. */
export function createVault(deps: VaultDependencies): Vault {
  const { keys, fingerprintKey } = deps
  return Object.freeze<Vault>({
    parseCard,
    parseCvv,
    fingerprint: (merchantId, number) => fingerprintOf(fingerprintKey, merchantId, number),
    sealCard: (merchantId, card) => sealCard(deps, merchantId, card),
    insertRecord: store.insertRecord,
    updateExpiry: store.updateExpiry,
    findRecord: store.findRecord,
    provision: (request) => provision(deps, request),
    deleteRecord: store.deleteRecord,
    sealCredential: (merchantId, chargeId, credential) =>
      sealString(keys, credentialPlace(merchantId, chargeId), JSON.stringify(wireCredential(credential))),
    openCredential: async (merchantId, chargeId, field) =>
      JSON.parse(await openString(keys, credentialPlace(merchantId, chargeId), field)),
    sealText: (place, text) => sealString(keys, place, text.reveal()),
    openText: async (place, field) => secret(await openString(keys, place, field)),
  })
}

async function sealCard(deps: VaultDependencies, merchantId: string, card: EnteredCard): Promise<SealedCard> {
  const { number, ...shown } = card
  const id = randomUUID()
  return {
    ...shown,
    id,
    fingerprint: fingerprintOf(deps.fingerprintKey, merchantId, number),
    number: await sealString(deps.keys, numberPlace(merchantId, id), number.reveal()),
  }
}

async function provision(deps: VaultDependencies, request: ProvisionRecord): Promise<NetworkAnswer<ProvisionResult>> {
  const { merchantId, recordId, cardId, cvv } = request
  const found = await store.findNumber(deps.pool, merchantId, recordId)
  if (found === undefined) throw notFound()
  const cardNumber = secret(await openString(deps.keys, numberPlace(merchantId, recordId), found))
  const { expMonth: expiryMonth, expYear: expiryYear } = found
  try {
    return await deps.network.provision({ cardId, cardNumber, expiryMonth, expiryYear, cvv })
  } catch {
    // Adapters answer `unknown` instead of throwing. One that throws after all may quote its request, number included,
    // so the error ends here: neither its text nor its stack goes any further.
    return { outcome: 'unknown', cause: 'The network adapter failed.' }
  }
}

function numberPlace(merchantId: string, recordId: string): SealPlace {
  return { table: 'vault_records', merchantId, id: recordId, field: 'number' }
}

function credentialPlace(merchantId: string, chargeId: string): SealPlace {
  return { table: 'charges', merchantId, id: chargeId, field: 'credential' }
}

function wireCredential(credential: MintedCredential): WireCredential {
  return {
    token: credential.token.reveal(),
    dynamic_cvv: credential.dynamicCvv.reveal(),
    expiry_month: credential.expiryMonth,
    expiry_year: credential.expiryYear,
  }
}

// The bytes are zeroed as soon as they are used. The strings beside them cannot be: they last until the collector comes,
// which is why they stay in this folder and the network adapter.

async function sealString(keys: KeyProvider, place: SealPlace, text: string): Promise<SealedField> {
  const plain = Buffer.from(text, 'utf8')
  try {
    return await seal(keys, place, plain)
  } finally {
    plain.fill(0)
  }
}

async function openString(keys: KeyProvider, place: SealPlace, field: SealedField): Promise<string> {
  const plain = await open(keys, place, field)
  try {
    return plain.toString('utf8')
  } finally {
    plain.fill(0)
  }
}
