import { CHARGE_STATUSES, type ChargeStatus, REPORTED_OUTCOMES } from '@mintmark/contract'
import { bigint, nullable, oneOf, time } from '../db/row.ts'

// What a mandate shows of the charges against it, read with it in one moment.

/** The newest charge of a mandate, in the row of the mandate. All null: there is none. */
export const LAST_CHARGE = {
  lastChargeStatus: nullable(oneOf(CHARGE_STATUSES)),
  lastChargeMinor: nullable(bigint),
  lastChargeReported: nullable(oneOf(REPORTED_OUTCOMES)),
  lastChargeAt: nullable(time),
}

/** The select list of `LAST_CHARGE`, from a charge that is joined, or from that of a purchase. */
export const lastCharge = <const Charge extends 'last_charge' | 'charges'>(charge: Charge) =>
  `${charge}.status as last_charge_status, coalesce(${charge}.counted_minor, ${charge}.amount_minor) as last_charge_minor,
  ${charge}.reported_outcome as last_charge_reported, ${charge}.updated_at as last_charge_at` as const

/** The charges of `mandates`, newest first, by the index on (standing_mandate_id, created_at). */
const newest = <Most extends '1' | '$mostCharges'>(most: Most) =>
  `select * from charges
       where charges.merchant_id = $merchantId and charges.standing_mandate_id = mandates.id
       order by charges.created_at desc, charges.id desc limit ${most}` as const

/** Joins the newest charge to `mandates`. */
export const JOIN_LAST_CHARGE = `left join lateral (${newest('1')}) last_charge on true` as const

/** A charge in the list of its mandate, as JSON has it: money and times are texts. */
export interface ListedCharge {
  id: string
  amount_minor: string
  currency: string
  status: ChargeStatus
  reference: string | null
  created_at: string
  /** What an agent's charge repeats of a moment before. */
  duplicate_of: string | null
}

const LISTED_CHARGE =
  `jsonb_build_object('id', charges.id, 'amount_minor', charges.amount_minor::text, 'currency', charges.currency,
       'status', charges.status, 'reference', charges.reference, 'created_at', charges.created_at,
       'duplicate_of', charges.duplicate_of)` as const

/** Joins the newest charges of `mandates` as one value, `listed_charges`; at most `$mostCharges`. */
export const JOIN_LISTED_CHARGES = `cross join lateral (
     select coalesce(jsonb_agg(${LISTED_CHARGE} order by charges.created_at desc, charges.id desc), '[]') as listed_charges
     from (${newest('$mostCharges')}) charges) listed` as const

/** A value: the one charge of the mandate of a purchase, from `charges`, as such a list. */
export const LISTED_PURCHASE = `jsonb_build_array(${LISTED_CHARGE})` as const
