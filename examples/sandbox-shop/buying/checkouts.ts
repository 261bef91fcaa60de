import { randomBytes } from 'node:crypto'
import type { Failure } from '../catalog/failures.ts'
import { findProduct, findVariant } from '../catalog/products.ts'
import { CURRENCY } from '../pricing/money.ts'
import type { Database } from './database.ts'
import type { Line, Quote, Quotes } from './quotes.ts'
import { type RefusalCode, Refused } from './refused.ts'
import type { Stock } from './stock.ts'

/**
 * How a checkout stands.
 * - `refused`: it was never opened; the reason stays, for a caller who asks again
 * - `open`: its goods are reserved, nothing is paid
 * - `in_progress`: the payment is under way
 * - `paid`: there is an order
 * - `declined`: the card was refused, the goods are given back
 * - `needs_human`: a person has to look, whether it is paid, or before it is; the goods stay reserved
 * - `released`: given back by the buyer, or by time
 */
export type CheckoutState = 'refused' | 'open' | 'in_progress' | 'paid' | 'declined' | 'needs_human' | 'released'

export interface Checkout {
  ref: string
  quote: string
  total: bigint
  state: CheckoutState
  reason: string | null
  /** How many payments were begun. */
  tries: number
  last4: string | null
  orderId: string | null
  authorizationCode: string | null
}

export interface PrepareRequest {
  quote: string
  total: bigint
  currency: string
}

export interface CheckoutDeps {
  db: Database
  stock: Stock
  quotes: Quotes
  now: () => Date
  /** How long goods are kept for a checkout that is not paid. */
  reservationSeconds: number
}

type Reason =
  | 'expired'
  | 'payment_unknown'
  | 'needs_human'
  | 'card_declined'
  | 'insufficient_funds'
  | 'given_back'
  | 'resolved'

export function createCheckouts({ db, stock, quotes, now, reservationSeconds }: CheckoutDeps) {
  const sql = prepareStatements(db)
  const read = (ref: string): Checkout | undefined => fromRow(sql.select.get(ref))
  const linesOf = (quote: string) => quotes.find(quote)?.lines ?? []

  /** Goods whose time is over go back. Each in a statement that finds it open: a payment that was begun keeps them. */
  function expire(): void {
    db.transaction(() => {
      for (const { ref, quote } of sql.selectOverdue.all(now().getTime())) {
        const moved = sql.move.run({ ref: String(ref), from: 'open', to: 'released', reason: 'expired' })
        if (moved.changes === 1n) stock.giveBack(linesOf(String(quote)))
      }
    })
  }

  function find(ref: string): Checkout | undefined {
    expire()
    return read(ref)
  }

  /**
   * Reserves what was quoted. The first outcome for a reference stays: one of many equal requests takes the goods, and a refusal
   * is not turned by stock that comes back, for the caller may have acted on it.
   */
  function prepare(ref: string, request: PrepareRequest): Checkout {
    expire()
    const text = JSON.stringify({ ...request, total: String(request.total) })
    const checkout = db.transaction(() => {
      const known = sql.select.get(ref)
      if (known !== undefined && known.request !== text) throw new Refused('conflict')
      if (known !== undefined) return read(ref)
      const quote = quotes.find(request.quote)
      if (quote === undefined) throw new Refused('not_found', 'There is no such quote.')
      const against = reasonAgainst(quote, request, now())
      const reason = against ?? (stock.takeAll(quote.lines) ? null : 'out_of_stock')
      const reservedUntil = now().getTime() + reservationSeconds * 1000
      const state = reason === null ? 'open' : 'refused'
      sql.insert.run({ ref, request: text, quote: quote.ref, total: quote.total, state, reason, reservedUntil })
      return read(ref)
    })
    if (checkout?.state === 'refused') throw new Refused(checkout.reason as RefusalCode)
    if (checkout?.state === 'released') throw new Refused('released')
    return existing(checkout)
  }

  /** From one state to another, with the goods given back where the end of it is that nothing is bought. */
  function move(
    ref: string,
    from: CheckoutState,
    to: 'open' | 'needs_human' | 'declined' | 'released',
    reason: Reason | null,
  ) {
    return db.transaction(() => {
      if (sql.move.run({ ref, from, to, reason }).changes !== 1n) return false
      if (to === 'declined' || to === 'released') stock.giveBack(linesOf(read(ref)?.quote ?? ''))
      return true
    })
  }

  /** Gives the goods back. Twice is as good as once; what time gave back is said. */
  function release(ref: string): Checkout {
    expire()
    if (!move(ref, releasedFrom(existing(read(ref))), 'released', 'given_back')) {
      const { state, reason } = existing(read(ref))
      if (state !== 'released' || reason !== 'given_back')
        throw new Refused(state === 'refused' ? 'not_found' : openOnly(state))
    }
    return existing(read(ref))
  }

  function finish(ref: string, from: 'in_progress' | 'needs_human', authorizationCode: string | null): boolean {
    const orderId = `ord_${randomBytes(12).toString('hex')}`
    return sql.finish.run({ ref, from, authorizationCode, orderId }).changes === 1n
  }

  /** What a person found out. */
  function resolve(ref: string, outcome: 'paid' | 'released'): Checkout {
    if (outcome === 'paid') finish(ref, 'needs_human', null)
    else move(ref, 'needs_human', 'released', 'resolved')
    const checkout = existing(read(ref))
    if (checkout.state !== outcome) throw new Refused(openOnly(checkout.state))
    return checkout
  }

  return {
    find,
    prepare,
    release,
    resolve,
    expire,
    move,
    findByOrder: (orderId: string): Checkout | undefined => fromRow(sql.selectOrder.get(orderId)),
    /** The one step that lets a caller pay: one of many finds it open. */
    begin: (ref: string, last4: string): boolean => sql.begin.run({ ref, last4, at: now().getTime() }).changes === 1n,
    /** From here on the acquirer may have paid, whatever becomes of this process. */
    ask: (ref: string) => sql.ask.run(ref),
    finish,
    /** A first try that breaks before it is one. */
    countTry: (ref: string): boolean => sql.countTry.run(ref).changes === 1n,
    failureOf: (quote: string): Failure | undefined => failureOf(linesOf(quote)),
    recover: () => recover(sql),
  }
}

