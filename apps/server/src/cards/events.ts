import type { CardDeletedEventData, CardEndReason } from '@mintmark/contract'
import type { Captured } from '../db/command.ts'
import type { Card } from './store.ts'

type Told = Pick<Card, 'merchantId' | 'id' | 'last4' | 'brand' | 'expMonth' | 'expYear'>

interface Deletion {
  version: number
  reason: CardEndReason
  wasDefault: boolean
  newDefaultId: string | null
  networkTokenDeleted: boolean
}

/** Facts that a list of cards shows as well: no number, no vault record, nothing of the customer. */
export function cardDeleted(card: Told, deletion: Deletion): Captured<'card.deleted'> {
  const { version, reason, wasDefault, newDefaultId, networkTokenDeleted } = deletion
  const { merchantId, id, last4, brand, expMonth, expYear } = card
  const data: CardDeletedEventData = {
    card_id: id,
    status: 'deleted',
    reason,
    was_default: wasDefault,
    new_default_card_id: newDefaultId,
    network_token_deleted: networkTokenDeleted,
    card: { last4, brand, exp_month: expMonth, exp_year: expYear },
  }
  return { merchantId, type: 'card.deleted', resource: { type: 'card', id, version }, data }
}
