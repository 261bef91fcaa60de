import { CARD_STATUSES } from '@mintmark/contract'
import { bool, bytes, int, nullable, objectOf, oneOf, type RowOf, text, uuid } from '../db/row.ts'

// Parts of statements that must be one with something else: a session is shown together with its cards.

export const CARD = {
  merchantId: text,
  id: text,
  customerId: text,
  vaultRecordId: nullable(uuid),
  last4: text,
  brand: nullable(text),
  expMonth: int,
  expYear: int,
  status: oneOf(CARD_STATUSES),
  networkTokenRef: nullable(text),
  passkeyId: nullable(text),
  seal: nullable(bytes),
  stepUpPending: bool,
}
export type Card = RowOf<typeof CARD>

/**
 * Which active cards a session may use: those of the customer's passkey, and the one that was proven in the session itself.
 * A card that came without a passkey must not be spent by the holder of another link of the same customer.
 */
export const usableBy = <const Customer extends string, const Proven extends string>(
  customer: Customer,
  proven: Proven,
) =>
  `status = 'active' and (id = ${proven} or exists (
       select from passkeys where passkeys.merchant_id = $merchantId and passkeys.id = cards.passkey_id
         and passkeys.customer_id = ${customer} and passkeys.retired_at is null))` as const

const DEFAULT_FIRST = 'order by is_default desc, created_at desc, id'

/** A subquery: the card of `sessions s`, as an object. */
export const CHOSEN_CARD = `select ${objectOf(CARD, 'cards')} from cards
     where merchant_id = $merchantId and id = s.card_id and customer_id = s.customer_id`

/** A subquery: the cards that `sessions s` may use while it is open, as objects: the default first, then the newest. */
export const USABLE_CARDS = `select coalesce(json_agg(${objectOf(CARD, 'usable')} ${DEFAULT_FIRST}), '[]')
     from (select * from cards
       where merchant_id = $merchantId and customer_id = s.customer_id and s.closed_at is null
         and ${usableBy('s.customer_id', 's.proven_card_id')} ${DEFAULT_FIRST} limit 50) usable`

/** A condition: other active cards than this one of the customer belong to a passkey, also to one that was replaced. */
export const othersHavePasskey = <const Customer extends string, const Card extends string>(
  customer: Customer,
  card: Card,
) =>
  `exists (select from cards others
     where others.merchant_id = $merchantId and others.customer_id = ${customer} and others.status = 'active'
       and others.passkey_id is not null and others.id is distinct from ${card})` as const
