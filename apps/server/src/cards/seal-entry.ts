import type { CustomerRef } from '../customers/ref.ts'
import { newId } from '../platform/ids.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import type { EnteredCard, Vault } from '../vault/service.ts'
import type { Entered } from './deps.ts'
import { sealedEntry } from './seal.ts'

interface SealDeps {
  vault: Pick<Vault, 'sealCard' | 'fingerprint'>
  seals: RowSeals
}

/**
 * Seals the number of a card for a record of its own. Returns how a statement writes the card's row with it, under the id of a row that
 * is there or a new one: the row that comes back is the customer's card of this number, or the write throws. Sealed before the
 * statement, because wrapping the data key may be a network call to a key service.
 */
export async function sealEntry({ vault, seals }: SealDeps, customer: CustomerRef, entered: EnteredCard) {
  const { merchantId, customerId } = customer
  const { number, id: vaultRecordId, ...facts } = await vault.sealCard(merchantId, entered)
  const sealed = { vaultRecordId, numberSealed: number.sealed, numberKeyId: number.keyId }
  const fingerprint = vault.fingerprint(customer, entered)
  const rowOf = (cardId: string) => {
    const entrySeal = seals.seal(sealedEntry({ merchantId, id: cardId, customerId }, fingerprint))
    return { ...facts, ...sealed, customerId, cardId, fingerprint, entrySeal }
  }
  return async <Card extends Entered>(
    write: (row: ReturnType<typeof rowOf>) => Promise<Card | undefined>,
    cardId = newId('card'),
  ): Promise<Card | undefined> => {
    const card = await write(rowOf(cardId))
    if (card !== undefined) seals.check(sealedEntry(card, fingerprint), card.entrySeal)
    return card
  }
}
