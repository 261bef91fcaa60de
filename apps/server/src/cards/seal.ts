import type { SealedRow } from '../platform/row-seals.ts'
import type { Card } from './store.ts'

/**
 * What must not be edited of an accepted card: whose it is, which token pays, what the cardholder is shown of it, and where the number
 * is of which they have to know the CVV.
 */
export function sealedCard(
  card: Pick<Card, 'merchantId' | 'id' | 'customerId' | 'last4' | 'brand' | 'vaultRecordId'>,
  tokenRef: string | null,
): SealedRow {
  const { merchantId, id, customerId, last4, brand, vaultRecordId } = card
  return { table: 'cards', merchantId, id, parts: [customerId, tokenRef, last4, brand, vaultRecordId] }
}

/**
 * Whose card of which number a row is, from its first entry on. Checked before the network is asked, which knows the card by our id: a
 * row that took the id, or the number, of another card would be answered with its token, or prove it.
 */
export function sealedEntry(
  { merchantId, id, customerId }: Pick<Card, 'merchantId' | 'id' | 'customerId'>,
  fingerprint: Uint8Array,
): SealedRow {
  return { table: 'cards', merchantId, id, parts: ['entry', customerId, fingerprint] }
}

/** That a card belongs to a passkey: it was proven by who signed with it. */
export function sealedPasskeyOf({ merchantId, id }: Pick<Card, 'merchantId' | 'id'>, passkeyId: string): SealedRow {
  return { table: 'cards', merchantId, id, parts: ['passkey', passkeyId] }
}
