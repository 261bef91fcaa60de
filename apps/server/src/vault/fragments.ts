import { int, nullable, text, uuid } from '../db/row.ts'

// Parts of statements that must be one with something else.

export const RECORD = {
  id: uuid,
  last4: text,
  brand: nullable(text),
  expMonth: int,
  expYear: int,
}

/** CTE `record`: stores the number of an entry, under the id it was sealed for, if its `card` is new. */
export const INSERT_RECORD_OF_CARD = `record as (
     insert into vault_records (merchant_id, id, number_sealed, number_key_id, last4, brand, exp_month, exp_year, added_by,
       created_at)
     select $merchantId, $vaultRecordId, $numberSealed, $numberKeyId, $last4, $brand, $expMonth, $expYear, 'cardholder', $at
     from card where card.is_new
   )` as const

/** An UPDATE: the record of `card` has the expiry that the card was accepted with. Nothing of the number changes. */
export const RENEW_RECORD_OF_CARD = `update vault_records set exp_month = $expMonth, exp_year = $expYear
   where merchant_id = $merchantId and id = (select vault_record_id from card)
     and (exp_month <> $expMonth or exp_year <> $expYear)` as const

/**
 * CTE `shredded`: destroys the record of the card in `ended`, wrapped data key included. No other row names one that a cardholder has made
 * by an entry: sessions name those of the merchant alone, which are the merchant's to delete.
 */
export const DELETE_RECORD_OF_CARD = `shredded as (
     delete from vault_records
     where merchant_id = $merchantId and id = (select vault_record_id from ended) and added_by = 'cardholder'
   )` as const
