import { bigint, int, text, time } from '../db/row.ts'
import { many, one } from '../db/statement.ts'
import { INSERT_EVENT } from '../events/fragments.ts'
import { openWork } from '../jobs/fragments.ts'
import type { PurchaseMandates } from '../mandates/port.ts'
import { MANDATE_TRANSITIONS } from '../mandates/states.ts'
import { originList } from '../platform/states.ts'
import { CAPTURED } from './end-fragments.ts'

// What becomes of the mandate of a purchase otherwise than with its charge, in whose row it is. The version of the
// charge does not count it.

/** As its mover read it, in time; the move counts as a change that is captured. */
const AS_READ = `merchant_id = $merchantId and id = $chargeId and mandate_id = $id and mandate_version = $version
       and valid_until > $at` as const
const MOVED = 'mandate_version = mandate_version + 1, mandate_changed_at = $at'

/** Its owner holds it. */
const updatePaused = one(
  'charges.update_mandate_paused',
  `with changed as (
     update charges set mandate_status = 'paused', ${MOVED}
     where ${AS_READ} and mandate_status in (${originList(MANDATE_TRANSITIONS, 'paused')})
     returning id
   )
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** Its owner lets it go on. */
const updateResumed = one(
  'charges.update_mandate_resumed',
  `with changed as (
     update charges set mandate_status = 'active', ${MOVED}
     where ${AS_READ} and mandate_status in (${originList(MANDATE_TRANSITIONS, 'active', ['paused'])})
     returning id
   )
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** Its owner ends it. */
const updateCancelledByOwner = one(
  'charges.update_mandate_cancelled',
  `with changed as (
     update charges set mandate_status = 'cancelled', ${MOVED}
     where ${AS_READ} and mandate_status in (${originList(MANDATE_TRANSITIONS, 'cancelled', ['active', 'paused'])})
     returning mandate_id as id
   ), cancelling as (
     ${openWork('mandate', 'changed', '$at')}
   )
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** Its card was deleted, whose row is locked by now. */
const updateCancelledWithCard = many(
  'charges.update_mandates_cancelled_with_card',
  `with changed as (
     update charges set mandate_status = 'cancelled', ${MOVED}
     where merchant_id = $merchantId and id = any (array(
       select charge_id from approvals where merchant_id = $merchantId and customer_id = $customerId and mandate_id is not null))
       and card_id = $cardId and (valid_until > $at or mandate_status = 'pending')
       and mandate_status in (${originList(MANDATE_TRANSITIONS, 'cancelled')})
     returning mandate_id as id, mandate_version - 1 as version, amount_minor as approved_minor, currency, valid_until
   ), cancelling as (
     ${openWork('mandate', 'changed', '$at')}
   )
   select id, version, approved_minor, currency, valid_until from changed order by id`,
  { id: text, version: int, approvedMinor: bigint, currency: text, validUntil: time },
)

export const mandatesOfPurchases: PurchaseMandates = {
  updatePaused,
  updateResumed,
  updateCancelledByOwner,
  updateCancelledWithCard,
}
