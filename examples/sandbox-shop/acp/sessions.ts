import { randomBytes } from 'node:crypto'
import { type Checkout, type CheckoutState, type Checkouts, failureOf } from '../buying/checkouts.ts'
import type { Database } from '../buying/database.ts'
import type { Priced, QuoteRequest, Quotes } from '../buying/quotes.ts'
import { Refused } from '../buying/refused.ts'
import { findVariant } from '../catalog/products.ts'
import { mayLackUnit } from '../pricing/address.ts'
import { AcpError } from './protocol.ts'
import type { Basket, Changes, Details } from './read.ts'

export const SESSION_TABLE = `
  create table if not exists acp_sessions (
    id text primary key, content text not null, attempt integer not null default 1, canceled integer not null default 0,
    created_at integer not null, updated_at integer not null, expires_at integer not null) strict;
`

export type OptionId = 'standard' | 'express' | 'pickup' | 'file'

interface Content extends Basket {
  details: Details | null
  buyer: Record<string, unknown> | null
  optionId: OptionId | null
}

export type Status =
  | 'not_ready_for_payment'
  | 'ready_for_payment'
  | 'complete_in_progress'
  | 'completed'
  | 'requires_escalation'
  | 'canceled'
  | 'expired'

export type Message =
  | { type: 'info'; param?: string; content: string }
  | { type: 'warning' | 'error'; code: string; param?: string; content: string }

/** A session as it stands, priced. */
export interface Session {
  id: string
  status: Status
  content: Content
  /** Null: the shop does not send there. */
  option: OptionId | null
  options: readonly { id: OptionId; priced: Priced }[]
  priced: Priced
  messages: Message[]
  checkout: Checkout | undefined
  createdAt: Date
  updatedAt: Date
  expiresAt: Date
}

export interface SessionDeps {
  db: Database
  quotes: Quotes
  checkouts: Checkouts
  now: () => Date
  quoteSeconds: number
}

interface Row {
  id: string
  content: Content
  attempt: number
  isCancelled: boolean
  createdAt: Date
  updatedAt: Date
  expiresAt: Date
}

/** A session of the protocol is a basket until it is completed; then a checkout of the shop, and a further one after a decline. */
export function createSessions(deps: SessionDeps) {
  const { db, now, checkouts } = deps
  const sql = prepareStatements(db)
  const expiry = () => now().getTime() + deps.quoteSeconds * 1000

  function read(id: string): Row {
    const row = sql.select.get(id)
    if (row === undefined) throw new AcpError(404, 'not_found', 'There is no such checkout session.')
    return fromRow(row)
  }

  const find = (id: string): Session => standing(deps, read(id), true)

  /** Its first answer shows what the catalog shows; a product that changes has changed when it is looked at again. */
  function create({ items, details, buyer }: Changes & Basket): Session {
    const id = `cs_${randomBytes(12).toString('hex')}`
    const content = JSON.stringify({
      ...{ items, details: details ?? null, buyer: buyer ?? null, optionId: null },
    } satisfies Content)
    sql.insert.run({ id, content, at: now().getTime(), expiresAt: expiry() })
    return standing(deps, read(id), false)
  }

  function update(id: string, changes: Changes): Session {
    const { options, checkout } = mayChange(find(id))
    const { optionId, ...rest } = changes
    const chosen = options.find((option) => option.id === optionId)?.id
    if (optionId !== undefined && chosen === undefined) {
      const param = '$.selected_fulfillment_options[0].option_id'
      throw new AcpError(400, 'invalid', 'The shop offers no such option.', param)
    }
    if (checkout?.state === 'open') checkouts.release(checkout.ref)
    const row = read(id)
    save(row, { ...row.content, ...rest, ...(chosen === undefined ? {} : { optionId: chosen }) })
    return find(id)
  }

  /** What is bought from here on is another checkout. */
  function save({ id, attempt }: Row, content: Content): void {
    sql.update.run({
      id,
      content: JSON.stringify(content),
      attempt: attempt + 1,
      at: now().getTime(),
      expiresAt: expiry(),
    })
  }

  function cancel(id: string): Session {
    const { checkout, status } = find(id)
    if (['completed', 'canceled', 'complete_in_progress', 'requires_escalation'].includes(status)) {
      throw new AcpError(405, 'not_cancelable', `The session is ${status}.`)
    }
    if (checkout?.state === 'open') checkouts.release(checkout.ref)
    sql.cancel.run(now().getTime(), id)
    return find(id)
  }

  /** The checkout that a completion pays: prepared, and the same one if it was prepared before. */
  function prepare(session: Session): Checkout {
    return db.transaction(() => {
      const row = read(session.id)
      // After a decline, or when time gave the goods back, the buyer may try again.
      if (session.checkout !== undefined && session.checkout.state !== 'open') save(row, row.content)
      const ref = refOf(read(session.id))
      const quote = deps.quotes.quote(ref, requestOf(row.content, session.option ?? 'pickup', true))
      return checkouts.prepare(ref, { quote: ref, total: quote.total, currency: 'USD' })
    })
  }

  return { create, find, update, cancel, prepare }
}

export type Sessions = ReturnType<typeof createSessions>

function mayChange(session: Session): Session {
  if (['ready_for_payment', 'not_ready_for_payment', 'expired'].includes(session.status)) return session
  throw new AcpError(409, 'conflict', `The session is ${session.status}, and cannot be changed.`)
}

/** No reference of the shop's own API has a slash. */
const refOf = ({ id, attempt }: Row): string => `acp/${id}/${attempt}`

