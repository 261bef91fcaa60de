import { CARD } from '../cards/fragments.ts'
import { bool, nullable, object, objectOf } from '../db/row.ts'
import { execute, one } from '../db/statement.ts'
import { originList } from '../platform/states.ts'
import { BEGIN_TRY, endTry } from './fragments.ts'
import { ENROLLMENT_TRANSITIONS, type EnrollmentState } from './states.ts'

// An enrollment in its session. Locks: session, enrollment, passkey, card.

/** A try of a code or of a passkey is in hand, which no other statement begins. */
export const updateBusy = execute('enrollment.update_busy', BEGIN_TRY)

/** A try came to nothing, and the next one may be made; null: nothing is said of it. */
export const updateTried = execute('enrollment.update_tried', endTry('$error'))

const ENDED = { consentGiven: bool, card: nullable(object(CARD)) }

/** Ends it without a passkey. None: it has ended. The card is the one that the session has proven. */
const end = <const State extends Exclude<EnrollmentState, 'open' | 'completed'>>(state: State) =>
  one(
    `enrollment.update_${state}`,
    `update enrollments set status = '${state}', error_code = $error, busy_until = null, updated_at = $at
     where merchant_id = $merchantId and session_id = $sessionId
       and status in (${originList(ENROLLMENT_TRANSITIONS, state)})
     returning consent_given, (
       select ${objectOf(CARD, 'cards')} from cards
       where merchant_id = $merchantId and id = (
         select proven_card_id from sessions where merchant_id = $merchantId and id = $sessionId)) as card` as const,
    ENDED,
  )

export const updateFailed = end('failed')
export const updateCancelled = end('cancelled')
export const updateExpired = end('expired')
