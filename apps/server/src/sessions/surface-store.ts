import { CARD, CHOSEN_CARD, othersHavePasskey, USABLE_CARDS } from '../cards/fragments.ts'
import { JOIN_SHOWN_CHARGE, SHOWN_CHARGE_COLUMNS } from '../charges/fragments.ts'
import { bool, columns, nullable, object, objects, type RowOf } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { JOIN_SHOWN_MERCHANT, SHOWN_MERCHANT, SHOWN_MERCHANT_COLUMNS } from '../merchants/fragments.ts'
import { ownPasskey, PASSKEY } from '../passkeys/fragments.ts'
import { PRESELECTED_RECORD, RECORD } from '../vault/fragments.ts'
import { GRANT, SESSION } from './store.ts'

const SURFACE = {
  ...SESSION,
  ...SHOWN_MERCHANT,
  /** The chosen card. */
  card: nullable(object(CARD)),
  /** The cards that may be used; none once the session is closed. */
  saved: objects(CARD),
  /** Other cards than the chosen one belong to a passkey of the customer. */
  othersHavePasskey: bool,
  passkey: nullable(object(PASSKEY)),
  /** What is known of the preselected vault record. */
  record: nullable(object(RECORD)),
}
/** A session with all that a step of the cardholder's page looks at or shows. */
export type SurfaceSession = RowOf<typeof SURFACE>

const SURFACE_COLUMNS = `${columns(GRANT, 's')}, ${SHOWN_CHARGE_COLUMNS}, ${SHOWN_MERCHANT_COLUMNS},
     (${CHOSEN_CARD}) as card, (${USABLE_CARDS}) as saved, ${othersHavePasskey('s.customer_id', 's.card_id')} as others_have_passkey,
     (${ownPasskey('s.customer_id')}) as passkey, (${PRESELECTED_RECORD}) as record` as const
const FROM_SURFACE = `from sessions s ${JOIN_SHOWN_CHARGE} ${JOIN_SHOWN_MERCHANT}
   where s.merchant_id = $merchantId and s.id = $sessionId` as const

/**
 * Who the caller is, whether they may, and all that is shown to them: in one statement, because each question of its own
 * would be one more wait, and because what is shown together is then of one moment.
 */
export const findOnSurface = one('sessions.find_on_surface', `select ${SURFACE_COLUMNS} ${FROM_SURFACE}`, SURFACE)
