import { keepOfPurchase, keepOfSession } from '../../approvals/fragments.ts'
import { giveSigned } from '../../cards/fragments.ts'
import { BEGUN, MINTING, START_MINTING } from '../../charges/work-fragments.ts'
import { INSERT_PURCHASE, OPEN_PURCHASE } from '../../checkout/purchases/fragments.ts'
import { text } from '../../db/row.ts'
import { one } from '../../db/statement.ts'
import { completeEnrollment } from '../../enrollment/fragments.ts'
import { INSERT_EVENT } from '../../events/fragments.ts'
import { allowMandate, SETUP_WORK, SETUP_WORK_COLUMNS } from '../../mandates/setup-fragments.ts'
import { usePasskey } from '../../passkeys/fragments.ts'

// An approval has one winner of any number: the first to close the session, in time, for the card that was shown. After
// a revoke, a cancel, a second approval or another card chosen in another tab there is no row to match; neither for a
// suspended merchant. No session of an approval is closed twice, and who waited for its row finds it closed.
//
// All or nothing (ADR 0080): each part writes its row only while that is what was read and signed, and only if the one
// before it did, in the order session, passkey, card. The evidence takes its passkey from all of them. Where one has no
// row it has no passkey, its column refuses that, and nothing of the statement is kept: `lacksPasskey`. Session and
// charge, mandate or enrollment are one row.

/** A condition: the session of a setup or an enrollment may be approved now, with this card. */
const APPROVABLE = `card_id = $cardId and closed_at is null and expires_at > $at
       and exists (select 1 from merchants where id = $merchantId and status = 'active')` as const

/** CTEs `used` and `given`: passkey and card are those that were signed with, if the CTE `subject` has a row. */
const sign = <const Subject extends string>(subject: Subject) =>
  `${usePasskey(`exists (select 1 from ${subject})`)},
   ${giveSigned(`select proven_card_id from ${subject}`, 'exists (select 1 from used)')}` as const

/** An INSERT: the evidence if `subject` has a row, with its passkey if all was as it was signed. */
const keep = <const Subject extends string>(subject: Subject) =>
  keepOfSession(subject, 'select used.id from used, given')

/** The same of a purchase. */
const KEEP_OF_PURCHASE = keepOfPurchase('minting', 'select used.id from used, given')

/** Approves a payment: its mandate is made, and its charge is to be minted. */
export const approvePayment = one(
  'payments.approve',
  `with ${START_MINTING}, ${sign('minting')}
   ${KEEP_OF_PURCHASE}
   returning (select version from minting) as version, (select lease_fence from minting) as lease_fence`,
  BEGUN,
)

/** The same where the service itself buys: the work that is opened is that of the purchase. */
export const approveQuotedPayment = one(
  'payments.approve_quoted',
  `with ${MINTING}, ${sign('minting')}, evidence as (${KEEP_OF_PURCHASE}), ${INSERT_PURCHASE}
   ${OPEN_PURCHASE}`,
  { id: text },
)

/** Approves a setup: its mandate becomes what was allowed, and is to be registered. */
export const approveSetup = one(
  'sessions.approve_setup',
  `with ${allowMandate(APPROVABLE)}, ${sign('allowed')}, evidence as (${keep('allowed')})
   select ${SETUP_WORK_COLUMNS} from allowed mandates, work, given cards`,
  SETUP_WORK,
)

/**
 * Approves an enrollment: it is completed, with its event. Its card is one that was proven in this session, whatever
 * passkey it has.
 */
export const approveEnrollment = one(
  'sessions.approve_enrollment',
  `with changed as (
     ${completeEnrollment(`${APPROVABLE} and proven_card_id = $cardId` as const)}
     returning id, proven_card_id
   ), ${sign('changed')}, evidence as (${keep('changed')})
   ${INSERT_EVENT}`,
  { resourceId: text },
)
