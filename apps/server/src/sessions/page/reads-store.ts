import { CHOSEN_CARD, othersHavePasskey, usableCards } from '../../cards/fragments.ts'
import type { Shape } from '../../db/row.ts'
import { one } from '../../db/statement.ts'
import { UNAWAITED } from '../../db/unawaited.ts'
import { JOIN_SHOWN_MERCHANT, SHOWN_MERCHANT, SHOWN_MERCHANT_COLUMNS } from '../../merchants/fragments.ts'
import { CLAIMED, CLAIMED_CHALLENGE, ownPasskey, passkeyReleased } from '../../passkeys/fragments.ts'
import { PRESELECTED_RECORD } from '../../vault/fragments.ts'
import type { SessionRow } from '../fragments.ts'
import { ask, claim } from './challenge-fragments.ts'
import { ASKED, CODES_COLUMNS, EMAIL, PROVEN, REGISTERED, SHOWN, SIGNED } from './store.ts'

// How a session is read, written once and declared for each row that it may be in. A statement joins nothing that the
// other kinds have, and shows of the page no more than the step looks at: each time that a statement runs the database
// makes ready all its joins, subqueries and columns, also those that will find nothing, and that is more work than to
// find what there is. It returns no row of a session of another kind.

interface ReadRow<Read extends Shape> {
  row: SessionRow
  /** The session as it is read, and its select list from `s` and what is joined to it. */
  shape: Read
  columns: string
  joins: string
  /** Until when the shop keeps what was quoted, SQL. */
  quoteEndsAt: string
}

/** The statements that read sessions of one kind. */
export function readsOf<Read extends Shape>({ row, shape, columns, joins, quoteEndsAt }: ReadRow<Read>) {
  const { feature, table, key } = row
  const isIt = `s.merchant_id = $merchantId and s.launch_hash is not null and s.${key} = $sessionId` as const
  const surfaceColumns = `${columns}, ${SHOWN_MERCHANT_COLUMNS}` as const
  const from = `from ${table} s ${joins} ${JOIN_SHOWN_MERCHANT}
   where ${isIt}` as const
  const others = othersHavePasskey('s.customer_id', 's.card_id')
  const signedColumns = `(${CHOSEN_CARD}) as card, (${ownPasskey('s.customer_id')}) as passkey` as const
  return {
    /** What its merchant reads. */
    find: one(
      `${feature}.find`,
      `select ${columns}, (select status from merchants where id = $merchantId) as merchant_status
   from ${table} s ${joins}
   where ${isIt}`,
      { ...shape, merchantStatus: SHOWN_MERCHANT.merchantStatus },
    ),

    /**
     * Says who the caller is, whether they may, and all that the page shows: in one statement, because each question of
     * its own would be one more wait, and because what is shown together is then of one moment.
     */
    findOnSurface: one(
      `${feature}.find_on_surface`,
      `select ${surfaceColumns}, ${CODES_COLUMNS}, (${CHOSEN_CARD}) as card, ${usableCards(`s.${key}`)} as saved, ${others} as others_have_passkey,
     (${ownPasskey('s.customer_id')}) as passkey, (${PRESELECTED_RECORD}) as record, (${quoteEndsAt}) as quote_ends_at
   ${from}`,
      { ...shape, ...SHOWN },
    ),

    /** What the terms are made of, and who may sign them. */
    findToSign: one(`${feature}.find_to_sign`, `select ${surfaceColumns}, ${signedColumns} ${from}`, {
      ...shape,
      ...SIGNED,
    }),

    /** The same with the challenge that the signature uses up; committed before the signature is judged. */
    findSigned: one(
      `${feature}.find_signed`,
      `with ${claim(row)} select ${surfaceColumns}, ${signedColumns}, (${CLAIMED}) as claimed ${from} and ${UNAWAITED}`,
      { ...shape, ...SIGNED, claimed: CLAIMED_CHALLENGE },
    ),

    /**
     * What a new passkey is asked for with, and the challenge of it, which is issued only to a session that has proven
     * its card.
     */
    findToRegister: one(
      `${feature}.find_to_register`,
      `with asked as (${ask(row, PROVEN)})
   select ${surfaceColumns}, (${passkeyReleased('s.customer_id')}) as passkey_released, ${EMAIL} ${from} and ${UNAWAITED}`,
      { ...shape, ...SHOWN_MERCHANT, ...ASKED },
    ),

    /** What a new passkey is made for, with the challenge that it uses up; committed before it is judged. */
    findRegistered: one(
      `${feature}.find_registered`,
      `with ${claim(row)}
   select ${surfaceColumns}, (${CHOSEN_CARD}) as card, ${others} as others_have_passkey, (${quoteEndsAt}) as quote_ends_at, (${CLAIMED}) as claimed
   ${from} and ${UNAWAITED}`,
      { ...shape, ...REGISTERED, claimed: CLAIMED_CHALLENGE },
    ),
  }
}

/** Nothing was quoted. */
export const NO_QUOTE = 'null::timestamptz'
