import { REPORTED_OUTCOMES } from '@mintmark/contract'
import { nullable, oneOf } from '../../db/row.ts'
import { execute, one } from '../../db/statement.ts'
import { originList } from '../../platform/states.ts'
import { COUNTED_BEFORE } from './mint-store.ts'
import { CREDENTIAL_TRANSITIONS, MINT_TRANSITIONS } from './states.ts'

// The end of a credential that was not spent. `store.ts` has the lock order.

/** A charge id that was never asked for has its outcome from now on. Zero rows: it has one, read it. */
export const insertTombstone = execute(
  'simnet.insert_tombstone',
  `insert into simnet.mints (charge_id, state, released_at, wrong_cvv_count) values ($chargeId, 'released', $at, 0)
   on conflict (charge_id) do nothing`,
)

/** Attempts at the acquirer wait from here on, or have committed. */
export const lockMint = one(
  'simnet.lock_mint',
  'select confirmed_outcome from simnet.mints where charge_id = $chargeId for update',
  { confirmedOutcome: nullable(oneOf(REPORTED_OUTCOMES)) },
)

/**
 * Amount and count go back once: with the change of state. A charge that was reported as declined has given them back
 * before.
 */
export const claimRelease = execute(
  'simnet.claim_release',
  `with released as (
     update simnet.mints set state = 'released', released_at = $at,
       credential_state = case when credential_state in (${originList(CREDENTIAL_TRANSITIONS, 'closed')})
         then 'closed' else credential_state end, counted_minor = 0
     where charge_id = $chargeId and state in (${originList(MINT_TRANSITIONS, 'released')}) and confirmed_outcome is null
     returning mandate_id, window_started_at, ${COUNTED_BEFORE} as amount_minor
   ), uncounted as (
     update simnet.instructions i set charge_count = i.charge_count - 1 from released r where i.mandate_id = r.mandate_id
   )
   update simnet.windows w set spent_minor = w.spent_minor - r.amount_minor from released r
   where w.mandate_id = r.mandate_id and w.started_at = r.window_started_at`,
)
