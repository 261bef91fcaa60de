import { bytes, columns, int, type RowOf, text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import type { SealedField } from './envelope.ts'
import { RECORD } from './fragments.ts'
import type { EnteredCard } from './rules.ts'

/** What is known of a stored number without opening it. */
export type VaultRecord = RowOf<typeof RECORD>

/** A card ready to be stored: its number sealed for the record it will become. */
export interface SealedCard extends Omit<EnteredCard, 'number'> {
  /** Of the record it will become: the number opens under this id only. */
  id: string
  fingerprint: Buffer
  number: SealedField
}

/** The record's metadata; never the number, sealed or not. */
export const findRecord = one(
  'vault.find_record',
  `select ${columns(RECORD)} from vault_records where merchant_id = $merchantId and id = $recordId`,
  RECORD,
)

/** The sealed number, for the one use case that opens it. */
export const findNumber = one(
  'vault.find_number',
  `select number_sealed, number_key_id, exp_month, exp_year from vault_records
   where merchant_id = $merchantId and id = $recordId`,
  { numberSealed: bytes, numberKeyId: text, expMonth: int, expYear: int },
)
