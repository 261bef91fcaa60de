import { CURRENCIES, REPORTED_OUTCOMES } from '@mintmark/contract'
import { bigint, columns, nullable, oneOf, type RowOf, text, time } from '../../db/row.ts'
import { execute, one } from '../../db/statement.ts'
import { originList } from '../../platform/states.ts'
import { DECLINE_REASONS } from '../port.ts'
import { CARD_STATES, CARD_TRANSITIONS } from './states.ts'

const CARD = {
  chargeId: text,
  mandateId: nullable(text),
  state: oneOf(CARD_STATES),
  declineReason: nullable(oneOf(DECLINE_REASONS)),
  issuerCardId: nullable(text),
  tokenRef: nullable(text),
  currency: nullable(oneOf(CURRENCIES)),
  amountMinor: nullable(bigint),
  merchantCountry: nullable(text),
  validUntil: nullable(time),
  askedAt: time,
  confirmedOutcome: nullable(oneOf(REPORTED_OUTCOMES)),
  countedMinor: nullable(bigint),
}
export type CardRow = RowOf<typeof CARD>

export const findCard = one(
  'issuing.find_card',
  `select ${columns(CARD)} from issuing.issuer_cards where charge_id = $chargeId`,
  CARD,
)

/** Which charge a card of the issuer is for. */
export const findCardOfIssuer = one(
  'issuing.find_card_of_issuer',
  'select charge_id, mandate_id from issuing.issuer_cards where issuer_card_id = $issuerCardId',
  { chargeId: text, mandateId: nullable(text) },
)

/** The charge id is taken, once. Zero: it has its outcome, or is being asked for. */
export const claimCard = execute(
  'issuing.claim_card',
  `insert into issuing.issuer_cards (charge_id, mandate_id, state, currency, amount_minor, token_ref, merchant_country,
     valid_until, asked_at)
   values ($chargeId, $mandateId, 'asked', $currency, $amountMinor, $tokenRef, $merchantCountry, $validUntil, $at)
   on conflict (charge_id) do nothing`,
)

/** A release of what was never asked for. Zero: it was. */
export const insertTombstone = execute(
  'issuing.insert_tombstone',
  `insert into issuing.issuer_cards (charge_id, state, asked_at) values ($chargeId, 'returned', $at)
   on conflict (charge_id) do nothing`,
)

/** The window that the amount was taken from. */
export const updateTaken = execute(
  'issuing.update_taken',
  `update issuing.issuer_cards set window_started_at = $startedAt where charge_id = $chargeId and state = 'asked'`,
)

/** Which card it is. Zero: it was recorded, or ended, by another call. */
export const updateMinted = execute(
  'issuing.update_minted',
  `update issuing.issuer_cards set state = 'minted', issuer_card_id = $issuerCardId
   where charge_id = $chargeId and state in (${originList(CARD_TRANSITIONS, 'minted')})`,
)

/** CTEs: what a card took goes back to its window and its count, if `ended` has a row of one that had taken it. */
const GIVE_BACK = `uncounted as (
     update issuing.issuer_instructions i set charge_count = i.charge_count - 1 from ended e
     where i.mandate_id = e.mandate_id and e.window_started_at is not null
   )
   update issuing.issuer_windows w set spent_minor = w.spent_minor - e.amount_minor from ended e
   where w.mandate_id = e.mandate_id and w.started_at = e.window_started_at` as const

const ENDED = 'mandate_id, window_started_at, amount_minor' as const

/** Refused: by its instruction, which has taken nothing of it, or by the issuer. The instruction must be locked. */
export const updateDeclined = execute(
  'issuing.update_declined',
  `with ended as (
     update issuing.issuer_cards set state = 'declined', decline_reason = $reason
     where charge_id = $chargeId and state in (${originList(CARD_TRANSITIONS, 'declined')})
     returning ${ENDED}
   ), ${GIVE_BACK}`,
)

/**
 * The card is dead and was not paid with: amount and count go back once, with the change of state; of the amount what
 * it counted for, as rows were before the statement. The instruction must be locked (lock order), before this begins. A
 * report of another outcome that came first stands.
 */
export const claimReturn = one(
  'issuing.claim_return',
  `with ended as (
     update issuing.issuer_cards set state = 'returned', confirmed_outcome = $outcome, counted_minor = 0
     where charge_id = $chargeId and state in (${originList(CARD_TRANSITIONS, 'returned')})
       and confirmed_outcome is null
     returning charge_id, mandate_id, window_started_at, (
       select coalesce(was.counted_minor, was.amount_minor) from issuing.issuer_cards was
       where was.charge_id = $chargeId) as amount_minor
   ), uncounted as (
     update issuing.issuer_instructions i set charge_count = i.charge_count - 1 from ended e
     where i.mandate_id = e.mandate_id and e.window_started_at is not null
   ), given_back as (
     update issuing.issuer_windows w set spent_minor = w.spent_minor - e.amount_minor from ended e
     where w.mandate_id = e.mandate_id and w.started_at = e.window_started_at
   )
   select charge_id from ended`,
  { chargeId: text },
)

/** It was reported as paid. Zero: another outcome was reported first, or there is no card of it. */
export const claimApproved = execute(
  'issuing.claim_approved',
  `update issuing.issuer_cards set confirmed_outcome = 'APPROVED'
   where charge_id = $chargeId and state = 'minted' and confirmed_outcome is null`,
)

/**
 * What it counts for since, in its window as well, which may be more than the cap. Zero: it counts for that already, or
 * another call has changed it since it was read.
 */
export const updateCounted = execute(
  'issuing.update_counted',
  `with counted as (
     update issuing.issuer_cards set counted_minor = $countedMinor
     where charge_id = $chargeId and counted_minor is not distinct from $knownMinor::bigint
     returning mandate_id, window_started_at
   )
   update issuing.issuer_windows w set spent_minor = w.spent_minor + $changeMinor from counted c
   where w.mandate_id = c.mandate_id and w.started_at = c.window_started_at`,
)
