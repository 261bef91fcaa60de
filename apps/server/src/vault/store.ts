import { count, type Queryable, row, statement } from '../db/statement.ts'
import type { Tx } from '../db/transaction.ts'
import type { SealedField } from './envelope.ts'
import type { EnteredCard } from './rules.ts'

/** What is known of a stored number without opening it. */
export interface VaultRecord {
  readonly id: string
  readonly fingerprint: Buffer
  readonly last4: string
  readonly brand: string | null
  readonly expMonth: number
  readonly expYear: number
}

/** A card ready to be stored: its number sealed for the record it will become. */
export interface SealedCard extends Omit<EnteredCard, 'number'> {
  /** Of the record it will become: the number opens under this id only. */
  readonly id: string
  readonly fingerprint: Buffer
  readonly number: SealedField
}

const INSERT = statement(
  'vault.insert_record',
  `insert into vault_records
     (merchant_id, id, number_sealed, number_key_id, fingerprint, last4, brand, exp_month, exp_year, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
)

/** Stores a sealed card under the record id it was sealed for. */
export async function insertRecord(tx: Tx, merchantId: string, card: SealedCard, at: Date): Promise<void> {
  const { id, number, fingerprint, last4, brand, expMonth, expYear } = card
  const shown = [fingerprint, last4, brand, expMonth, expYear]
  await count(tx, INSERT, [merchantId, id, number.sealed, number.keyId, ...shown, at])
}

const UPDATE_EXPIRY = statement(
  'vault.update_expiry',
  'update vault_records set exp_month = $3, exp_year = $4 where merchant_id = $1 and id = $2',
)

/** The same number with another expiry; nothing of the number changes. False for no such record. */
export async function updateExpiry(
  tx: Tx,
  merchantId: string,
  recordId: string,
  expMonth: number,
  expYear: number,
): Promise<boolean> {
  return (await count(tx, UPDATE_EXPIRY, [merchantId, recordId, expMonth, expYear])) > 0
}

const FIND = statement<VaultRecord>(
  'vault.find_record',
  `select id, fingerprint, last4, brand, exp_month as "expMonth", exp_year as "expYear"
   from vault_records where merchant_id = $1 and id = $2`,
)

/** The record's metadata; never the number, sealed or not. */
export async function findRecord(
  on: Queryable,
  merchantId: string,
  recordId: string,
): Promise<VaultRecord | undefined> {
  return row(on, FIND, [merchantId, recordId])
}

interface SealedNumber extends SealedField {
  readonly expMonth: number
  readonly expYear: number
}

const FIND_NUMBER = statement<SealedNumber>(
  'vault.find_number',
  `select number_sealed as sealed, number_key_id as "keyId", exp_month as "expMonth", exp_year as "expYear"
   from vault_records where merchant_id = $1 and id = $2`,
)

/** The sealed number, for the one use case that opens it. */
export async function findNumber(
  on: Queryable,
  merchantId: string,
  recordId: string,
): Promise<SealedNumber | undefined> {
  return row(on, FIND_NUMBER, [merchantId, recordId])
}

const DELETE = statement('vault.delete_record', 'delete from vault_records where merchant_id = $1 and id = $2')

/** Removes the record, wrapped data key included. A card or session that still names it makes the database refuse. */
export async function deleteRecord(tx: Tx, merchantId: string, recordId: string): Promise<boolean> {
  return (await count(tx, DELETE, [merchantId, recordId])) > 0
}
