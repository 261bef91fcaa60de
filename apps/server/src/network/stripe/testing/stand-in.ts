import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type BookedCard,
  type BookedHolder,
  type Books,
  createBooks,
  type Fields,
  fieldsOf,
  StripeRefusal,
} from './stand-in-books.ts'
import {
  createPayments,
  eventsFor,
  type Payments,
  shownAuthorization,
  shownEvent,
  shownTransaction,
} from './stand-in-payments.ts'

/** What goes wrong once: with the request, which is not done then, or with the answer to what was done. */
export type Fault = 'request' | 'answer'
/** Where it goes wrong: at which call, for the card that the service calls so. */
export type FaultyCall = 'make' | 'end_card' | 'end_holder' | 'payments'

interface Asked {
  method: string
  path: string
  form: Fields
}

/**
 * A stand-in for Stripe: a server that keeps books, and answers as Stripe's own client expects. Not an echo: keys are
 * remembered with what was asked, two calls under one key at a time are a conflict, and limits are held.
 */
export async function startStripeStandIn(now: () => Date = () => new Date()) {
  const books = createBooks(now)
  const payments = createPayments(books, now)
  const keys = new Map<string, { asked: string; answer: { status: number; body: object } | null }>()
  const faults = new Map<string, Fault>()
  let calls = 0
  let next: { call: number; fault: Fault } | null = null
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()))

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = await read(request)
    calls += 1
    const fault = next?.call === calls ? next.fault : faultOf(asked)
    if (fault === 'request') return void request.socket.destroy()
    const answer = await answerTo(asked, request)
    if (fault === 'answer') return void request.socket.destroy()
    response.writeHead(answer.status, { 'content-type': 'application/json', 'request-id': 'req_stand_in' })
    response.end(JSON.stringify(answer.body))
  }

  async function answerTo(asked: Asked, { headers }: IncomingMessage): Promise<{ status: number; body: object }> {
    if (!/^Bearer (?:sk|rk)_test_\w+$/.test(headers.authorization ?? ''))
      return errorOf(new StripeRefusal(401, 'api_key'))
    const key = asked.method === 'POST' ? headers['idempotency-key'] : undefined
    if (typeof key !== 'string') return perform(books, payments, asked)
    const text = JSON.stringify([asked.path, asked.form])
    const kept = keys.get(key)
    if (kept !== undefined) {
      if (kept.asked !== text) return errorOf(new StripeRefusal(400, 'idempotency_key_in_use', 'idempotency_error'))
      return kept.answer ?? errorOf(new StripeRefusal(409, 'idempotency_key_in_use'))
    }
    const entry: { asked: string; answer: { status: number; body: object } | null } = { asked: text, answer: null }
    keys.set(key, entry)
    // Others that come meanwhile are told that it is under way.
    await new Promise((resolve) => setImmediate(resolve))
    entry.answer = perform(books, payments, asked)
    if (entry.answer.status === 400) keys.delete(key)
    return entry.answer
  }

  function faultOf({ method, path, form }: Asked): Fault | undefined {
    const subject = subjectOf(books, method, path, form)
    if (subject === undefined) return undefined
    const fault = faults.get(subject)
    faults.delete(subject)
    return fault
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    books,
    payments,
    /** Once, at the next such call for this card of the service. */
    fail: (cardId: string, call: FaultyCall, fault: Fault) => faults.set(`${cardId} ${call}`, fault),
    /** Fails that one among the calls that come from now on; null fails none. */
    failCall(call: number | null, fault: Fault = 'answer') {
      calls = 0
      next = call === null ? null : { call, fault }
    },
    /** How many came since. */
    calls: () => calls,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
export type StripeStandIn = Awaited<ReturnType<typeof startStripeStandIn>>

/** The card of the service that a call is about, and which call it is. */
function subjectOf(books: Books, method: string, path: string, form: Fields): string | undefined {
  const of = (holder: unknown, call: FaultyCall) => {
    const cardId = books.holders().find(({ id }) => id === holder)?.metadata.card_id
    return cardId === undefined ? undefined : `${cardId} ${call}`
  }
  const [, noun, id] = /^\/v1\/issuing\/(\w+)(?:\/(\w+))?$/.exec(path) ?? []
  const holderOf = (card: unknown) => books.cards().find((one) => one.id === card)?.cardholder
  if (noun === 'authorizations' && method === 'GET') return of(holderOf(form.card), 'payments')
  if (method !== 'POST') return undefined
  if (noun === 'cardholders' && id !== undefined) return of(id, 'end_holder')
  if (noun !== 'cards') return undefined
  if (id !== undefined) return of(holderOf(id), 'end_card')
  return fieldsOf(form.metadata).charge_id === undefined ? undefined : of(form.cardholder, 'make')
}

function perform(books: Books, payments: Payments, asked: Asked): { status: number; body: object } {
  try {
    return { status: 200, body: routeOfPayments(payments, asked) ?? route(books, payments, asked) }
  } catch (error) {
    if (error instanceof StripeRefusal) return errorOf(error)
    throw error
  }
}

function errorOf({ status, code, type, message }: StripeRefusal) {
  return { status, body: { error: { type, code, message } } }
}

/** What becomes of payments; undefined: it is about something else. */
function routeOfPayments(payments: Payments, { method, path, form }: Asked): object | undefined {
  const expand = Object.values(fieldsOf(form.expand)).map(String)
  if (`${method} ${path}` === 'GET /v1/balance') {
    const available = [{ amount: payments.account.balance, currency: 'usd' }]
    return { object: 'balance', available: [], issuing: { available }, livemode: false }
  }
  if (`${method} ${path}` === 'GET /v1/account') {
    const capabilities = { card_issuing: payments.account.isOpen ? 'active' : 'inactive' }
    return { id: 'acct_stand_in', object: 'account', capabilities }
  }
  if (`${method} ${path}` === 'GET /v1/events') return list(path, form, eventsFor(payments, form), shownEvent)
  if (`${method} ${path}` === 'GET /v1/issuing/transactions') {
    const ofCard = payments.transactions().filter((one) => (form.card ?? one.card) === one.card)
    return list(path, form, ofCard, (one) => shownTransaction(one, expand))
  }
  const [, id] = /^\/v1\/issuing\/transactions\/(\w+)$/.exec(path) ?? []
  if (id !== undefined) return shownTransaction(payments.transaction(id), expand)
  const [, noun, of, act] = /^\/v1\/test_helpers\/issuing\/(\w+)\/(\w+)\/(\w+)$/.exec(path) ?? []
  switch (`${method} ${noun} ${act}`) {
    case 'POST authorizations capture':
      payments.capture(of, form)
      return shownAuthorization(payments.authorization(of))
    case 'POST authorizations reverse':
      return shownAuthorization(payments.end(of, 'reversed'))
    case 'POST authorizations expire':
      return shownAuthorization(payments.end(of, 'expired'))
    case 'POST transactions refund':
      return shownTransaction(payments.refund(of, form), expand)
    default:
      return undefined
  }
}

function route(books: Books, payments: Payments, { method, path, form }: Asked): object {
  const [, noun, id] = /^\/v1\/(?:test_helpers\/)?issuing\/(\w+)(?:\/(\w+))?$/.exec(path) ?? []
  switch (`${method} ${noun}${id === undefined ? '' : '/'}`) {
    case 'POST cardholders':
      return holder(books.createHolder(form))
    case 'GET cardholders/':
      return holder(books.holder(String(id)))
    case 'POST cardholders/':
      return holder(books.updateHolder(String(id), form))
    case 'POST cards':
      return card(books, books.createCard(form))
    case 'GET cards/':
      return card(books, books.card(String(id)), Object.values(fieldsOf(form.expand)).map(String))
    case 'POST cards/':
      return card(books, books.updateCard(String(id), form))
    case 'GET cards':
      return list(path, form, ofCardholder(books, form), (one) => card(books, one))
    case 'GET authorizations': {
      const ofCard = books.authorizations().filter((one) => form.card === undefined || one.card === form.card)
      return list(path, form, ofCard, shownAuthorization)
    }
    case 'POST authorizations': {
      const { country } = fieldsOf(form.merchant_data)
      return shownAuthorization(
        payments.authorize(form.card, { amount: Number(form.amount), country: String(country ?? 'US') }),
      )
    }
    default:
      throw new StripeRefusal(404, 'resource_missing')
  }
}

function ofCardholder(books: Books, form: Fields): BookedCard[] {
  const since = Number(fieldsOf(form.created).gte ?? 0)
  return books.cards().filter((one) => (form.cardholder ?? one.cardholder) === one.cardholder && one.created >= since)
}

function list<T extends { id: string }>(url: string, form: Fields, all: T[], show: (one: T) => object) {
  const from = form.starting_after === undefined ? 0 : all.findIndex(({ id }) => id === form.starting_after) + 1
  const limit = Number(form.limit ?? 10)
  const data = all.slice(from, from + limit).map(show)
  return { object: 'list', url, has_more: all.length > from + limit, data }
}

function holder({ id, name, status, created, metadata }: BookedHolder) {
  return { id, object: 'issuing.cardholder', type: 'company', name, status, created, metadata, livemode: false }
}

function card(books: Books, one: BookedCard, expand: string[] = []) {
  const { id, status, currency, created, metadata, number, cvc, expMonth: exp_month, expYear: exp_year } = one
  const shown = { id, object: 'issuing.card', type: 'virtual', status, currency, created, metadata, livemode: false }
  const secrets = { ...(expand.includes('number') && { number }), ...(expand.includes('cvc') && { cvc }) }
  const limit = one.limitMinor === null ? [] : [{ amount: one.limitMinor, categories: [], interval: 'all_time' }]
  return {
    ...{ ...shown, ...secrets, exp_month, exp_year, brand: 'Visa', last4: number.slice(-4) },
    cardholder: holder(books.holder(one.cardholder)),
    spending_controls: { spending_limits: limit, allowed_merchant_countries: one.countries },
    lifecycle_controls: one.paymentCount === null ? null : { cancel_after: { payment_count: one.paymentCount } },
  }
}

async function read(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const url = new URL(request.url ?? '/', 'http://stand-in')
  const text = request.method === 'GET' ? url.search.slice(1) : Buffer.concat(chunks).toString('utf8')
  return { method: request.method ?? 'GET', path: url.pathname, form: formOf(text) }
}

/** `a[b][0]=c` becomes a field of a field. */
function formOf(text: string): Fields {
  const form: Fields = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split('[').map((part) => part.replace(/\]$/, ''))
    let place = form
    for (const part of path.slice(0, -1)) {
      const inner = fieldsOf(place[part])
      place[part] = inner
      place = inner
    }
    place[path.at(-1) ?? ''] = value
  }
  return form
}
