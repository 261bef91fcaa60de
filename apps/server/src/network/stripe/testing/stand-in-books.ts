import { randomBytes, randomInt } from 'node:crypto'

// What the stand-in for Stripe keeps and decides: only the part of Issuing that the adapter uses.

export interface Fields {
  [name: string]: string | Fields | undefined
}

export interface BookedCard {
  id: string
  cardholder: string
  status: 'active' | 'inactive' | 'canceled'
  number: string
  cvc: string
  created: number
  /** Null: no limit. */
  limitMinor: number | null
  countries: string[] | null
  paymentCount: number | null
  currency: string
  metadata: Record<string, string>
  expMonth: number
  expYear: number
  spentMinor: number
}

export interface BookedAuthorization {
  id: string
  card: string
  amount: number
  approved: boolean
  reason: string
  status: 'pending' | 'closed' | 'reversed' | 'expired'
  country: string
  created: number
}

export interface BookedHolder {
  id: string
  name: string
  status: 'active' | 'inactive'
  created: number
  metadata: Record<string, string>
}

/** An error as Stripe says it. */
export class StripeRefusal extends Error {
  readonly status: number
  readonly code: string
  readonly type: string

  constructor(status: number, code: string, type = 'invalid_request_error') {
    super(`The stand-in refuses: ${code}.`)
    this.status = status
    this.code = code
    this.type = type
  }
}

export function createBooks(now: () => Date) {
  const holders = new Map<string, BookedHolder>()
  const cards = new Map<string, BookedCard>()
  const authorizations = new Map<string, BookedAuthorization>()
  const seconds = () => Math.floor(now().getTime() / 1000)

  function find<T>(map: Map<string, T>, id: unknown): T {
    const found = typeof id === 'string' ? map.get(id) : undefined
    if (found === undefined) throw new StripeRefusal(404, 'resource_missing')
    return found
  }

  function createHolder(form: Fields): BookedHolder {
    const address = fieldsOf(fieldsOf(form.billing).address)
    for (const name of ['line1', 'city', 'postal_code', 'country']) required(address, name)
    const holder: BookedHolder = {
      ...{ id: newId('ich_'), name: required(form, 'name'), status: 'active', created: seconds() },
      metadata: textsOf(form.metadata),
    }
    holders.set(holder.id, holder)
    return holder
  }

  function updateHolder(id: string, form: Fields): BookedHolder {
    const holder = find(holders, id)
    if (form.status === 'active' || form.status === 'inactive') holder.status = form.status
    return holder
  }

  function createCard(form: Fields): BookedCard {
    const holder = holders.get(String(form.cardholder))
    if (holder === undefined) throw new StripeRefusal(400, 'resource_missing')
    if (form.type !== 'virtual') throw new StripeRefusal(400, 'parameter_invalid')
    const isActive = form.status === 'active'
    if (isActive && holder.status !== 'active') throw new StripeRefusal(400, 'cardholder_inactive')
    const controls = fieldsOf(form.spending_controls)
    const [limit] = Object.values(fieldsOf(controls.spending_limits))
    const countries = Object.values(fieldsOf(controls.allowed_merchant_countries)).map(String)
    const after = fieldsOf(fieldsOf(form.lifecycle_controls).cancel_after).payment_count
    const card: BookedCard = {
      ...{ id: newId('ic_'), cardholder: holder.id, status: isActive ? 'active' : 'inactive', created: seconds() },
      ...{ number: newNumber(), cvc: String(randomInt(1_000)).padStart(3, '0'), spentMinor: 0 },
      limitMinor: limit === undefined ? null : Number(required(fieldsOf(limit), 'amount')),
      countries: countries.length === 0 ? null : countries,
      paymentCount: after === undefined ? null : Number(after),
      currency: required(form, 'currency'),
      metadata: textsOf(form.metadata),
      ...{ expMonth: now().getUTCMonth() + 1, expYear: now().getUTCFullYear() + 3 },
    }
    cards.set(card.id, card)
    return card
  }

  function updateCard(id: string, form: Fields): BookedCard {
    const card = find(cards, id)
    // What is cancelled stays so, and is not changed any more.
    if (card.status === 'canceled') throw new StripeRefusal(400, 'card_canceled')
    if (form.status === 'canceled' || form.status === 'active' || form.status === 'inactive') card.status = form.status
    return card
  }

  /** Judged and written in one go: of a payment and the end of its card one comes first. */
  function authorize(id: unknown, asked: { amount: number; country: string }): BookedAuthorization {
    const card = find(cards, id)
    const reason = refusalOf(card, holders.get(card.cardholder), asked)
    const approved = reason === null
    const authorization: BookedAuthorization = {
      ...{ id: newId('iauth_'), card: card.id, ...asked, approved, reason: reason ?? 'webhook_approved' },
      ...{ status: approved ? 'pending' : 'closed', created: seconds() },
    }
    authorizations.set(authorization.id, authorization)
    if (!approved) return authorization
    card.spentMinor += asked.amount
    const payments = [...authorizations.values()].filter((one) => one.card === card.id && one.approved).length
    if (card.paymentCount !== null && payments >= card.paymentCount) card.status = 'canceled'
    return authorization
  }

  return {
    ...{ createHolder, updateHolder, createCard, updateCard, authorize },
    holder: (id: string) => find(holders, id),
    card: (id: string) => find(cards, id),
    holders: () => [...holders.values()],
    cards: () => [...cards.values()].toReversed(),
    authorizations: () => [...authorizations.values()].toReversed(),
    byNumber: (number: string) => [...cards.values()].find((card) => card.number === number),
  }
}
function refusalOf(
  card: BookedCard,
  holder: BookedHolder | undefined,
  { amount, country }: { amount: number; country: string },
): string | null {
  if (card.status !== 'active') return 'card_inactive'
  if (holder?.status !== 'active') return 'cardholder_inactive'
  if (card.countries !== null && !card.countries.includes(country)) return 'spending_controls'
  return card.limitMinor !== null && card.spentMinor + amount > card.limitMinor ? 'spending_controls' : null
}

export type Books = ReturnType<typeof createBooks>

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}

function textsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(fieldsOf(value)).map(([name, text]) => [name, String(text)]))
}

function required(form: Fields, name: string): string {
  const value = form[name]
  if (typeof value !== 'string' || value === '') throw new StripeRefusal(400, 'parameter_missing')
  return value
}

function newId(prefix: string): string {
  return `${prefix}${randomBytes(12).toString('hex')}`
}

/** In a range of test cards, with its check digit. */
function newNumber(): string {
  const digits = `400000999${String(randomInt(1_000_000)).padStart(6, '0')}`
  const sum = [...digits].toReversed().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}
