import { randomBytes } from 'node:crypto'
import { type BookedAuthorization, type Books, type Fields, fieldsOf, StripeRefusal } from './stand-in-books.ts'

// What becomes of payments at the stand-in for Stripe: captures, reversals, refunds and disputes, and the events that
// tell of them.

interface BookedTransaction {
  id: string
  type: 'capture' | 'refund'
  card: string
  authorization: string
  /** Taken: below zero. */
  amount: number
  created: number
  dispute: { id: string; amount: number; created: number } | null
}

interface BookedEvent {
  id: string
  type: string
  created: number
  object: object
}

export function createPayments(books: Books, now: () => Date) {
  const transactions: BookedTransaction[] = []
  const events: BookedEvent[] = []
  const seconds = () => Math.floor(now().getTime() / 1000)

  function tell(type: string, object: object): BookedEvent {
    const event = { id: `evt_${randomBytes(12).toString('hex')}`, type, created: seconds(), object }
    events.unshift(event)
    return event
  }

  function authorizationOf(id: unknown): BookedAuthorization {
    const found = books.authorizations().find((one) => one.id === id)
    if (found === undefined) throw new StripeRefusal(404, 'resource_missing')
    return found
  }

  function transactionOf(id: unknown): BookedTransaction {
    const found = transactions.find((one) => one.id === id)
    if (found === undefined) throw new StripeRefusal(404, 'resource_missing')
    return found
  }

  function book(type: 'capture' | 'refund', { id: authorization, card }: BookedAuthorization, amount: number) {
    const made: BookedTransaction = {
      ...{ id: `ipi_${randomBytes(12).toString('hex')}`, type, card, authorization, dispute: null },
      ...{ amount: type === 'capture' ? -amount : amount, created: seconds() },
    }
    transactions.unshift(made)
    tell('issuing_transaction.created', shownTransaction(made, []))
    return made
  }

  const takenOf = (id: string) =>
    transactions
      .filter((one) => one.authorization === id && one.type === 'capture')
      .reduce((sum, { amount }) => sum - amount, 0)

  return {
    /** What the account has to pay from, and whether it may issue: tests set both. */
    account: { balance: 500_000, isOpen: true },
    authorize(card: unknown, asked: { amount: number; country: string }): BookedAuthorization {
      const made = books.authorize(card, asked)
      tell('issuing_authorization.created', shownAuthorization(made))
      return made
    },
    capture(id: unknown, form: Fields = {}): BookedTransaction {
      const authorization = authorizationOf(id)
      if (!authorization.approved) throw new StripeRefusal(400, 'authorization_declined')
      const amount = Number(form.capture_amount ?? authorization.amount - takenOf(authorization.id))
      const made = book('capture', authorization, amount)
      if (form.close_authorization !== 'false') authorization.status = 'closed'
      tell('issuing_authorization.updated', shownAuthorization(authorization))
      return made
    },
    end(id: unknown, status: 'reversed' | 'expired'): BookedAuthorization {
      const authorization = authorizationOf(id)
      if (authorization.status !== 'pending') throw new StripeRefusal(400, 'authorization_closed')
      authorization.status = status
      tell('issuing_authorization.updated', shownAuthorization(authorization))
      return authorization
    },
    refund(id: unknown, form: Fields = {}): BookedTransaction {
      const { authorization, amount } = transactionOf(id)
      return book('refund', authorizationOf(authorization), Number(form.refund_amount ?? -amount))
    },
    dispute(id: unknown, amount: number): object {
      const disputed = transactionOf(id)
      disputed.dispute = { id: `idp_${randomBytes(12).toString('hex')}`, amount, created: seconds() }
      const shown = { ...disputed.dispute, object: 'issuing.dispute', transaction: disputed.id, livemode: false }
      tell('issuing_dispute.created', shown)
      return shown
    },
    authorization: authorizationOf,
    transaction: (id: unknown) => transactionOf(id),
    transactions: () => transactions,
    events: () => events,
  }
}
export type Payments = ReturnType<typeof createPayments>

export function shownAuthorization({ id, card: of, amount, approved, reason, ...rest }: BookedAuthorization) {
  const { status, country, created } = rest
  const shown = { id, object: 'issuing.authorization', card: { id: of, object: 'issuing.card' }, amount, approved }
  const merchant_data = { country, name: 'SHOP EXAMPLE', network_id: '1234567890' }
  const request_history = [{ amount, approved, reason, created }]
  return { ...shown, status, created, currency: 'usd', livemode: false, merchant_data, request_history }
}

export function shownTransaction({ dispute, ...shown }: BookedTransaction, expand: readonly string[]) {
  const isWhole = expand.includes('dispute') || expand.includes('data.dispute')
  return {
    ...{ ...shown, object: 'issuing.transaction', currency: 'usd', livemode: false },
    merchant_data: { name: 'SHOP EXAMPLE', country: 'US', network_id: '1234567890' },
    dispute: dispute === null ? null : isWhole ? { ...dispute, object: 'issuing.dispute' } : dispute.id,
  }
}

export function shownEvent({ object, ...event }: BookedEvent) {
  return { ...event, object: 'event', api_version: '2026-10-28.endive', livemode: false, data: { object } }
}

/** Newest first, since a time, of the types that are asked for. */
export function eventsFor(payments: Payments, form: Fields): BookedEvent[] {
  const since = Number(fieldsOf(form.created).gte ?? 0)
  const types = Object.values(fieldsOf(form.types)).map(String)
  return payments
    .events()
    .filter(({ created, type }) => created >= since && (types.length === 0 || types.includes(type)))
}