export type Checkouts = ReturnType<typeof createCheckouts>

export function existing(checkout: Checkout | undefined): Checkout {
  if (checkout === undefined) throw new Refused('not_found', 'There is no such checkout.')
  return checkout
}

/** Where the shop waits to speak to the buyer no acquirer was asked; where it waits to hear of one, it may be paid. */
function releasedFrom({ state, reason }: Checkout): 'open' | 'needs_human' {
  return state === 'needs_human' && reason === 'needs_human' ? state : 'open'
}

/** What a request that wants an open checkout hears of another state. */
export function openOnly(state: CheckoutState): RefusalCode {
  return state === 'open' || state === 'refused' ? 'conflict' : state
}

/** At the start: payments of a process that is gone, and of which the acquirer was perhaps asked. A card is not stored. */
function recover(sql: ReturnType<typeof prepareStatements>): void {
  sql.recoverUnasked.run()
  sql.recoverAsked.run('payment_unknown' satisfies Reason)
}

function prepareStatements(db: Database) {
  const isUnderWay = "state = 'in_progress'"
  return {
    select: db.prepare('select * from checkouts where ref = ?'),
    selectOrder: db.prepare('select * from checkouts where order_id = ?'),
    selectOverdue: db.prepare("select ref, quote from checkouts where state = 'open' and reserved_until <= ?"),
    insert: db.prepare(`insert into checkouts (ref, request, quote, total, state, reason, reserved_until)
      values ($ref, $request, $quote, $total, $state, $reason, $reservedUntil)`),
    move: db.prepare(
      'update checkouts set state = $to, reason = $reason, asked = 0 where ref = $ref and state = $from',
    ),
    begin: db.prepare(`update checkouts set state = 'in_progress', tries = tries + 1, last4 = $last4
      where ref = $ref and state = 'open' and reserved_until > $at`),
    ask: db.prepare(`update checkouts set asked = 1 where ref = ? and ${isUnderWay}`),
    finish: db.prepare(`update checkouts set state = 'paid', reason = null, order_id = $orderId,
      authorization_code = $authorizationCode where ref = $ref and state = $from`),
    countTry: db.prepare("update checkouts set tries = tries + 1 where ref = ? and state = 'open' and tries = 0"),
    recoverUnasked: db.prepare(`update checkouts set state = 'open' where ${isUnderWay} and asked = 0`),
    recoverAsked: db.prepare(`update checkouts set state = 'needs_human', reason = ? where ${isUnderWay}`),
  }
}

function reasonAgainst(quote: Quote, { total, currency }: PrepareRequest, at: Date): RefusalCode | null {
  if (quote.expiresAt <= at) return 'quote_expired'
  const failure = failureOf(quote.lines)
  if (failure === 'out_of_stock') return failure
  if (failure === 'price_changed' && quote.lines.every(isAtFirstPrice)) return failure
  return total === quote.total && currency === CURRENCY ? null : 'price_changed'
}

const isAtFirstPrice = ({ variantId, unitPrice }: Line): boolean => findVariant(variantId)?.variant.price === unitPrice

export function failureOf(lines: readonly { productId: string }[]): Failure | undefined {
  return lines.map(({ productId }) => findProduct(productId)?.failure).find((failure) => failure !== undefined)
}

function fromRow(row: Record<string, unknown> | undefined): Checkout | undefined {
  if (row === undefined) return undefined
  const text = (value: unknown) => (value === null ? null : String(value))
  return {
    ref: String(row.ref),
    quote: String(row.quote),
    total: row.total as bigint,
    state: row.state as CheckoutState,
    reason: text(row.reason),
    tries: Number(row.tries),
    last4: text(row.last4),
    orderId: text(row.order_id),
    authorizationCode: text(row.authorization_code),
  }
}
