import { type Static, Type } from 'typebox'
import { ENVIRONMENTS } from '../accounts.ts'
import {
  CONSOLE_ROLES,
  FIRST_STEPS,
  FOUND_KINDS,
  HISTORY_LANES,
  MONEY_STATES,
  NEEDS,
  PAYMENT_ORIGINS,
} from '../console.ts'
import { EVENT_TYPES } from '../events.ts'
import { CHARGE_STATUSES, PAYMENT_FAILURE_CODES } from '../states.ts'
import { WebhookDelivery } from './deliveries.ts'
import { EVENT_RESOURCES } from './events.ts'
import { Event } from './feed.ts'
import { nullable, oneOf, STRICT } from './schema.ts'
import { WebhookEndpoint } from './webhooks.ts'

// What the console and its backend say to each other. A cookie that no script reads says who is signed in. Errors are
// the ordinary envelope. Codes and parameters only: the words are the page's. Times are RFC 3339, amounts decimal.

const Id = Type.String({ minLength: 1, maxLength: 64, format: 'clean-text' })
const Time = Type.String()
/** Where a page of a list begins; clients do not look into it. */
const Cursor = Type.String({ pattern: '^[A-Za-z0-9_]{1,64}$' })

export const ConsoleSignedIn = Type.Object({
  account: Type.Object({ id: Type.String(), name: Type.String(), environment: oneOf(ENVIRONMENTS) }),
  person: Type.Object({ id: Type.String(), name: Type.String(), role: oneOf(CONSOLE_ROLES) }),
  expires_at: Time,
  /** Where the main API answers, for lines to copy. */
  api_url: Type.String(),
  /** What the page sends as `PAGE_TOKEN_HEADER`. */
  page_token: Type.String(),
})
export type ConsoleSignedIn = Static<typeof ConsoleSignedIn>

/** How one may come in: by one press where the sandbox has its demo account; null: the account is not there. */
export const ConsoleEntrance = Type.Object({ demo: nullable(Type.Object({ account: Type.String() })) })
export type ConsoleEntrance = Static<typeof ConsoleEntrance>

export const ConsoleDone = Type.Object({ done: Type.Literal(true) })

/** A line of the list of payments. */
export const ConsolePayment = Type.Object({
  charge_id: Type.String(),
  /** Null: it was charged against a permission. */
  session_id: nullable(Type.String()),
  /** The permission; null of one purchase. */
  mandate_id: nullable(Type.String()),
  origin: oneOf(PAYMENT_ORIGINS),
  amount: Type.String(),
  currency: Type.String(),
  merchant: Type.String(),
  /** As the account names them; null: they were erased, or there is none. */
  customer: nullable(Type.String()),
  /** The agent that charges or asked; null: none. */
  agent: nullable(Type.String()),
  status: oneOf(CHARGE_STATUSES),
  money: oneOf(MONEY_STATES),
  /** Why nothing was paid. */
  code: nullable(oneOf(PAYMENT_FAILURE_CODES)),
  created_at: Time,
})
export type ConsolePayment = Static<typeof ConsolePayment>

export const PaymentsQuery = Type.Object(
  {
    status: Type.Optional(oneOf(CHARGE_STATUSES)),
    before: Type.Optional(Cursor),
  },
  STRICT,
)
export type PaymentsQuery = Static<typeof PaymentsQuery>

export const ConsolePayments = Type.Object({
  payments: Type.Array(ConsolePayment),
  /** Where the next page begins; also behind one that is not full: it was looked for so far. Null: there is no more. */
  next_before: nullable(Type.String()),
})
export type ConsolePayments = Static<typeof ConsolePayments>

/** What happened, in order. `event`: what was told of it, to endpoints in `deliveries`. */
export const ConsoleMoment = Type.Object({
  at: Time,
  lane: oneOf(HISTORY_LANES),
  /** The network's moments say what it has seen. */
  what: oneOf([
    ...['created', 'approved', 'number_made', 'reported', 'lapsed', 'ended', 'event'],
    ...['authorized', 'declined', 'captured', 'reversed', 'expired', 'refunded', 'disputed'],
  ] as const),
  /** The amount of what the network has seen. */
  amount: nullable(Type.String()),
  event: nullable(Type.Object({ id: Type.String(), type: oneOf(EVENT_TYPES) })),
  deliveries: Type.Array(
    Type.Object({
      id: Type.String(),
      endpoint_id: Type.String(),
      state: WebhookDelivery.properties.state,
      attempt_count: Type.Integer(),
    }),
  ),
})
export type ConsoleMoment = Static<typeof ConsoleMoment>

