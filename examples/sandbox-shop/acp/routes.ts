import type { IncomingMessage } from 'node:http'
import type { Card } from '../buying/acquirer.ts'
import type { Paid } from '../buying/pay.ts'
import { type RefusalCode, Refused } from '../buying/refused.ts'
import { hasKey, type Reply, readJson } from '../http/listen.ts'
import { CURRENCY } from '../pricing/money.ts'
import type { Shop } from '../shop.ts'
import type { Answered } from './idempotency.ts'
import { AcpError, checkVersion, keyOf, toReply } from './protocol.ts'
import { readComplete, readCreate, readDelegation, readUpdate } from './read.ts'
import type { Session } from './sessions.ts'
import { MERCHANT_ID, toWireFeed, toWireSession } from './wire.ts'

interface Call {
  shop: Shop
  /** The session's. */
  id: string
  key: string
  body: unknown
  origin: string
}

type Handler = (call: Call) => Reply
type Row = [method: string, path: RegExp, handler: Handler | typeof complete]

const ID = '([A-Za-z0-9_]{1,100})'
const GARBAGE: Reply = {
  status: 200,
  type: 'text/html',
  body: '<!doctype html><title>502</title><h1>Something went wrong',
}

const LOST: Reply = { status: 0, isLost: true }

const ROUTES: readonly Row[] = [
  ['GET', /^\/acp\/product_feed$/, feed],
  ['POST', /^\/acp\/agentic_commerce\/delegate_payment$/, delegate],
  ['POST', /^\/acp\/checkout_sessions$/, create],
  ['GET', new RegExp(`^/acp/checkout_sessions/${ID}$`), retrieve],
  ['POST', new RegExp(`^/acp/checkout_sessions/${ID}$`), update],
  ['POST', new RegExp(`^/acp/checkout_sessions/${ID}/complete$`), complete],
  ['POST', new RegExp(`^/acp/checkout_sessions/${ID}/cancel$`), cancel],
]

/** The Agentic Commerce Protocol, over the same stock, checkouts and orders as the shop's own API. */
export async function acpApi(shop: Shop, request: IncomingMessage, url: URL, origin: string): Promise<Reply> {
  const reply = await answer(shop, request, url, origin).catch(toReply)
  const echo = (name: string) => {
    const value = request.headers[name]
    return typeof value === 'string' ? { [name]: value } : {}
  }
  return { ...reply, headers: { ...reply.headers, ...echo('request-id'), ...echo('idempotency-key') } }
}

async function answer(shop: Shop, request: IncomingMessage, { pathname }: URL, origin: string): Promise<Reply> {
  if (!hasKey(request, shop.key)) throw new AcpError(401, 'unauthorized', 'The key is missing or wrong.')
  checkVersion(request)
  const matches = ROUTES.filter(([, path]) => path.test(pathname))
  const row = matches.find(([method]) => method === request.method)
  if (row === undefined && matches.length === 0) throw new AcpError(404, 'not_found', 'There is nothing here.')
  if (row === undefined) throw new AcpError(405, 'method_not_allowed', 'This address takes other methods.')
  const [method, path, handler] = row
  const id = path.exec(pathname)?.[1] ?? ''
  const call = { shop, id, key: '', body: undefined, origin }
  if (handler === complete) {
    const keyed = { ...call, key: keyOf(request), body: await readJson(request) }
    return shop.acp.idempotency.onceLater({ path: pathname, ...keyed }, () => complete(keyed).catch(refused))
  }
  const handle = handler as Handler
  if (method === 'GET') return handle(call)
  const keyed = { ...call, key: keyOf(request), body: await readJson(request) }
  // Nothing of a card is written down in the clear; tokens keep their own keys.
  if (handle === delegate) return handle(keyed)
  return shop.acp.idempotency.once({ path: pathname, ...keyed }, () => orRefusal(() => handle(keyed)))
}

/** A refusal is an answer, and stays the answer to its key. Handlers refuse before they change anything. */
function orRefusal(work: () => Reply): Reply {
  try {
    return work()
  } catch (error) {
    return toReply(error)
  }
}

const refused = (error: unknown): Answered => ({ reply: toReply(error) })
const session = (status: number, one: Session, origin: string): Reply => ({ status, body: toWireSession(one, origin) })

function feed({ shop, origin }: Call): Reply {
  return { status: 200, body: toWireFeed((variantId) => shop.stock.available(variantId) > 0, origin) }
}

function create({ shop, body, origin }: Call): Reply {
  return session(201, shop.acp.sessions.create(readCreate(body)), origin)
}

function retrieve({ shop, id, origin }: Call): Reply {
  return session(200, shop.acp.sessions.find(id), origin)
}

function update({ shop, id, body, origin }: Call): Reply {
  return session(200, shop.acp.sessions.update(id, readUpdate(body)), origin)
}

function cancel({ shop, id, origin }: Call): Reply {
  return session(200, shop.acp.sessions.cancel(id), origin)
}

function delegate({ shop, key, body }: Call): Reply {
  const { metadata, ...delegation } = readDelegation(body, MERCHANT_ID)
  const { id, created, isReplay } = shop.acp.tokens.delegate(key, body, delegation)
  return {
    status: 201,
    headers: isReplay ? { 'idempotent-replayed': 'true' } : {},
    body: {
      id,
      created: created.toISOString(),
      metadata: { ...metadata, merchant_id: MERCHANT_ID, idempotency_key: key },
    },
  }
}

/**
 * Reserves and pays. A session that is completed, under way, or waits for a person is returned as it is, whatever the key: the first
 * completion may be the one whose answer was lost.
 */
async function complete(call: Call): Promise<Answered> {
  const { shop, id, body, origin } = call
  const { sessions, tokens } = shop.acp
  const { token } = readComplete(body)
  const before = sessions.find(id)
  if (before.status === 'canceled' || before.status === 'expired') {
    throw new AcpError(409, before.status, `The session is ${before.status}.`)
  }
  if (before.status !== 'ready_for_payment') return { reply: session(200, before, origin) }
  const { total } = before.priced.totals
  const card = tokens.find(token, { sessionId: id, amount: total })
  if (card === undefined) {
    const param = '$.payment_data.instrument.credential.token'
    throw new AcpError(400, 'invalid_token', 'The token is none, used, over, of another session, or too small.', param)
  }
  const paid = await pay(call, before, card)
  if (paid?.answer === 'lost' && paid.checkout.state === 'open') return { reply: { status: 500 }, sent: LOST }
  tokens.spend(token)
  const reply = session(200, sessions.find(id), origin)
  if (paid?.answer === 'lost') return { reply, sent: LOST }
  return paid?.answer === 'garbage' ? { reply, sent: GARBAGE } : { reply }
}

/** Undefined: refused, and the session says why. */
async function pay({ shop }: Call, before: Session, card: Card): Promise<Paid | undefined> {
  try {
    const { ref } = shop.acp.sessions.prepare(before)
    return await shop.pay(ref, { card, total: before.priced.totals.total, currency: CURRENCY })
  } catch (error) {
    if (error instanceof Refused && SHOWN_BY_THE_SESSION.includes(error.code)) return undefined
    throw error
  }
}

const SHOWN_BY_THE_SESSION: readonly RefusalCode[] = ['card_declined', 'insufficient_funds', 'out_of_stock']
