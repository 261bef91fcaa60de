import { text } from '../db/row.ts'
import { execute, one } from '../db/statement.ts'
import { openWork } from '../jobs/fragments.ts'
import { dueWork } from '../jobs/work.ts'
import { originList } from '../platform/states.ts'
import { MANDATE_TRANSITIONS } from './states.ts'

export const insertMandate = execute(
  'mandates.insert',
  `insert into mandates (merchant_id, id, customer_id, card_id, per_checkout, status, frequency, merchant_scope,
     payee_name, payee_network_name, payee_url, payee_country, approved_minor, currency, max_charges, valid_until,
     approval_hash, seal, created_at)
   values ($merchantId, $id, $customerId, $cardId, $perCheckout, 'pending', $frequency, $merchantScope, $payeeName,
     $payeeNetworkName, $payeeUrl, $payeeCountry, $approvedMinor, $currency, $maxCharges, $validUntil, $approvalHash,
     $seal, $at)`,
)

/** The mandate of a checkout that came to nothing, and the work to tell the network, which does not know. */
export const updateCancelled = one(
  'mandates.update_cancelled',
  `with cancelled as (
     update mandates set status = 'cancelled', ended_at = $at
     where merchant_id = $merchantId and id = $id and status in (${originList(MANDATE_TRANSITIONS, 'cancelled')})
       and per_checkout
     returning id
   )
   ${openWork('mandate', 'cancelled', '$at')}
   returning id`,
  { id: text },
)

/** The mandate of a checkout whose time passed; the network enforces the same time by itself. */
export const updateExpired = one(
  'mandates.update_expired',
  `update mandates set status = 'expired', ended_at = $at
   where merchant_id = $merchantId and id = $id and status in (${originList(MANDATE_TRANSITIONS, 'expired')})
     and per_checkout
   returning id`,
  { id: text },
)

/** Mandates that ended, and the network has still to be told. */
export const mandateWork = dueWork('mandates', 'mandate', { shape: {} })