export const PaymentParams = Type.Object({ paymentId: Id })

export const ConsolePaymentView = Type.Object({
  payment: ConsolePayment,
  order_id: Type.String(),
  /** The merchant's own number of the order. */
  order_ref: nullable(Type.String()),
  /** The caller's own name of a charge. */
  reference: nullable(Type.String()),
  merchant_url: Type.String(),
  card: nullable(
    Type.Object({
      brand: nullable(Type.String()),
      last_four: Type.String(),
      expiry_month: Type.Integer(),
      expiry_year: Type.Integer(),
    }),
  ),
  products: Type.Array(
    Type.Object({ name: Type.String(), unit_price: nullable(Type.String()), quantity: nullable(Type.Integer()) }),
  ),
  /** What the passkey signed, as one sentence; null: not approved, or signed before there was one. */
  sentence: nullable(Type.Object({ text: Type.String(), locale: Type.String() })),
  /** Until when the session can be approved; null: it is closed, or there is none. */
  open_until: nullable(Time),
  /** Until when its number can be used; null: none was made. */
  lapses_at: nullable(Time),
  history: Type.Array(ConsoleMoment),
  now: Time,
})
export type ConsolePaymentView = Static<typeof ConsolePaymentView>

export const EventsQuery = Type.Object({ before: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$' })) }, STRICT)
export type EventsQuery = Static<typeof EventsQuery>
export const ConsoleEvents = Type.Object({
  events: Type.Array(
    Type.Object({
      id: Type.String(),
      type: oneOf(EVENT_TYPES),
      resource_type: oneOf(EVENT_RESOURCES),
      resource_id: Type.String(),
      occurred_at: Time,
    }),
  ),
  next_before: nullable(Type.String()),
})
export type ConsoleEvents = Static<typeof ConsoleEvents>

export const ConsoleEventParams = Type.Object({ eventId: Id })
export const ConsoleEventView = Type.Object({ event: Event, deliveries: ConsoleMoment.properties.deliveries })
export type ConsoleEventView = Static<typeof ConsoleEventView>

export const ConsoleEndpoints = Type.Object({ endpoints: Type.Array(WebhookEndpoint) })
export type ConsoleEndpoints = Static<typeof ConsoleEndpoints>

/** `key`: chosen by the page for one press, so that a second one of the same press sends nothing more. */
export const ResendBody = Type.Object({ key: Type.String({ pattern: '^[A-Za-z0-9-]{16,64}$' }) }, STRICT)

export const FindQuery = Type.Object({ q: Type.String({ minLength: 1, maxLength: 100, format: 'clean-text' }) }, STRICT)
export const ConsoleFound = Type.Object({
  found: Type.Array(Type.Object({ kind: oneOf(FOUND_KINDS), id: Type.String() })),
})
export type ConsoleFound = Static<typeof ConsoleFound>

export const ConsoleHome = Type.Object({
  /** When each was first done; null: not yet. */
  steps: Type.Array(Type.Object({ step: oneOf(FIRST_STEPS), at: nullable(Time) })),
  /** The last 24 hours, by currency; `counted_all`: false where there were more than are counted. */
  money: Type.Array(
    Type.Object({
      currency: Type.String(),
      by_state: Type.Array(Type.Object({ money: oneOf(MONEY_STATES), count: Type.Integer(), amount: Type.String() })),
    }),
  ),
  counted_all: Type.Boolean(),
  /** What failed in the last 24 hours, the most frequent first. */
  failures: Type.Array(Type.Object({ code: oneOf(PAYMENT_FAILURE_CODES), count: Type.Integer() })),
  needs: Type.Array(Type.Object({ need: oneOf(NEEDS), count: Type.Integer(), id: nullable(Type.String()) })),
})
export type ConsoleHome = Static<typeof ConsoleHome>
