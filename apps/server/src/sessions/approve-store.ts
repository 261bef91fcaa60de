import { KEEP_EVIDENCE, NOT_APPROVED } from '../approvals/fragments.ts'
import { giveCard, isFor } from '../cards/fragments.ts'
import { BEGIN_MINTING, lockAwaiting, START_MINTING, WORK, WORK_COLUMNS } from '../charges/work-fragments.ts'
import { INSERT_PURCHASE, OPEN_PURCHASE } from '../checkout/purchases/fragments.ts'
import { text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { completeEnrollment, lockOpen } from '../enrollment/fragments.ts'
import { INSERT_EVENT } from '../events/fragments.ts'
import { MAKE_MANDATE } from '../mandates/fragments.ts'
import { ALLOW_MANDATE, lockAsked, SETUP_WORK, SETUP_WORK_COLUMNS } from '../mandates/setup-fragments.ts'
import { lockSigning, USE_PASSKEY } from '../passkeys/fragments.ts'

// An approval has one winner of any number: the first to close the session, in time, for the card that was shown. After a
// revoke, a cancel, a second approval or another card chosen in another tab there is no row to match; neither for a
// suspended merchant, nor for a card that belongs to another passkey and was not proven in this session. The card is the one
// whose seal was checked, to the letter, and belongs to the approving passkey from now on.
//
// All or nothing: each row is locked, and looked at as it is then, before the first is written. Locks are taken in the order
// session, subject, passkey, card: each waits for the row before it.

/** CTE `opened`: locks the session that is approved. */
const LOCK_OPENED = `opened as materialized (
     select proven_card_id, agent_id from sessions
     where merchant_id = $merchantId and id = $sessionId and card_id = $cardId and closed_at is null and expires_at > $at
       and exists (select 1 from merchants where id = $merchantId and status = 'active')
     for no key update
   )` as const

/** CTEs `signing`, `shown` and `agreed`, after the subject is locked as `awaiting`: a row where all is as it was signed. */
const AGREE = `${lockSigning('exists (select 1 from awaiting)')}, shown as materialized (
     select network_token_ref from cards
     where merchant_id = $merchantId and id = $cardId and customer_id = $customerId and status = 'active'
       and (id = (select proven_card_id from opened) or passkey_id = $passkeyId) and ${isFor('$sessionId')}
       and network_token_ref = $tokenRef and last4 = $last4 and brand is not distinct from $brand and cards.seal = $cardSeal
       and exists (select 1 from signing)
     for no key update
   ), agreed as materialized (
     select 1 from shown where ${NOT_APPROVED}
   )` as const

/** CTEs that write what every approval does: it closes the session, moves the passkey's counter, and keeps the evidence. */
const CLOSE = `closed as (
     update sessions set closed_at = $at
     where merchant_id = $merchantId and id = $sessionId and exists (select 1 from agreed)
   ), ${USE_PASSKEY}, ${giveCard('passkey_id is distinct from $passkeyId and exists (select 1 from agreed)')}, ${KEEP_EVIDENCE}` as const

/** Of a payment: its mandate is made, and its charge is to be minted. */
export const approvePayment = one(
  'sessions.approve_payment',
  `with ${LOCK_OPENED}, ${lockAwaiting('exists (select 1 from opened)')}, ${AGREE}, ${CLOSE}, ${MAKE_MANDATE}, ${START_MINTING}
   select ${WORK_COLUMNS} from minting charges, work, made mandates, shown cards`,
  WORK,
)

/** The same where the service itself buys: the work that is opened is that of the purchase. */
export const approveQuotedPayment = one(
  'sessions.approve_quoted_payment',
  `with ${LOCK_OPENED}, ${lockAwaiting('exists (select 1 from opened)')}, ${AGREE}, ${CLOSE}, ${MAKE_MANDATE}, ${BEGIN_MINTING},
   ${INSERT_PURCHASE}
   ${OPEN_PURCHASE}`,
  { id: text },
)

/** Of a setup: its mandate becomes what was allowed, and is to be registered. */
export const approveSetup = one(
  'sessions.approve_setup',
  `with ${LOCK_OPENED}, ${lockAsked('exists (select 1 from opened)')}, ${AGREE}, ${CLOSE}, ${ALLOW_MANDATE}
   select ${SETUP_WORK_COLUMNS} from allowed mandates, work, shown cards`,
  SETUP_WORK,
)

/** Of an enrollment: it is completed, with its event. Its card is one that was proven in this session, whatever passkey it has. */
export const approveEnrollment = one(
  'sessions.approve_enrollment',
  `with ${LOCK_OPENED}, ${lockOpen('exists (select 1 from opened where proven_card_id = $cardId)')}, ${AGREE}, ${CLOSE},
   ${completeEnrollment('agreed')}
   ${INSERT_EVENT}`,
  { resourceId: text },
)
