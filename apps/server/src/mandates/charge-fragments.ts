import { CHARGE_STATUSES, type ChargeStatus, REPORTED_OUTCOMES } from '@mintmark/contract'
import { bigint, nullable, oneOf, time } from '../db/row.ts'

// What a mandate shows of the charges against it, read with it in one moment.

/**
 * Joins the charge of a checkout to `mandates` that ended with a credential of which nobody said what became of it: its session was revoked
 * after the approval, so that it was given to nobody, or its time passed without a report.
 */
export const JOIN_ENDED_CHARGE = `left join lateral (
     select id from charges where merchant_id = $merchantId and id = mandates.charge_id
       and failure_code in ('SESSION_REVOKED', 'MANDATE_EXPIRED')
     offset 0) ended on true` as const

/** The newest charge of a mandate, in the row of the mandate. All null: there is none. */
export const LAST_CHARGE = {
  lastChargeStatus: nullable(oneOf(CHARGE_STATUSES)),
  lastChargeMinor: nullable(bigint),
  lastChargeReported: nullable(oneOf(REPORTED_OUTCOMES)),
  lastChargeAt: nullable(time),
}

/** The select list of `LAST_CHARGE`. */
export const LAST_CHARGE_COLUMNS = `last_charge.status as last_charge_status,
  last_charge.amount_minor as last_charge_minor, last_charge.reported_outcome as last_charge_reported,
  last_charge.updated_at as last_charge_at`

/**
 * The charges of `mandates`, newest first: the one of a checkout by its key, those of a standing mandate by the index on
 * (standing_mandate_id, created_at). Of the two parts one is always empty.
 */
const newest = <Most extends '1' | '$mostCharges'>(most: Most) =>
  `(select * from charges
       where charges.merchant_id = $merchantId and charges.id = mandates.charge_id)
     union all
     (select * from charges
       where charges.merchant_id = $merchantId and charges.standing_mandate_id = mandates.id
       order by charges.created_at desc, charges.id desc limit ${most})` as const

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

/** Joins the newest charges of `mandates` as one value, `listed_charges`; at most `$mostCharges`. */
export const JOIN_LISTED_CHARGES = `cross join lateral (
     select coalesce(jsonb_agg(jsonb_build_object('id', id, 'amount_minor', amount_minor::text, 'currency', currency,
       'status', status, 'reference', reference, 'created_at', created_at,
       'duplicate_of', duplicate_of) order by created_at desc, id desc), '[]') as listed_charges
     from (select id, amount_minor, currency, status, reference, created_at, duplicate_of
       from (${newest('$mostCharges')}) charges) newest) listed` as const
