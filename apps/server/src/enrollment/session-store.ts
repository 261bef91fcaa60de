import { CARD } from '../cards/fragments.ts'
import { bool, nullable, object, objectOf } from '../db/row.ts'
import { execute, one } from '../db/statement.ts'
import { originList } from '../platform/states.ts'
import { IS_OPEN } from './fragments.ts'
import { ENROLLMENT_TRANSITIONS, type EnrollmentState } from './states.ts'

// An enrollment, whose row its session is in as well. Locks: enrollment, passkey, card.

/** A try is in hand that no other statement begins: of a code, or of a passkey. */
export const updateBusy = execute(
  'enrollment.update_busy',
  `update enrollments set busy_until = $busyUntil, error_code = null, updated_at = $at
   where merchant_id = $merchantId and id = $sessionId and ${IS_OPEN}`,
)

/** A try came to nothing, and the next one may be made; null: nothing is said of it. */
export const updateTried = execute(
  'enrollment.update_tried',
  `update enrollments set busy_until = null, error_code = $error, updated_at = $at
   where merchant_id = $merchantId and id = $sessionId and ${IS_OPEN}`,
)

const ENDED = { consentGiven: bool, card: nullable(object(CARD)) }

/** Ends it without a passkey. None: it has ended. The card is the one that the session has proven. */
const end = <const State extends Exclude<EnrollmentState, 'open' | 'completed'>>(state: State) =>
  one(
    `enrollment.update_${state}`,
    `update enrollments set status = '${state}', error_code = $error, busy_until = null, updated_at = $at
     where merchant_id = $merchantId and id = $sessionId
       and status in (${originList(ENROLLMENT_TRANSITIONS, state)})
     returning consent_given, (
       select ${objectOf(CARD, 'cards')} from cards
       where merchant_id = $merchantId and id = enrollments.proven_card_id) as card` as const,
    ENDED,
  )

export const updateFailed = end('failed')
export const updateCancelled = end('cancelled')
export const updateExpired = end('expired')
