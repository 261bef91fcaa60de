import type { SealedRow } from '../../platform/row-seals.ts'
import type { ShopSettings } from './rules.ts'

/** A shop belongs to no merchant, and no merchant has this id: what is sealed here fits in no row of one. */
export const NO_MERCHANT = ''

/** What must not be edited of a shop: where credentials are sent, and for whom they are minted. */
export function sealedShop({ id, name, url, country, adapter, baseUrl }: ShopSettings & { id: string }): SealedRow {
  return { table: 'shops', merchantId: NO_MERCHANT, id, parts: [name, url, country, adapter, baseUrl] }
}
