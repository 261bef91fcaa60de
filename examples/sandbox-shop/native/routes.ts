import type { IncomingMessage } from 'node:http'
import { existing } from '../buying/checkouts.ts'
import { Refused } from '../buying/refused.ts'
import { findProduct, searchProducts } from '../catalog/products.ts'
import { hasKey, type Reply, readJson } from '../http/listen.ts'
import type { Shop } from '../shop.ts'
import { readPay, readPrepare, readQuote, toWireCheckout, toWireProduct, toWireQuote } from './wire.ts'

interface Call {
  shop: Shop
  /** What the address has in place of `{…}`. */
  id: string
  query: URLSearchParams
  body: () => Promise<unknown>
  origin: string
}

type Row = [method: string, path: RegExp, handler: (call: Call) => Promise<Reply> | Reply]

/** A caller's own reference: its quote, its purchase. */
const REF = '([A-Za-z0-9._:-]{1,64})'
const MAX_PRODUCTS = 100
const GARBAGE = '<!doctype html><title>502</title><h1>Something went wrong'

const ROUTES: readonly Row[] = [
  ['GET', /^\/api\/products$/, search],
  ['GET', /^\/api\/products\/([^/]{1,200})$/, product],
  ['PUT', new RegExp(`^/api/quotes/${REF}$`), quote],
  ['GET', new RegExp(`^/api/quotes/${REF}$`), findQuote],
  ['PUT', new RegExp(`^/api/checkouts/${REF}$`), prepare],
  ['GET', new RegExp(`^/api/checkouts/${REF}$`), inquire],
  ['POST', new RegExp(`^/api/checkouts/${REF}/pay$`), pay],
  ['POST', new RegExp(`^/api/checkouts/${REF}/release$`), release],
  ['POST', new RegExp(`^/api/checkouts/${REF}/resolve$`), resolve],
]

/** The shop's own API. */
export async function nativeApi(shop: Shop, request: IncomingMessage, url: URL, origin: string): Promise<Reply> {
  try {
    if (!hasKey(request, shop.key)) throw new Refused('unauthorized')
    const matches = ROUTES.filter(([, path]) => path.test(url.pathname))
    const row = matches.find(([method]) => method === request.method)
    if (row === undefined) throw new Refused(matches.length === 0 ? 'not_found' : 'method_not_allowed')
    const id = row[1].exec(url.pathname)?.[1] ?? ''
    return await row[2]({ shop, id, query: url.searchParams, body: () => readJson(request), origin })
  } catch (error) {
    if (error instanceof Refused)
      return { status: error.status, body: { error: { code: error.code, message: error.message } } }
    console.error(error)
    return { status: 500, body: { error: { code: 'internal', message: 'The shop has a problem of its own.' } } }
  }
}

function search({ shop, query, origin }: Call): Reply {
  const limit = Number(query.get('limit') ?? 20)
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PRODUCTS) {
    throw new Refused('invalid_request', `limit is 1 to ${MAX_PRODUCTS}.`)
  }
  const page = searchProducts({ query: query.get('query') ?? '', limit, cursor: query.get('cursor') })
  if (page === undefined) throw new Refused('invalid_request', 'The cursor is none of this shop.')
  const products = page.products.map((one) => toWireProduct(one, shop.stock, origin))
  return { status: 200, body: { products, ...(page.nextCursor === null ? {} : { next_cursor: page.nextCursor }) } }
}

function product({ shop, id, origin }: Call): Reply {
  const found = findProduct(id)
  if (found === undefined) throw new Refused('not_found', 'There is no such product.')
  return { status: 200, body: toWireProduct(found, shop.stock, origin) }
}

async function quote({ shop, id, body }: Call): Promise<Reply> {
  return { status: 200, body: toWireQuote(shop.quotes.quote(id, readQuote(await body()))) }
}

function findQuote({ shop, id }: Call): Reply {
  const found = shop.quotes.find(id)
  if (found === undefined) throw new Refused('not_found', 'There is no such quote.')
  return { status: 200, body: toWireQuote(found) }
}

async function prepare({ shop, id, body }: Call): Promise<Reply> {
  return { status: 200, body: toWireCheckout(shop.checkouts.prepare(id, readPrepare(await body()))) }
}

function inquire({ shop, id }: Call): Reply {
  const checkout = existing(shop.checkouts.find(id))
  if (checkout.state === 'refused') throw new Refused('not_found', 'There is no such checkout.')
  return { status: 200, body: toWireCheckout(checkout) }
}

async function pay({ shop, id, body }: Call): Promise<Reply> {
  const { checkout, answer } = await shop.pay(id, readPay(await body()))
  switch (answer) {
    case 'lost':
      return { status: 0, isLost: true }
    case 'garbage':
      return { status: 200, type: 'text/html', body: GARBAGE }
    case 'said':
      return { status: 200, body: toWireCheckout(checkout) }
  }
}

function release({ shop, id }: Call): Reply {
  return { status: 200, body: toWireCheckout(shop.checkouts.release(id)) }
}

/** What a person found out about a checkout that needs one. */
async function resolve({ shop, id, body }: Call): Promise<Reply> {
  const { outcome } = ((await body()) ?? {}) as { outcome?: unknown }
  if (outcome !== 'paid' && outcome !== 'released') throw new Refused('invalid_request', 'outcome is paid or released.')
  return { status: 200, body: toWireCheckout(shop.checkouts.resolve(id, outcome)) }
}
