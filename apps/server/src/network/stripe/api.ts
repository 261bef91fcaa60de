import type { Currency } from '@mintmark/contract'
import { waitAway } from '../../platform/bounds.ts'
import { callStripe, type Form, type StripeAccess, type StripeAnswer } from './client.ts'
import * as shapes from './shapes.ts'

/** The holder of all cards: the operator's own business, as its account at Stripe has it. */
export interface CardholderFacts {
  name: string
  address: { line1: string; city: string; postalCode: string; country: string; state: string | null }
}

/** A call that was read: its value, Stripe's no, or nothing that is known. */
export type Read<T> =
  | { outcome: 'ok'; value: T }
  | { outcome: 'refused'; status: number; code: string }
  | { outcome: 'unknown'; cause: string }

const EVENT_TYPES = [
  'issuing_authorization.created',
  'issuing_authorization.updated',
  'issuing_transaction.created',
  'issuing_transaction.updated',
  'issuing_dispute.created',
]

/** How often a call is made again while another one runs under the same key, and after how long. */
const BUSY_TRIES = 6
const BUSY_MILLIS = 120

/** The calls of Stripe that there are here. */
export function createStripeApi(access: StripeAccess) {
  const get = <T>(path: string, read: (body: unknown) => T | undefined, form: Form = {}) =>
    ask(() => callStripe(access, { method: 'GET', path, form }), read)
  const post = <T>(path: string, read: (body: unknown) => T | undefined, form: Form, idempotencyKey?: string) =>
    ask(() => callStripe(access, { method: 'POST', path, form, ...(idempotencyKey && { idempotencyKey }) }), read)
  return {
    createCardholder: (cardId: string, { name, address }: CardholderFacts) =>
      post(
        '/v1/issuing/cardholders',
        shapes.cardholderOf,
        {
          ...{ type: 'company', name, status: 'active', metadata: { card_id: cardId } },
          billing: { address: addressOf(address) },
        },
        `cardholder-${cardId}`,
      ),
    /** What is shown of a card that was enrolled. It pays nothing: it is not active. */
    createFace: (cardId: string, cardholder: string, currency: Currency) =>
      post(
        '/v1/issuing/cards',
        shapes.cardOf,
        { ...virtual(cardholder, currency), status: 'inactive', metadata: { face_of: cardId } },
        `face-${cardId}`,
      ),
    findCardholder: (id: string) => get(`/v1/issuing/cardholders/${id}`, shapes.cardholderOf),
    endCardholder: (id: string) => post(`/v1/issuing/cardholders/${id}`, shapes.cardholderOf, { status: 'inactive' }),
    /** The same charge id makes the same card, for as long as Stripe remembers its keys. */
    createCard: (card: CardToMake) => post('/v1/issuing/cards', shapes.cardOf, formOf(card), card.chargeId),
    findCard: (id: string) => get(`/v1/issuing/cards/${id}`, shapes.cardOf),
    /** With number and code, which Stripe tells with this one call. */
    readCard: (id: string) => get(`/v1/issuing/cards/${id}`, shapes.cardOf, { expand: ['number', 'cvc'] }),
    endCard: (id: string) => post(`/v1/issuing/cards/${id}`, shapes.cardOf, { status: 'canceled' }),
    listCards: (cardholder: string, since: Date) =>
      whole((after) =>
        get('/v1/issuing/cards', (body) => shapes.pageOf(body, shapes.cardOf), {
          ...{ cardholder, limit: 100, created: { gte: Math.floor(since.getTime() / 1000) } },
          starting_after: after,
        }),
      ),
    listAuthorizations: (card: string) =>
      whole((after) =>
        get('/v1/issuing/authorizations', (body) => shapes.pageOf(body, shapes.authorizationOf), {
          ...{ card, limit: 100, starting_after: after },
        }),
      ),
    /** What was taken and given back, each with its dispute. */
    listTransactions: (card: string) =>
      whole((after) =>
        get('/v1/issuing/transactions', (body) => shapes.pageOf(body, shapes.transactionOf), {
          ...{ card, limit: 100, expand: ['data.dispute'], starting_after: after },
        }),
      ),
    /** What the issuing balance has in the currency. */
    readBalance: (currency: Currency) => get('/v1/balance', (body) => shapes.balanceOf(body, currency.toLowerCase())),
    /** Whether the account may make cards. */
    readIssuing: () => get('/v1/account', shapes.issuesCards),
    findTransaction: (id: string) =>
      get(`/v1/issuing/transactions/${id}`, shapes.transactionOf, { expand: ['dispute'] }),
    /** What has happened to payments since then. Stripe knows its events for thirty days. */
    listEvents: (since: Date) =>
      whole((after) =>
        get('/v1/events', (body) => shapes.pageOf(body, shapes.eventOf), {
          ...{ types: EVENT_TYPES, limit: 100, created: { gte: Math.floor(since.getTime() / 1000) } },
          starting_after: after,
        }),
      ),
  }
}
export type StripeApi = ReturnType<typeof createStripeApi>

export interface CardToMake {
  chargeId: string
  mandateId: string
  cardholder: string
  currency: Currency
  amountMinor: bigint
  /** Null: any. */
  merchantCountry: string | null
}

function virtual(cardholder: string, currency: Currency) {
  return { type: 'virtual', cardholder, currency: currency.toLowerCase() } as const
}

/** One purchase, once, of at most the amount, at shops of the country, and nowhere that a card is shown. */
function formOf({ chargeId, mandateId, cardholder, currency, amountMinor, merchantCountry }: CardToMake): Form {
  return {
    ...virtual(cardholder, currency),
    status: 'active',
    spending_controls: {
      spending_limits: { 0: { amount: amountMinor.toString(), interval: 'all_time' } },
      allowed_card_presences: ['not_present'],
      ...(merchantCountry !== null && { allowed_merchant_countries: [merchantCountry] }),
    },
    lifecycle_controls: { cancel_after: { payment_count: 1 } },
    metadata: { charge_id: chargeId, mandate_id: mandateId },
  }
}

function addressOf({ line1, city, postalCode, country, state }: CardholderFacts['address']): Form {
  return { line1, city, postal_code: postalCode, country, ...(state !== null && { state }) }
}

async function ask<T>(call: () => Promise<StripeAnswer>, read: (body: unknown) => T | undefined): Promise<Read<T>> {
  for (let number = 1; ; number += 1) {
    const answer = await call()
    if (answer.outcome === 'ok') {
      const value = read(answer.body)
      return value === undefined
        ? { outcome: 'unknown', cause: 'an answer of another shape' }
        : { outcome: 'ok', value }
    }
    if (answer.outcome === 'refused') return answer
    if (!answer.isBusy || number === BUSY_TRIES) return { outcome: 'unknown', cause: answer.cause }
    await waitAway(BUSY_MILLIS * number)
  }
}

/** More pages than any cardholder has cards for in a day; a list that goes on behind them is not whole. */
const MAX_PAGES = 20

type Page<T> = { entries: T[]; after: string | null; isLast: boolean }

/** A list that was read to its end; a part of it says nothing of what is not in it. */
async function whole<T>(read: (after: string | undefined) => Promise<Read<Page<T>>>): Promise<Read<T[]>> {
  const entries: T[] = []
  let after: string | undefined
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await read(after)
    if (page.outcome !== 'ok') return page
    entries.push(...page.value.entries)
    if (page.value.isLast) return { outcome: 'ok', value: entries }
    if (page.value.after === null) break
    after = page.value.after
  }
  return { outcome: 'unknown', cause: 'a list without an end' }
}
