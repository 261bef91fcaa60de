import { CardList, DeleteCardBody, DeletedCard, ListCardsQuery } from '@mintmark/contract/wire/cards'
import { type Route, route } from '../http/route.ts'
import { perMerchant, secretKey } from '../merchants/credential.ts'
import { missingFields, notFound } from '../platform/errors.ts'
import { customerNotFound, networkDeleteFailed } from './errors.ts'
import { CARD_LIST_EXAMPLE, DELETE_BODY, DELETED_EXAMPLE } from './examples.ts'
import type { CardService } from './service.ts'
import { fromWireDeletion, fromWireFilter, toWireDeleted, toWireList } from './wire.ts'

/** `apiUrl`: where the art of cards is served. */
export function cardRoutes(cards: CardService, apiUrl: string): Route[] {
  return [listRoute(cards, apiUrl), deleteRoute(cards)]
}

const COMMON = {
  tag: 'Cards',
  auth: [secretKey],
  limit: perMerchant,
  status: 200,
  noStore: true,
  missing: missingFields,
} as const

function listRoute(cards: CardService, apiUrl: string): Route {
  return route({
    ...COMMON,
    method: 'GET',
    path: '/v1/listCards',
    operationId: 'listCards',
    summary: 'List the cards of a customer',
    description:
      'All of them in one response: the default card first, then the newest. Cards that the network never accepted are in no list.',
    query: ListCardsQuery,
    response: CardList,
    example: { response: CARD_LIST_EXAMPLE },
    errors: [missingFields, customerNotFound],
    async handler({ caller, query }) {
      const art = query.include_card_art === 'true' ? { apiUrl } : null
      return toWireList(await cards.list(fromWireFilter(caller, query)), art)
    },
  })
}

function deleteRoute(cards: CardService): Route {
  return route({
    ...COMMON,
    method: 'POST',
    path: '/v1/deleteCard',
    operationId: 'deleteCard',
    summary: 'Delete a card',
    description:
      'For good, unless the customer enters the same card again. The card network deletes its token and voids credentials that ' +
      'were not used; mandates that the card pays are cancelled, and its number is destroyed. Charges that wait for a report are ' +
      'still to be reported. Asked again, it returns the first result.',
    body: DeleteCardBody,
    response: DeletedCard,
    example: { body: DELETE_BODY, response: DELETED_EXAMPLE },
    errors: [missingFields, customerNotFound, notFound, networkDeleteFailed],
    async handler({ caller, body }) {
      return toWireDeleted(await cards.remove(fromWireDeletion(caller, body)))
    },
  })
}