function requestOf({ items, details, buyer }: Content, option: OptionId, isLater: boolean): QuoteRequest {
  return {
    items,
    address: details?.address ?? null,
    email: typeof buyer?.email === 'string' ? buyer.email : null,
    ...(option === 'express' ? { isExpress: true } : {}),
    ...(isLater ? { isLater } : {}),
  }
}

function standing({ quotes, checkouts, now }: SessionDeps, row: Row, isLater: boolean): Session {
  const { content, ...session } = row
  const checkout = checkouts.find(refOf(row))
  const messages = [...messagesOf(checkout), ...(isLater ? laterMessages(content) : [])]
  const short = quotes.shortOf(content.items)
  if (short !== undefined && !HOLDING.includes(checkout?.state)) messages.push(outOfStock(content, short))
  const options = optionsOf(content).flatMap((id) => {
    try {
      return [{ id, priced: quotes.price(requestOf(content, id, isLater)) }]
    } catch (error) {
      if (error instanceof Refused && error.code === 'address_refused') return []
      throw error
    }
  })
  const chosen = options.find(({ id }) => id === content.optionId) ?? options[0]
  if (chosen === undefined) messages.push(NOT_SENT_THERE)
  if (content.details?.address && mayLackUnit(content.details.address)) messages.push(MAY_LACK_UNIT)
  // Something has to be shown of what is not sent: the goods alone.
  const priced = chosen?.priced ?? quotes.price({ ...requestOf(content, 'pickup', isLater), address: null })
  const status = statusOf(row, checkout, { isBlocked: messages.some(blocks), isExpired: row.expiresAt <= now() })
  return { ...session, content, checkout, options, priced, option: chosen?.id ?? null, messages, status }
}

/** What is bought or being bought is taken: that none is left says nothing against it. */
const HOLDING: readonly (CheckoutState | undefined)[] = ['open', 'in_progress', 'paid', 'needs_human']

/** Without an address the goods are collected at the shop; what weighs nothing is a file. */
function optionsOf({ items, details }: Content): OptionId[] {
  if (items.every(({ variantId }) => findVariant(variantId)?.variant.grams === 0)) return ['file']
  return details?.address ? ['standard', 'express'] : ['pickup']
}

function statusOf(
  { isCancelled }: Row,
  checkout: Checkout | undefined,
  { isBlocked, isExpired }: { isBlocked: boolean; isExpired: boolean },
): Status {
  if (isCancelled) return 'canceled'
  switch (checkout?.state) {
    case 'paid':
      return 'completed'
    case 'in_progress':
      return 'complete_in_progress'
    case 'needs_human':
      return 'requires_escalation'
    case 'released':
      if (checkout.reason === 'resolved') return 'canceled'
  }
  if (isExpired) return 'expired'
  return isBlocked ? 'not_ready_for_payment' : 'ready_for_payment'
}

/** A card that was declined is no reason against another card. */
const blocks = (message: Message): boolean => message.type === 'error' && message.code !== 'payment_declined'

function messagesOf(checkout: Checkout | undefined): Message[] {
  switch (checkout?.state) {
    case 'declined':
      return [{ type: 'error', code: 'payment_declined', content: declineWords(checkout) }]
    case 'needs_human':
      return [{ type: 'error', code: 'intervention_required', content: 'A person of the shop has to look at this.' }]
    default:
      return []
  }
}

function declineWords({ reason }: Checkout): string {
  return reason === 'insufficient_funds' ? 'The card has not enough funds.' : 'The card was declined. Try another one.'
}

function laterMessages(content: Content): Message[] {
  const lines = content.items.map(({ variantId }) => ({ productId: findVariant(variantId)?.product.id ?? '' }))
  const index = lines.findIndex((line) => failureOf([line]) !== undefined)
  switch (failureOf(lines)) {
    case 'out_of_stock':
      return [outOfStock(content, content.items[index]?.variantId ?? '')]
    case 'price_changed':
      return [
        { type: 'warning', code: 'price_change', param: `$.line_items[${index}]`, content: 'The price has changed.' },
      ]
    default:
      return []
  }
}

function outOfStock({ items }: Content, variantId: string): Message {
  const index = items.findIndex((item) => item.variantId === variantId)
  const param = `$.line_items[${index}].item.id`
  return { type: 'error', code: 'out_of_stock', param, content: 'There is not enough of it.' }
}

const NOT_SENT_THERE: Message = {
  type: 'error',
  code: 'region_restricted',
  param: '$.fulfillment_details.address',
  content: 'The shop does not send there.',
}
const MAY_LACK_UNIT: Message = {
  type: 'info',
  param: '$.fulfillment_details.address.line_two',
  content: 'The address may need an apartment or unit number.',
}

function prepareStatements(db: Database) {
  return {
    select: db.prepare('select * from acp_sessions where id = ?'),
    insert: db.prepare(`insert into acp_sessions (id, content, created_at, updated_at, expires_at)
      values ($id, $content, $at, $at, $expiresAt)`),
    update: db.prepare(`update acp_sessions set content = $content, attempt = $attempt, updated_at = $at,
      expires_at = $expiresAt where id = $id`),
    cancel: db.prepare('update acp_sessions set canceled = 1, updated_at = ? where id = ?'),
  }
}

function fromRow(row: Record<string, unknown>): Row {
  return {
    id: String(row.id),
    content: JSON.parse(String(row.content)) as Content,
    attempt: Number(row.attempt),
    isCancelled: row.canceled === 1n,
    createdAt: new Date(Number(row.created_at)),
    updatedAt: new Date(Number(row.updated_at)),
    expiresAt: new Date(Number(row.expires_at)),
  }
}
