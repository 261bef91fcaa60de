import { bytes, columns, int, type RowOf, text, uuid } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import type { SealedField } from './envelope.ts'
import { RECORD } from './fragments.ts'
import type { EnteredCard } from './rules.ts'

/** What is known of a stored number without opening it. */
export type VaultRecord = RowOf<typeof RECORD>

/** A card ready to be stored: its number sealed for the record it will become. */
export interface SealedCard extends Omit<EnteredCard, 'number'> {
  /** The id of the record it will become: the number opens under this id only. */
  id: string
  number: SealedField
}

/** What is known of a stored number. */
export const findRecord = one(
  'vault.find',
  `select ${columns(RECORD)} from vault_records where merchant_id = $merchantId and id = $recordId`,
  RECORD,
)

/** The sealed number with what is known of it, for the one use case that opens it. */
export const findNumber = one(
  'vault.find_number',
  `select number_sealed, number_key_id, ${columns(RECORD)} from vault_records
   where merchant_id = $merchantId and id = $recordId`,
  { numberSealed: bytes, numberKeyId: text, ...RECORD },
)

/** A number that a merchant puts in the vault, under the id it was sealed for. None: the merchant is not active. */
export const insertRecord = one(
  'vault.insert_record',
  `insert into vault_records (merchant_id, id, number_sealed, number_key_id, last4, brand, exp_month, exp_year, added_by,
     created_at)
   select $merchantId, $id, $numberSealed, $numberKeyId, $last4, $brand, $expMonth, $expYear, 'merchant', $at
   from merchants where id = $merchantId and status = 'active'
   returning id`,
  { id: uuid },
)

/** Operator's statement: numbers of all merchants that one key wraps, in a fixed order. */
export const listNumbersUnderKey = many(
  'vault.list_numbers_under_key',
  `select merchant_id, id, number_sealed as sealed, number_key_id as key_id from vault_records
   where number_key_id = $keyId and (merchant_id, id) > ($afterMerchantId, $afterId::uuid)
   order by number_key_id, merchant_id, id limit $limit`,
  { merchantId: text, id: uuid, sealed: bytes, keyId: text },
)

/** Operator's statement: how many numbers of all merchants one key wraps, at most `limit`. */
export const countNumbersUnderKey = one(
  'vault.count_numbers_under_key',
  `select count(*)::int as count from (select 1 from vault_records where number_key_id = $keyId limit $limit) counted`,
  { count: int },
)

/** The same number, wrapped by another key. None: the row is gone, or was wrapped anew meanwhile. */
export const updateNumberWrap = execute(
  'vault.update_number_wrap',
  `update vault_records set number_sealed = $sealed, number_key_id = $keyId
   where merchant_id = $merchantId and id = $recordId and number_sealed = $before`,
)
