import type { CardList, DeleteCardBody, DeletedCard } from '@mintmark/contract/wire/cards'
import type { VaultRecord, VaultRecordBody } from '@mintmark/contract/wire/vault'

export const CARD_LIST_EXAMPLE: CardList = {
  cards: [
    {
      card_id: 'card_5vt707nn6pwg7he6emscbbb1q8',
      card_last4: '4242',
      card_brand: 'visa',
      card_exp_month: 12,
      card_exp_year: 2029,
      masked_card_number: '**** **** **** 4242',
      is_default: true,
      status: 'active',
      card_art_url: null,
      metadata: null,
      created_at: '2026-11-02T12:00:00.000Z',
    },
  ],
  count: 1,
}

export const DELETE_BODY: DeleteCardBody = {
  customer_id: 'user-1',
  card_id: 'card_5vt707nn6pwg7he6emscbbb1q8',
  reason: 'LOST',
}

export const DELETED_EXAMPLE: DeletedCard = {
  success: true,
  card_id: 'card_5vt707nn6pwg7he6emscbbb1q8',
  was_default: true,
  network_token_deleted: true,
}

export const RECORD_BODY: VaultRecordBody = {
  card_number: '4242 4242 4242 4242',
  expiry_month: '12',
  expiry_year: '2029',
  cvv: '123',
}

export const RECORD_EXAMPLE: VaultRecord = {
  vault_ref_id: '5f0c1d9e-0a53-4c36-9d1c-0e6f5d7b2a41',
  card_last4: '4242',
  card_brand: 'visa',
  card_exp_month: 12,
  card_exp_year: 2029,
}
