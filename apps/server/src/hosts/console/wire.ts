import type { Environment } from '@mintmark/contract'
import type {
  ConsoleEvents,
  ConsoleHome,
  ConsoleMoment,
  ConsolePayment,
  ConsolePayments,
  ConsolePaymentView,
  ConsoleSignedIn,
} from '@mintmark/contract/wire/console'
import {
  type ConsoleCaller,
  type Home,
  type ListedEvent,
  moneyOf,
  type PaymentRow,
  type PaymentsPage,
  type ReadPayment,
  type SentRow,
} from '../../console/service.ts'
import { amountFromMinor } from '../../platform/money.ts'
import { pageTokenFor } from '../../platform/page-session.ts'

/** What the page says of where it is. */
export interface Deployment {
  environment: Environment
  /** Where the main API answers. */
  apiUrl: string
}

export function toWireSignedIn(
  { personId, name, role, digest, expiresAt }: ConsoleCaller,
  account: { id: string; name: string },
  { environment, apiUrl }: Deployment,
): ConsoleSignedIn {
  return {
    account: { ...account, environment },
    person: { id: personId, name, role },
    ...{ expires_at: expiresAt.toISOString(), api_url: apiUrl, page_token: pageTokenFor('console', digest) },
  }
}

/** How an erased customer is called. */
const ERASED = 'erased:'
export const shownName = (customer: string | null) => (customer?.startsWith(ERASED) ? null : customer)

function originOf({ mandateId, quoteId }: PaymentRow): ConsolePayment['origin'] {
  if (mandateId !== null) return 'permission'
  return quoteId === null ? 'described' : 'quoted'
}

export function toWirePayment(row: PaymentRow): ConsolePayment {
  const { customer, status, countedMinor } = row
  return {
    ...{ charge_id: row.id, session_id: row.sessionId, mandate_id: row.mandateId, origin: originOf(row) },
    ...{ amount: amountFromMinor(row.amountMinor), currency: row.currency, merchant: row.payeeName },
    customer: shownName(customer),
    agent: row.agent,
    ...{ status, money: moneyOf({ status, wasCounted: countedMinor !== null }), code: row.failure },
    created_at: row.createdAt.toISOString(),
  }
}

export const toWirePayments = ({ payments, before }: PaymentsPage): ConsolePayments => ({
  payments: payments.map(toWirePayment),
  next_before: before,
})

const toWireSent = ({ id, endpointId, state, attempts }: SentRow): ConsoleMoment['deliveries'][number] => ({
  ...{ id, endpoint_id: endpointId, state, attempt_count: attempts },
})
export const toWireSentRows = (rows: readonly SentRow[]) => rows.map(toWireSent)

type Bare = Pick<ConsoleMoment, 'lane' | 'what'>
const moment = (at: Date, bare: Bare, more: Partial<ConsoleMoment> = {}): ConsoleMoment => ({
  ...{ at: at.toISOString(), ...bare, amount: null, event: null, deliveries: [] },
  ...more,
})

/** What happened to a payment, in its order; what is told of it comes behind what it tells. */
function toWireHistory({ payment, approvedAt, told, facts, sent, now }: ReadPayment): ConsoleMoment[] {
  const { createdAt, reportedAt, lapsesAt, status, updatedAt } = payment
  const minted = told.find(({ type }) => type === 'payment.credentials_ready')
  const hasLapsed = lapsesAt !== null && lapsesAt <= now
  const hasEnded = status === 'completed' || status === 'failed'
  const sentOf = Map.groupBy(sent, ({ eventId }) => eventId)
  const moments = [
    moment(createdAt, { lane: 'backend', what: 'created' }),
    ...(approvedAt === null ? [] : [moment(approvedAt, { lane: 'cardholder', what: 'approved' })]),
    ...(minted === undefined ? [] : [moment(minted.occurredAt, { lane: 'network', what: 'number_made' })]),
    ...facts.map(({ kind, amountMinor, occurredAt }) =>
      moment(occurredAt, { lane: 'network', what: kind }, { amount: amountFromMinor(amountMinor) }),
    ),
    ...(reportedAt === null ? [] : [moment(reportedAt, { lane: 'backend', what: 'reported' })]),
    ...(hasLapsed && reportedAt === null ? [moment(lapsesAt, { lane: 'network', what: 'lapsed' })] : []),
    ...(hasEnded ? [moment(updatedAt, { lane: 'network', what: 'ended' })] : []),
    ...told.map(({ id, type, occurredAt }) =>
      moment(
        occurredAt,
        { lane: 'webhooks', what: 'event' },
        { event: { id, type }, deliveries: toWireSentRows(sentOf.get(id) ?? []) },
      ),
    ),
  ]
  return moments.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))
}

export function toWirePaymentView(read: ReadPayment): ConsolePaymentView {
  const { payment, sentence, now } = read
  return {
    payment: toWirePayment(payment),
    ...{ order_id: payment.orderId, order_ref: payment.externalOrderRef, reference: payment.reference },
    merchant_url: payment.payeeUrl,
    card: toWireCard(read),
    products: payment.products.map(({ name, unitPrice, quantity }) => ({ name, unit_price: unitPrice, quantity })),
    sentence: sentence && { text: sentence.text, locale: sentence.language },
    open_until: payment.isClosed ? null : (payment.expiresAt?.toISOString() ?? null),
    lapses_at: payment.lapsesAt?.toISOString() ?? null,
    history: toWireHistory(read),
    now: now.toISOString(),
  }
}

function toWireCard({ payment }: ReadPayment): ConsolePaymentView['card'] {
  const { cardBrand: brand, cardLast4: last4, cardMonth: month, cardYear: year } = payment
  if (last4 === null || month === null || year === null) return null
  return { brand, last_four: last4, expiry_month: month, expiry_year: year }
}

export const toWireEvents = ({ events, before }: { events: ListedEvent[]; before: bigint | null }): ConsoleEvents => ({
  events: events.map(({ id, type, resourceType, resourceId, occurredAt }) => ({
    ...{ id, type, resource_type: resourceType, resource_id: resourceId, occurred_at: occurredAt.toISOString() },
  })),
  next_before: before?.toString() ?? null,
})

export function toWireHome({ first, money, countedAll, failures, needs }: Home): ConsoleHome {
  const at = (time: Date | null | undefined) => time?.toISOString() ?? null
  return {
    steps: [
      // The uses of keys are written down in a while; a session was made with one.
      { step: 'key_used', at: at(first?.keyUsed ?? first?.sessionMade) },
      { step: 'session_made', at: at(first?.sessionMade) },
      { step: 'approved', at: at(first?.approved) },
      { step: 'event_received', at: at(first?.eventReceived) },
    ],
    money: money.map(({ currency, byState }) => ({
      currency,
      by_state: byState.map((of) => ({ money: of.money, count: of.count, amount: amountFromMinor(of.amountMinor) })),
    })),
    ...{ counted_all: countedAll, failures, needs },
  }
}
