import { COUNTRIES, SHOP_ADAPTERS, SHOP_STATUSES } from '@mintmark/contract'
import { bytes, columns, int, nullable, oneOf, type RowOf, text, time } from '../../db/row.ts'
import { execute, many, one } from '../../db/statement.ts'

// Shops are the operator's: few, read often, written by hand.

const SHOP = {
  id: text,
  name: text,
  url: text,
  country: oneOf(COUNTRIES),
  adapter: oneOf(SHOP_ADAPTERS),
  baseUrl: text,
  seal: bytes,
  keySealed: nullable(bytes),
  keyKeyId: nullable(text),
  status: oneOf(SHOP_STATUSES),
  createdAt: time,
  updatedAt: time,
}
export type ShopRow = RowOf<typeof SHOP>

export const listShops = many('shops.list', `select ${columns(SHOP)} from shops order by id`, SHOP)

export const findShop = one('shops.find', `select ${columns(SHOP)} from shops where id = $shopId`, SHOP)

export const insertShop = execute(
  'shops.insert',
  `insert into shops (id, name, url, country, adapter, base_url, seal, key_sealed, key_key_id, status, created_at, updated_at)
   values ($shopId, $name, $url, $country, $adapter, $baseUrl, $seal, $keySealed, $keyKeyId, 'active', $at, $at)`,
)

/**
 * What the seal covers is written as a whole, with its seal, if the row still has the one that it was made from: where two operators
 * change it at the same moment, neither seals over what the other did. The key is set, or removed, with `changesKey`.
 */
export const updateShop = one(
  'shops.update',
  `update shops set name = $name, url = $url, country = $country, base_url = $baseUrl, seal = $seal,
     status = coalesce($status, status),
     key_sealed = case when $changesKey::boolean then $keySealed::bytea else key_sealed end,
     key_key_id = case when $changesKey::boolean then $keyKeyId::text else key_key_id end, updated_at = $at
   where id = $shopId and seal = $sealBefore
   returning ${columns(SHOP)}`,
  SHOP,
)

/** The shop that the sandbox starts: made on the first start, and found at another address with another key on the next one. */
export const upsertShop = one(
  'shops.upsert',
  `insert into shops (id, name, url, country, adapter, base_url, seal, key_sealed, key_key_id, status, created_at, updated_at)
   values ($shopId, $name, $url, $country, $adapter, $baseUrl, $seal, $keySealed, $keyKeyId, 'active', $at, $at)
   on conflict on constraint shops_pkey do update set name = excluded.name, url = excluded.url, country = excluded.country,
     adapter = excluded.adapter, base_url = excluded.base_url, seal = excluded.seal, key_sealed = excluded.key_sealed, key_key_id = excluded.key_key_id, updated_at = excluded.updated_at
   returning ${columns(SHOP)}`,
  SHOP,
)

/** Operator's statement: the keys of shops that one key wraps. */
export const listKeysUnderKey = many(
  'shops.list_keys_under_key',
  `select id, key_sealed as sealed, key_key_id as key_id from shops
   where key_key_id = $keyId and id > $after order by key_key_id, id limit $limit`,
  { id: text, sealed: bytes, keyId: text },
)

/** Operator's statement: how many they are, at most `limit`. */
export const countKeysUnderKey = one(
  'shops.count_keys_under_key',
  'select count(*)::int as count from (select 1 from shops where key_key_id = $keyId limit $limit) counted',
  { count: int },
)

/** The same key, wrapped by another one. None: it was wrapped anew or replaced meanwhile. */
export const updateKeyWrap = execute(
  'shops.update_key_wrap',
  'update shops set key_sealed = $sealed, key_key_id = $keyId where id = $shopId and key_sealed = $before',
)
