import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { BIN_DIGITS } from '../bins/service.ts'
import type { CustomerRef } from '../customers/ref.ts'
import type { Queryable } from '../db/statement.ts'
import { autocommit } from '../db/transaction.ts'
import type {
  CardNetwork,
  DeclineReason,
  MintedCredential,
  NetworkAnswer,
  ProvisionResult,
  StepUp,
} from '../network/port.ts'
import { bound } from '../platform/bound.ts'
import { notFound } from '../platform/errors.ts'
import type { KeyProvider } from '../platform/key-provider.ts'
import { type Secret, secret } from '../platform/secret.ts'
import { type CellRef, type SealedField, seal, unseal } from './envelope.ts'
import { fingerprintOf } from './fingerprint.ts'
import { MAX_COUNTED, type SealedPlace } from './rewrap.ts'
import type { EnteredCard } from './rules.ts'
import type { SealedCard } from './store.ts'
import * as store from './store.ts'

export { type CellRef, SealBroken, type SealedField } from './envelope.ts'
export {
  MAX_COUNTED,
  type RewrapCount,
  type RowPlace,
  rewrapPlace,
  type SealedPlace,
  type SealedRow,
} from './rewrap.ts'
export { type CardInput, type EnteredCard, parseCard, parseCvv } from './rules.ts'
export type { SealedCard, VaultRecord } from './store.ts'
export { findRecord } from './store.ts'

export interface VaultDeps {
  keys: KeyProvider
  fingerprintKey: Secret<Buffer>
  network: Pick<CardNetwork, 'provision' | 'verifyCard'>
  pool: Pool
}

/**
 * The only part of the program in which a card number exists in the clear, together with the network call it makes.
 * Sealing and opening ask the key provider, which may be far away: they run before or after a transaction, never in it.
 */
export const createVault = (deps: VaultDeps) =>
  bound(deps, {
    sealCard,
    fingerprint,
    openCard,
    insertRecord,
    provision,
    verifyCard,
    sealCredential,
    unsealCredential,
    sealShopToken,
    unsealShopToken,
    sealText,
    unsealText,
    sealedNumbers,
  })
export type Vault = ReturnType<typeof createVault>

/** Seals the number for a new record; what points to the record inserts it, in one statement. */
export async function sealCard({ keys }: VaultDeps, merchantId: string, card: EnteredCard): Promise<SealedCard> {
  const { number, ...shown } = card
  const id = randomUUID()
  return { ...shown, id, number: await sealString(keys, numberCell(merchantId, id), number.reveal()) }
}

/** By which a customer's card is known again. */
export function fingerprint({ fingerprintKey }: VaultDeps, customer: CustomerRef, { number }: EnteredCard): Buffer {
  return fingerprintOf(fingerprintKey, customer, number)
}

/** The card in a record, as if it had been typed; undefined: there is no such record. */
export async function openCard(
  deps: VaultDeps,
  merchantId: string,
  recordId: string,
): Promise<EnteredCard | undefined> {
  const found = await store.findNumber(deps.pool, { merchantId, recordId })
  if (found === undefined) return undefined
  const { numberSealed: sealed, numberKeyId: keyId, last4, brand, expMonth, expYear } = found
  const number = secret(await unsealString(deps.keys, numberCell(merchantId, recordId), { sealed, keyId }))
  return { number, last4, brand, expMonth, expYear }
}

/** Stores what a merchant puts in the vault. Undefined: the merchant is not active, and nothing is stored. */
export async function insertRecord(
  _deps: VaultDeps,
  on: Queryable,
  merchantId: string,
  { number, ...record }: SealedCard,
  at: Date,
): Promise<{ id: string } | undefined> {
  const sealed = { numberSealed: number.sealed, numberKeyId: number.keyId }
  return store.insertRecord(on, { merchantId, ...record, ...sealed, at })
}

export interface ProvisionRecord {
  merchantId: string
  recordId: string
  /** One entry of the cardholder: the network's idempotency key. */
  entryId: string
  /** Null: the cardholder is not there. */
  cvv: Secret | null
  stepUp: StepUp
  /** The network's name of the card: ours, and which enrollment of it. */
  networkCardId: string
  /** What was typed now. Absent: number and expiry are those of the record. */
  entered?: Pick<EnteredCard, 'number' | 'expMonth' | 'expYear'>
  /** Why a card whose number begins so is not accepted here; null: it is. It is asked before the network. */
  judge(bin: string): Promise<DeclineReason | null>
}

/** Asks the network to accept a card. `NOT_FOUND` when the record is needed and is not there. */
export async function provision(deps: VaultDeps, request: ProvisionRecord): Promise<NetworkAnswer<ProvisionResult>> {
  const { networkCardId: cardId, entryId, cvv, stepUp } = request
  const { number: cardNumber, expMonth, expYear } = request.entered ?? (await getCard(deps, request))
  const reason = await request.judge(cardNumber.reveal().slice(0, BIN_DIGITS))
  if (reason !== null) return { outcome: 'declined', reason }
  const expiry = { expiryMonth: expMonth, expiryYear: expYear }
  try {
    return await deps.network.provision({ cardId, entryId, cardNumber, ...expiry, cvv, stepUp })
  } catch {
    // Adapters return `unknown` instead of throwing. One that throws after all may quote its request, number included,
    // so the error ends here: neither its text nor its stack goes any further.
    return { outcome: 'unknown', cause: 'The network adapter failed.' }
  }
}

