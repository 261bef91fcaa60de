import { CHOSEN_CARD, othersHavePasskey, USABLE_CARDS } from '../cards/fragments.ts'
import { JOIN_CHARGE, SHOWN_CHARGE, SHOWN_CHARGE_COLUMNS } from '../charges/fragments.ts'
import { NO_PURCHASE_COLUMNS, SHOWN_PURCHASE } from '../checkout/purchases/fragments.ts'
import { columns, nullable, oneOf, text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { UNAWAITED } from '../db/unawaited.ts'
import { JOIN_SHOWN_MERCHANT, SHOWN_MERCHANT, SHOWN_MERCHANT_COLUMNS } from '../merchants/fragments.ts'
import {
  CLAIM_CHALLENGE,
  CLAIMED,
  CLAIMED_CHALLENGE,
  ISSUE_CHALLENGE,
  ownPasskey,
  passkeyReleased,
} from '../passkeys/fragments.ts'
import { GRANT, SUBJECT } from './store.ts'
import { ASKED, EMAIL, PROVEN, REGISTERED, SHOWN, SIGNED } from './surface-store.ts'

// Most sessions are plain: one payment, of nothing that was quoted, and without a card that its merchant preselected. Their statements
// join no purchase, setup, enrollment or vault record, and show of the page no more than the step looks at: each time that a
// statement runs the database makes ready all its joins, subqueries and columns, also those that will find nothing, and that is
// more work than to find what there is. Of a session that is not plain they return no row.

const PLAIN = {
  ...GRANT,
  kind: oneOf(['payment']),
  ...SUBJECT,
  mandateId: nullable(text),
  ...SHOWN_CHARGE,
  ...SHOWN_PURCHASE,
}
const PLAIN_COLUMNS =
  `${columns(GRANT, 's')}, c.mandate_id, c.amount_minor, c.currency, c.payee_name, c.payee_network_name,
  c.payee_url, c.payee_country, c.external_order_ref, c.updated_at as changed_at, ${SHOWN_CHARGE_COLUMNS},
  ${NO_PURCHASE_COLUMNS}` as const
const IS_PLAIN = `s.merchant_id = $merchantId and s.id = $sessionId and s.kind = 'payment'
     and s.preselected_vault_record_id is null and c.quote_id is null` as const

/** What its merchant reads. */
export const findPlain = one(
  'sessions.find_plain',
  `select ${PLAIN_COLUMNS}, (select status from merchants where id = $merchantId) as merchant_status
   from sessions s ${JOIN_CHARGE}
   where ${IS_PLAIN}`,
  { ...PLAIN, merchantStatus: SHOWN_MERCHANT.merchantStatus },
)

const SURFACE_COLUMNS = `${PLAIN_COLUMNS}, ${SHOWN_MERCHANT_COLUMNS}` as const
const FROM_PLAIN = `from sessions s ${JOIN_CHARGE} ${JOIN_SHOWN_MERCHANT}
   where ${IS_PLAIN}` as const
const NO_QUOTE = 'null::timestamptz as quote_ends_at'
const OTHERS = othersHavePasskey('s.customer_id', 's.card_id')

/** What the page shows. */
export const findPlainOnSurface = one(
  'sessions.find_plain_on_surface',
  `select ${SURFACE_COLUMNS}, (${CHOSEN_CARD}) as card, ${USABLE_CARDS} as saved, ${OTHERS} as others_have_passkey,
     (${ownPasskey('s.customer_id')}) as passkey, null::json as record, ${NO_QUOTE}
   ${FROM_PLAIN}`,
  { ...PLAIN, ...SHOWN },
)

const SIGNED_COLUMNS = `(${CHOSEN_CARD}) as card, (${ownPasskey('s.customer_id')}) as passkey` as const

/** What the terms are made of, and who may sign them. */
export const findPlainToSign = one(
  'sessions.find_plain_to_sign',
  `select ${SURFACE_COLUMNS}, ${SIGNED_COLUMNS} ${FROM_PLAIN}`,
  { ...PLAIN, ...SIGNED },
)

/** The same with the challenge that the signature uses up; committed before the signature is judged. */
export const findPlainSigned = one(
  'sessions.find_plain_signed',
  `with ${CLAIM_CHALLENGE} select ${SURFACE_COLUMNS}, ${SIGNED_COLUMNS}, (${CLAIMED}) as claimed ${FROM_PLAIN} and ${UNAWAITED}`,
  { ...PLAIN, ...SIGNED, claimed: CLAIMED_CHALLENGE },
)

/** What a new passkey is asked for with, and the challenge of it, which is issued only to a session that has proven its card. */
export const findPlainToRegister = one(
  'sessions.find_plain_to_register',
  `with asking as (select id from sessions where ${PROVEN}), ${ISSUE_CHALLENGE}
   select ${SURFACE_COLUMNS}, (${passkeyReleased('s.customer_id')}) as passkey_released, ${EMAIL} ${FROM_PLAIN} and ${UNAWAITED}`,
  { ...PLAIN, ...SHOWN_MERCHANT, ...ASKED },
)

/** What a new passkey is made for, with the challenge that it uses up; committed before it is judged. */
export const findPlainRegistered = one(
  'sessions.find_plain_registered',
  `with ${CLAIM_CHALLENGE}
   select ${SURFACE_COLUMNS}, (${CHOSEN_CARD}) as card, ${OTHERS} as others_have_passkey, ${NO_QUOTE}, (${CLAIMED}) as claimed
   ${FROM_PLAIN} and ${UNAWAITED}`,
  { ...PLAIN, ...REGISTERED, claimed: CLAIMED_CHALLENGE },
)
