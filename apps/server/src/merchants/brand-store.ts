import type { SurfaceBrand } from '@mintmark/contract/wire/surface'
import { bytes, json, nullable } from '../db/row.ts'
import { one } from '../db/statement.ts'

/** What is null in the changes goes; what they do not name stays. None: no such account. */
export const updateBrand = one(
  'merchants.update_brand',
  `update merchants set
     brand = nullif(jsonb_strip_nulls(coalesce(brand, '{}') || $changes::jsonb), '{}'),
     brand_logo = case when $changesLogo::boolean then $logo::bytea else brand_logo end
   where id = $merchantId returning brand`,
  { brand: nullable(json<SurfaceBrand>()) },
)

export const findLogo = one(
  'merchants.find_logo',
  `select brand_logo as logo from merchants where id = $merchantId and brand ->> 'logo_url' = $logoUrl`,
  { logo: nullable(bytes) },
)
