import { LOCK_LIMITS, TAKE_BEYOND_LIMITS, TAKE_OF_LIMITS } from '../agents/fragments.ts'
import { bool, nullable, text } from '../db/row.ts'
import { execute, one } from '../db/statement.ts'
import { LOCK_ALLOWED, UNASKED, USE_ALLOWED } from '../escalations/fragments.ts'
import {
  CHARGEABLE,
  INSTRUCTION,
  INSTRUCTION_COLUMNS,
  NEXT_WINDOW,
  TAKE_FROM_LOCKED,
  takeFromMandate,
} from '../mandates/fragments.ts'
import { REFERENCED } from './judge-fragments.ts'
import { NEW_CHARGE, NEW_CHARGE_VALUES } from './new-charge-fragments.ts'
import { alikeSince, OWN } from './of-agent-fragments.ts'

// A charge against a standing mandate is opened in one statement: its mandate is chargeable, amount and count are taken
// in its window, and the charge is written, leased to the caller. All or nothing of it: the lock makes the charges of
// one mandate follow each other, so neither cap nor count can be passed. No row: something stands against it, and
// `judge-store.ts` says what.
//
// A reference that another charge took while this one waited for the lock is not seen by the condition, which looks
// with the eyes of the statement's start; the unique index refuses it then (`charges_reference_key`), and nothing is
// written.

const MANDATE = 'merchant_id = $merchantId and id = $mandateId'
const IS_CHARGEABLE = `${CHARGEABLE} and currency <> all ($wholeCurrencies) and not exists (${REFERENCED})` as const

/** The fence of the claim by which a new charge is leased to its caller. */
export const FIRST_FENCE = 1n

/** CTE `charge`: leased to the caller, from the mandate as it was `taken`. */
const charge = <const Names extends string, const Values extends string>(names: Names, values: Values) =>
  `charge as (
     insert into charges (${NEW_CHARGE}, status, window_started_at, seal, holds_reference, work_due_at, lease_until,
       lease_fence, attempts${names})
     select ${NEW_CHARGE_VALUES}, 'minting', window_started_at, $chargeSeal, $reference::text is not null, $leaseUntil, $leaseUntil,
       ${FIRST_FENCE}, 1${values} from taken
   )` as const

export const OPENED = {
  orderId: nullable(text),
  externalOrderRef: nullable(text),
  merchantActive: bool,
  ...INSTRUCTION,
}
const SELECT_OPENED = `select mandates.order_id, mandates.external_order_ref,
     (select status = 'active' from merchants where id = $merchantId) as merchant_active, ${INSTRUCTION_COLUMNS}
   from taken mandates join lateral (
     select * from cards where merchant_id = $merchantId and id = mandates.card_id offset 0) cards on true` as const

export const openStanding = one(
  'charges.open_standing',
  `with ${takeFromMandate(IS_CHARGEABLE)}, ${charge('', '')}
   ${SELECT_OPENED}`,
  OPENED,
)

const chargeOfAgent = charge(
  ', likeness, duplicate_of, delivery_shop_id, delivery_session_id',
  ', $likeness::bytea, $duplicateOf::text, $deliveryShopId::text, $deliverySessionId::text',
)
const lockOwn = <const Further extends string>(further: Further) =>
  `locked as materialized (
     select * from mandates where ${MANDATE} and ${IS_CHARGEABLE}${OWN}${further} for no key update
   )` as const
/** The same of an agent, within what its owner allows it, of which it is taken. */
export const openOfAgent = one(
  'charges.open_of_agent',
  `with ${lockOwn(` and ${UNASKED}`)}, ${TAKE_OF_LIMITS}, ${TAKE_FROM_LOCKED}, ${chargeOfAgent}
   ${SELECT_OPENED}`,
  OPENED,
)

/** The same of a charge that its owner has allowed, which is used by it, whatever the limits are. */
export const openAllowed = one(
  'charges.open_allowed',
  `with ${lockOwn('')}, ${LOCK_LIMITS}, ${LOCK_ALLOWED}, ${TAKE_BEYOND_LIMITS}, ${USE_ALLOWED}, ${TAKE_FROM_LOCKED}, ${chargeOfAgent}
   ${SELECT_OPENED}`,
  OPENED,
)

/** Zero rows: another caller began it, or a later one. */
export const updateWindow = execute('charges.update_window', NEXT_WINDOW)

/**
 * Before a charge that may repeat another one is opened, in its transaction: what `openOfAgent` locks, in the same
 * order. A statement that waits for a lock looks with the eyes of its start, so of equal charges at the same moment
 * none would see the others.
 */
export const lockForAlike = one(
  'charges.lock_for_alike',
  `with locked as materialized (
     select id from mandates where ${MANDATE} for no key update
   )
   select agent_id from agent_spending
   where merchant_id = $merchantId and agent_id = $agentId and exists (select 1 from locked)
   for no key update`,
  { agentId: text },
)

/** Behind that lock: a charge that this one repeats. */
export const findAlike = one('charges.find_alike', `select id from ${alikeSince('$alikeSince')} alike`, { id: text })
