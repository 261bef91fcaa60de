import { columns, text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { INSERT_EVENT } from '../events/fragments.ts'
import { IS_HELD, openWork, putOffWork, workOf } from '../jobs/fragments.ts'
import { originList } from '../platform/states.ts'
import { CLAIMED_SETUP, CLAIMED_SETUP_COLUMNS, SETUP_FACTS } from './setup-fragments.ts'
import { MANDATE_TRANSITIONS } from './states.ts'

/** An approved mandate that waits for the network, for the worker that holds the work on it. */
export const findSetup = one(
  'mandates.find_setup',
  `select ${CLAIMED_SETUP_COLUMNS} from mandates
   join lateral (select * from cards where merchant_id = $merchantId and id = mandates.card_id offset 0) cards on true
   where mandates.merchant_id = $merchantId and mandates.id = $id and mandates.status = 'pending' and not mandates.per_checkout`,
  CLAIMED_SETUP,
)

/**
 * CTE `held`: the mandate that waits for the network, and its work, while the caller holds it. Locks: mandate, open work. Without
 * a row it was ended meanwhile, or another worker took it over.
 */
const HELD = `waiting as materialized (
     select id from mandates where merchant_id = $merchantId and id = $id and status = 'pending' for no key update
   ), held as materialized (
     select id from open_work
     where ${workOf('mandate', '(select id from waiting)')} and ${IS_HELD}
     for update
   )` as const

/** Gives the work back that is held on the mandate of `changed`, for what is to be done on it next. */
const putOff = <const Due extends string>(due: Due) => putOffWork('mandate', '(select id from changed)', due)

/** The network has registered it. Its windows begin; what is left to do is due at its end. None: see `HELD`. */
export const updateActive = one(
  'mandates.update_active',
  `with ${HELD}, changed as (
     update mandates set status = 'active', instruction_ref = $instructionRef, activated_at = $activatedAt, updated_at = $at,
       window_started_at = $windowStartedAt, window_ends_at = $windowEndsAt
     where merchant_id = $merchantId and id = (select id from held)
       and status in (${originList(MANDATE_TRANSITIONS, 'active', ['pending'])})
     returning id
   ), due as (
     ${putOff('$validUntil')}
   )
   ${INSERT_EVENT}`,
  { resourceId: text },
)

/**
 * It is not to be: the network has refused it, or must not be asked. The work becomes to end it there, because an earlier call
 * whose answer was lost may have registered it. None: see `HELD`.
 */
export const updateSetupRefused = one(
  'mandates.update_setup_refused',
  `with ${HELD}, changed as (
     update mandates set status = 'cancelled', failure_code = $failure, ended_at = $at
     where merchant_id = $merchantId and id = (select id from held)
       and status in (${originList(MANDATE_TRANSITIONS, 'cancelled', ['pending'])})
     returning id
   ), cancelling as (
     ${putOff('$at')}
   )
   ${INSERT_EVENT}`,
  { resourceId: text },
)

/**
 * Its session was cancelled or revoked. One that was approved may be registered at this moment: the work begins to end it at
 * the network, and who asks it to register loses its lease. None: it waits no more.
 */
export const updateSetupCancelled = one(
  'mandates.update_setup_cancelled',
  `with changed as (
     update mandates set status = 'cancelled', failure_code = $failure, ended_at = $at
     where merchant_id = $merchantId and id = $id and not per_checkout
       and status in (${originList(MANDATE_TRANSITIONS, 'cancelled', ['pending'])})
     returning *
   ), approved as (
     select id from changed where approval_hash is not null
   ), cancelling as (
     ${openWork('mandate', 'approved', '$at')}
   )
   select ${columns(SETUP_FACTS)} from changed`,
  SETUP_FACTS,
)

/** Its session was not used in time. None: it waits no more, or was approved. */
export const updateSetupExpired = one(
  'mandates.update_setup_expired',
  `update mandates set status = 'expired', failure_code = $failure, ended_at = $at
   where merchant_id = $merchantId and id = $id and not per_checkout and approval_hash is null
     and status in (${originList(MANDATE_TRANSITIONS, 'expired', ['pending'])})
   returning ${columns(SETUP_FACTS)}`,
  SETUP_FACTS,
)
