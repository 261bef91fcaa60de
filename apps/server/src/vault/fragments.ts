import { bytes, int, nullable, objectOf, text, uuid } from '../db/row.ts'

// Parts of statements that must be one with something else.

export const RECORD = {
  id: uuid,
  fingerprint: bytes,
  last4: text,
  brand: nullable(text),
  expMonth: int,
  expYear: int,
}

/** A subquery: what is known, without opening it, of the record that the merchant preselected for `sessions s`; an object. */
export const PRESELECTED_RECORD = `select ${objectOf(RECORD, 'vault_records')} from vault_records
     where merchant_id = $merchantId and id = s.preselected_vault_record_id`
