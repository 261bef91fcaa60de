import { CardList, DeleteCardBody, DeletedCard, ListCardsQuery } from '@mintmark/contract/wire/cards'
import { VaultRecord, VaultRecordBody } from '@mintmark/contract/wire/vault'
import { type Route, route } from '../http/route.ts'
import { perMerchant, publishableKey, secretKey } from '../merchants/credential.ts'
import { merchantLookupFailed, originNotAllowed } from '../merchants/errors.ts'
import type { NetworkCapabilities } from '../network/capabilities.ts'
import { invalidFields, missingFields, notFound } from '../platform/errors.ts'
import { perVaultEntry, refusedOfAddress, refusedOfMerchant } from './credential.ts'
import { cardRefused, customerNotFound, networkDeleteFailed, networkUnavailable, numbersNotTaken } from './errors.ts'
import { CARD_LIST_EXAMPLE, DELETE_BODY, DELETED_EXAMPLE, RECORD_BODY, RECORD_EXAMPLE } from './examples.ts'
import type { CardService } from './service.ts'
import { fromWireDeletion, fromWireFilter, fromWireRecord, toWireDeleted, toWireList, toWireRecord } from './wire.ts'

interface CardRouteDeps {
  /** Where the art of cards is served. */
  apiUrl: string
  capabilities: NetworkCapabilities
}

export function cardRoutes(cards: CardService, { apiUrl, capabilities }: CardRouteDeps): Route[] {
  return [listRoute(cards, apiUrl), deleteRoute(cards), addRecordRoute(cards, capabilities)]
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
      'All of them in one response: the default card first, then the newest. Cards that the network never accepted are in no list, ' +
      'nor is one that its cardholder uses just this once, until it is deleted.',
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

/** Where no number is typed none is taken either, from whichever side: the row stays, and says why it is closed. */
function addRecordRoute(cards: CardService, { cardEntry }: NetworkCapabilities): Route {
  const isClosed = cardEntry !== 'number'
  return route({
    method: 'POST',
    path: '/v1/vault/records',
    operationId: 'createVaultRecord',
    summary: 'Put a card in the vault',
    description:
      "From your server with a secret key, or from a page on one of your allowed origins with a publishable key. A session's " +
      '`card.vault_ref_id` then names the card, and its page asks for the security code only. Each call makes a record of its own.',
    tag: 'Cards',
    auth: [publishableKey, secretKey],
    limit: perVaultEntry,
    refusals: { errors: [cardRefused], limits: [refusedOfAddress, refusedOfMerchant] },
    crossOrigin: true,
    body: VaultRecordBody,
    check(body) {
      if (isClosed) throw numbersNotTaken()
      return cards.recordProblems(body)
    },
    status: 201,
    response: VaultRecord,
    noStore: true,
    example: { body: RECORD_BODY, response: RECORD_EXAMPLE },
    errors: [
      ...(isClosed ? [numbersNotTaken] : []),
      ...[originNotAllowed, invalidFields, cardRefused, networkUnavailable, merchantLookupFailed],
    ],
    async handler({ caller, body }) {
      return toWireRecord(await cards.addRecord(caller.merchantId, fromWireRecord(body)))
    },
  })
}
