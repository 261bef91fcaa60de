import { CHARGE_STATUSES, type ChargeStatus, REPORTED_OUTCOMES } from '@mintmark/contract'
import { bigint, nullable, oneOf, time } from '../db/row.ts'

// What a mandate shows of the charges against it, read with it in one moment.

/**
 * Joins to `mandates` the charge of a checkout that has ended, and no report says what became of its credential: its session was revoked
 * after the approval, so that no caller was given it, or its time passed.
 */
export const JOIN_ENDED_CHARGE = `left join lateral (
     select id, failure_code from charges where merchant_id = $merchantId and id = mandates.charge_id
       and failure_code in ('SESSION_REVOKED', 'MANDATE_EXPIRED')
     offset 0) ended on true` as const

/**
 * The charges of a mandate whose credential has not ended: it is being minted, or may be spent, or the network has still to hear its report.
 * `is_moving`: one of them is in hand, or its end is due, so that what is read of it may be old in a moment.
 */
export const OPEN_CHARGES = `select jsonb_agg(charges.id) as ids, max(charges.lapses_at) as last_lapses_at,
     bool_or(charges.status = 'minting' or charges.reported_outcome is not null or charges.lapses_at <= $at
       or coalesce(charges.lease_until > $at or work.lease_until > $at, false)) as is_moving
   from mandates cross join lateral (
     select id, status, reported_outcome, credential_key_id, lapses_at, lease_until from charges
       where charges.merchant_id = $merchantId and charges.id = mandates.charge_id
     union all
     select id, status, reported_outcome, credential_key_id, lapses_at, lease_until from charges
       where charges.merchant_id = $merchantId and charges.standing_mandate_id = mandates.id) charges
   left join lateral (
     select lease_until from open_work
     where merchant_id = $merchantId and kind = 'purchase' and id = charges.id offset 0) work on true
   where mandates.merchant_id = $merchantId and mandates.id = $id and charges.status in ('minting', 'awaiting_result')
     and (charges.status = 'minting' or charges.reported_outcome is not null or charges.credential_key_id is not null)` as const

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
 * (standing_mandate_id, created_at). One of the two parts is always empty.
 */
const newest = <Most extends '1' | '$maxListed'>(most: Most) =>
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

/** Joins the newest charges of `mandates` as one value, `listed_charges`; at most `$maxListed`. */
export const JOIN_LISTED_CHARGES = `cross join lateral (
     select coalesce(jsonb_agg(jsonb_build_object('id', id, 'amount_minor', amount_minor::text, 'currency', currency,
       'status', status, 'reference', reference, 'created_at', created_at,
       'duplicate_of', duplicate_of) order by created_at desc, id desc), '[]') as listed_charges
     from (select id, amount_minor, currency, status, reference, created_at, duplicate_of
       from (${newest('$maxListed')}) charges) newest) listed` as const