async function getCard(deps: VaultDeps, { merchantId, recordId }: ProvisionRecord): Promise<EnteredCard> {
  const card = await openCard(deps, merchantId, recordId)
  if (card === undefined) throw notFound()
  return card
}

/** Asks the network whether a card is good, without enrolling it. As `provision`, it never throws what an adapter throws. */
export async function verifyCard(
  { network }: VaultDeps,
  card: EnteredCard,
  cvv: Secret,
): Promise<NetworkAnswer<object>> {
  const { number: cardNumber, expMonth: expiryMonth, expYear: expiryYear } = card
  try {
    return await network.verifyCard({ cardNumber, expiryMonth, expiryYear, cvv })
  } catch {
    return { outcome: 'unknown', cause: 'The network adapter failed.' }
  }
}

/** A minted credential as the merchant receives it, in plain text. It goes into the response and nowhere else. */
export interface WireCredential {
  token: string
  dynamic_cvv: string
  expiry_month: string
  expiry_year: string
}

export async function sealCredential(
  { keys }: VaultDeps,
  merchantId: string,
  chargeId: string,
  credential: MintedCredential,
): Promise<SealedField> {
  return sealString(keys, credentialCell(merchantId, chargeId), JSON.stringify(wireCredential(credential)))
}

/** A shop's token for a minted card, as its agent receives it: in place of the card, which this service no longer has. */
export interface WireShopToken {
  shop_token: string
  handler_id: string
}

/** Where the credential of the charge would be, so that it ends as one does: whatever erases the one erases the other. */
export async function sealShopToken(
  { keys }: VaultDeps,
  merchantId: string,
  chargeId: string,
  { token, handlerId }: { token: Secret; handlerId: string },
): Promise<SealedField> {
  const wire: WireShopToken = { shop_token: token.reveal(), handler_id: handlerId }
  return sealString(keys, credentialCell(merchantId, chargeId), JSON.stringify(wire))
}

/** Throws for anything but such a token. */
export async function unsealShopToken(
  { keys }: VaultDeps,
  merchantId: string,
  chargeId: string,
  field: SealedField,
): Promise<WireShopToken> {
  const { shop_token, handler_id, ...others } = JSON.parse(
    await unsealString(keys, credentialCell(merchantId, chargeId), field),
  )
  if (Object.keys(others).length > 0) throw new Error(`The charge ${chargeId} has a card where a token should be.`)
  return { shop_token, handler_id }
}

/** The only place where a stored credential becomes plain. Throws `SealBroken` for anything but what was sealed. */
export async function unsealCredential(
  { keys }: VaultDeps,
  merchantId: string,
  chargeId: string,
  field: SealedField,
): Promise<WireCredential> {
  const credential = JSON.parse(await unsealString(keys, credentialCell(merchantId, chargeId), field))
  if ('shop_token' in credential) throw new Error(`The charge ${chargeId} has a token where a card should be.`)
  return credential
}

/** For secrets of other features that must be readable again, such as a webhook secret. */
export async function sealText({ keys }: VaultDeps, cell: CellRef, text: Secret): Promise<SealedField> {
  return sealString(keys, cell, text.reveal())
}

export async function unsealText({ keys }: VaultDeps, cell: CellRef, field: SealedField): Promise<Secret> {
  return secret(await unsealString(keys, cell, field))
}

/** Where the card numbers are, for the rotation of keys. */
export function sealedNumbers(deps: Pick<VaultDeps, 'pool'>): SealedPlace {
  return {
    name: 'vault_records.number',
    count: (keyId) => store.countNumbersUnderKey(deps.pool, { keyId, limit: MAX_COUNTED }).then(countOf),
    list: (keyId, after, limit) =>
      store.listNumbersUnderKey(deps.pool, {
        keyId,
        ...(after === null ? FIRST_RECORD : { afterMerchantId: after.merchantId, afterId: after.id }),
        limit,
      }),
    cellOf: ({ merchantId, id }) => numberCell(merchantId, id),
    update: ({ merchantId, id, sealed: before }, { sealed, keyId }) =>
      autocommit(deps.pool, (on) => store.updateNumberWrap(on, { merchantId, recordId: id, before, sealed, keyId })),
  }
}

/** What a statement counted. */
export const countOf = (row: { count: number } | undefined): number => row?.count ?? 0

const FIRST_RECORD = { afterMerchantId: '', afterId: '00000000-0000-0000-0000-000000000000' }

/** Where a minted credential belongs. */
export function credentialCell(merchantId: string, chargeId: string): CellRef {
  return { table: 'charges', merchantId, id: chargeId, field: 'credential' }
}

function numberCell(merchantId: string, recordId: string): CellRef {
  return { table: 'vault_records', merchantId, id: recordId, field: 'number' }
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

async function sealString(keys: KeyProvider, cell: CellRef, text: string): Promise<SealedField> {
  const plain = Buffer.from(text, 'utf8')
  try {
    return await seal(keys, cell, plain)
  } finally {
    plain.fill(0)
  }
}

async function unsealString(keys: KeyProvider, cell: CellRef, field: SealedField): Promise<string> {
  const plain = await unseal(keys, cell, field)
  try {
    return plain.toString('utf8')
  } finally {
    plain.fill(0)
  }
}
