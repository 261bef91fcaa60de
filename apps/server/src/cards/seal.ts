import type { SealedRow } from '../platform/row-seals.ts'
import type { Card } from './store.ts'

/** What must not be edited of an accepted card: whose it is, which token pays, and what the cardholder is shown of it. */
export function sealedCard(
  { merchantId, id, customerId, last4, brand }: Pick<Card, 'merchantId' | 'id' | 'customerId' | 'last4' | 'brand'>,
  tokenRef: string | null,
): SealedRow {
  return { table: 'cards', merchantId, id, parts: [customerId, tokenRef, last4, brand] }
}

/** That a card belongs to a passkey: it was proven by who signed with it. */
export function sealedPasskeyOf({ merchantId, id }: Pick<Card, 'merchantId' | 'id'>, passkeyId: string): SealedRow {
  return { table: 'cards', merchantId, id, parts: ['passkey', passkeyId] }
}
