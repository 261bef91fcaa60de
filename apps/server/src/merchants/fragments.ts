import { MERCHANT_STATUSES } from '@mintmark/contract'
import type { SurfaceBrand } from '@mintmark/contract/wire/surface'
import { bytes, json, nullable, oneOf, texts } from '../db/row.ts'

// Parts of statements that must be one with something else.

/** What a cardholder's page needs to know of the account. */
export const SHOWN_MERCHANT = {
  merchantStatus: oneOf(MERCHANT_STATUSES),
  allowedOrigins: texts,
  originsSeal: nullable(bytes),
  /** How its pages look; null: as the page does. */
  brand: nullable(json<SurfaceBrand>()),
}

/** The select list of `SHOWN_MERCHANT`, from `JOIN_SHOWN_MERCHANT`. */
export const SHOWN_MERCHANT_COLUMNS = 'm.status as merchant_status, m.allowed_origins, m.origins_seal, m.brand'

/** Joins the account of the caller as `m`. */
export const JOIN_SHOWN_MERCHANT = `join lateral (
     select status, allowed_origins, origins_seal, brand from merchants where id = $merchantId offset 0) m on true`

/**
 * CTE `allowance`: one session less may be created, if `condition` holds and any is left. No row: none is left, or any
 * number may be.
 */
export const takeAllowance = <const Condition extends string>(condition: Condition) =>
  `allowance as (
     update session_allowances set remaining = remaining - 1
     where merchant_id = $merchantId and remaining > 0 and ${condition}
     returning merchant_id
   )` as const
