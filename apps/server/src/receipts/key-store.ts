import type { ReceiptKey } from '@mintmark/contract/wire/receipts'
import { bytes, int, json, nullable, text, time } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'
import { type SealedRow, sealOver } from '../platform/row-seals.ts'

const PUBLIC = { id: text, jwk: json<ReceiptKey>(), seal: bytes, retiredAt: nullable(time) }

const sealed = sealOver<ReceiptKey>('receipt_keys', ({ kty, crv, x, y }) => [kty, crv, x, y])

/** A key of the operator's: an editor of the database publishes no key of theirs as one. */
export const sealedReceiptKey = ({ merchantId, jwk }: { merchantId: string; jwk: ReceiptKey }): SealedRow =>
  sealed({ ...jwk, merchantId, id: jwk.kid })

/** All keys that have signed, the one that signs now first. */
export const listKeys = many(
  'receipts.list_keys',
  `select id, jwk, seal, retired_at from receipt_keys
   where merchant_id = $merchantId order by retired_at desc nulls first, id`,
  PUBLIC,
)

/** The key that signs. None: none was made yet. */
export const findCurrentKey = one(
  'receipts.find_current_key',
  `select id, jwk, seal, private_sealed as sealed, private_key_id as key_id from receipt_keys
   where merchant_id = $merchantId and retired_at is null`,
  { id: text, jwk: json<ReceiptKey>(), seal: bytes, sealed: bytes, keyId: text },
)

/** None: another process has made one. */
export const insertKey = one(
  'receipts.insert_key',
  `insert into receipt_keys (merchant_id, id, jwk, private_sealed, private_key_id, seal, created_at)
   values ($merchantId, $id, $jwk::jsonb, $sealed, $keyId, $seal, $at)
   on conflict do nothing returning id`,
  { id: text },
)

/** A key that is retired signs nothing more: its private part is gone. */
export const retireKey = execute(
  'receipts.retire_key',
  `update receipt_keys set retired_at = $at, private_sealed = null, private_key_id = null
   where merchant_id = $merchantId and id = $id and retired_at is null`,
)

/** Whether a key may sign what is written now: it stays so until the transaction ends. */
export const lockCurrentKey = one(
  'receipts.lock_current_key',
  `select id from receipt_keys where merchant_id = $merchantId and id = $id and retired_at is null for key share`,
  { id: text },
)

/** For the rotation of keys. Operator's statement. */
export const listUnderKey = many(
  'receipts.list_under_key',
  `select merchant_id, id, private_sealed as sealed, private_key_id as key_id from receipt_keys
   where private_key_id = $keyId and (merchant_id, id) > ($afterMerchantId, $afterId)
   order by private_key_id, merchant_id, id limit $limit`,
  { merchantId: text, id: text, sealed: bytes, keyId: text },
)

/** How many one key wraps, at most `limit`. Operator's statement. */
export const countUnderKey = one(
  'receipts.count_under_key',
  'select count(*)::int as count from (select 1 from receipt_keys where private_key_id = $keyId limit $limit) counted',
  { count: int },
)

export const updateWrap = execute(
  'receipts.update_wrap',
  `update receipt_keys set private_sealed = $sealed, private_key_id = $keyId
   where merchant_id = $merchantId and id = $id and private_sealed = $before`,
)
