import type { Card, CardList, DeleteCardBody, DeletedCard, ListCardsQuery } from '@mintmark/contract/wire/cards'
import type { VaultRecord, VaultRecordBody } from '@mintmark/contract/wire/vault'
import type { MerchantCaller } from '../merchants/service.ts'
import { missingFields } from '../platform/errors.ts'
import type { AddedRecord, RecordInput } from './add-record.ts'
import { artName, CARD_ART_PATH } from './art.ts'
import type { Deleted, Deletion } from './delete.ts'
import type { ListedRow } from './fragments.ts'
import type { CardFilter } from './list.ts'
import { maskedNumber } from './rules.ts'

/** An empty text names nothing, as a missing one. */
function rejectEmpty(fields: Record<string, string>): void {
  const empty = Object.keys(fields).filter((name) => fields[name] === '')
  if (empty.length === 0) return
  const details = Object.fromEntries(empty.map((name) => [name, 'is required']))
  throw missingFields({ message: `The request is not valid: ${empty.join(', ')}.`, details })
}

export function fromWireFilter({ merchantId }: MerchantCaller, query: ListCardsQuery): CardFilter {
  const { customer_id } = query
  rejectEmpty({ customer_id })
  return { merchantId, customer: customer_id, withDeleted: query.status === 'all' }
}

export function fromWireDeletion({ merchantId }: MerchantCaller, body: DeleteCardBody): Deletion {
  const { customer_id, card_id, reason = 'OTHER' } = body
  rejectEmpty({ customer_id, card_id })
  return { merchantId, customer: customer_id, cardId: card_id, reason }
}

export function toWireDeleted({ cardId, wasDefault, networkTokenDeleted }: Deleted): DeletedCard {
  return { success: true, card_id: cardId, was_default: wasDefault, network_token_deleted: networkTokenDeleted }
}

/** The art of a card is served by the host of the API. */
export function toWireList(cards: readonly ListedRow[], art: { apiUrl: string } | null): CardList {
  return { cards: cards.map((card) => toWireCard(card, art)), count: cards.length }
}

function toWireCard(card: ListedRow, art: { apiUrl: string } | null): Card {
  const { brand, last4, design } = card
  return {
    card_id: card.id,
    card_last4: last4,
    card_brand: brand,
    card_exp_month: card.expMonth,
    card_exp_year: card.expYear,
    masked_card_number: maskedNumber(brand, last4),
    is_default: card.isDefault,
    status: card.status === 'active' ? 'active' : 'deleted',
    card_art_url: art === null ? null : `${art.apiUrl}${CARD_ART_PATH}/${artName(brand, design)}.svg`,
    metadata: art === null || design === null ? null : toWireDesign(design),
    created_at: card.acceptedAt.toISOString(),
  }
}

function toWireDesign({ background, foreground, label }: NonNullable<ListedRow['design']>): Card['metadata'] {
  return { backgroundColor: background, foregroundColor: foreground, labelColor: label }
}

/** Numbers are written as the forms of cards write them. */
export function fromWireRecord(body: VaultRecordBody): RecordInput {
  const { card_number, expiry_month, expiry_year, cvv } = body
  return { card_number, expiry_month: String(expiry_month), expiry_year: String(expiry_year), cvv }
}

export function toWireRecord({ id, last4, brand, expMonth, expYear }: AddedRecord): VaultRecord {
  const shown = { card_last4: last4, card_brand: brand, card_exp_month: expMonth, card_exp_year: expYear }
  return { vault_ref_id: id, ...shown }
}
