import { type ConnectionOptions, checkAddress, checkSecretKey } from '../connection.ts'
import { events, type FeedOptions } from '../feed.ts'
import { bearer } from '../request.ts'
import { type Call, type CallOptions, createCall } from './call.ts'
import { type Charges, chargesOf, type Mandates, mandatesOf } from './mandates.ts'
import {
  type Cards,
  type Customers,
  cardsOf,
  customersOf,
  type Enrollments,
  enrollmentsOf,
  type Sessions,
  sessionsOf,
} from './merchant-sessions.ts'
import { type TestHelpers, testHelpersOf } from './sandbox.ts'
import { type Catalog, catalogOf, type Quotes, quotesOf } from './shops.ts'
import { type WebhookDeliveries, type WebhookEndpoints, webhookDeliveriesOf, webhookEndpointsOf } from './webhooks.ts'

export interface MintmarkOptions extends ConnectionOptions {
  /** A secret key of the account: `sk_test_…` or `sk_live_…`. */
  secretKey: string
  /** How often a failed call is repeated. Default: 4. */
  retries?: number | undefined
}

/**
 * The main API, for a merchant's server. A call throws a `MintmarkApiError` when it was refused, an `OutcomeUnknownError` when it is not
 * known what became of a change, and a `TypeError` for what cannot be sent.
 */
export class Mintmark {
  readonly sessions: Sessions
  readonly enrollments: Enrollments
  readonly cards: Cards
  readonly customers: Customers
  readonly mandates: Mandates
  readonly charges: Charges
  readonly catalog: Catalog
  readonly quotes: Quotes
  readonly events: Events
  readonly webhookEndpoints: WebhookEndpoints
  readonly webhookDeliveries: WebhookDeliveries
  readonly testHelpers: TestHelpers
  /** Any operation by its `operationId`. */
  readonly call: Call

  constructor(options: MintmarkOptions) {
    const { apiUrl, secretKey } = options
    checkAddress(apiUrl)
    checkSecretKey(secretKey)
    const call = createCall(options, () => bearer(secretKey))
    this.call = call
    this.sessions = sessionsOf(call)
    this.enrollments = enrollmentsOf(call)
    this.cards = cardsOf(call)
    this.customers = customersOf(call)
    this.mandates = mandatesOf(call)
    this.charges = chargesOf(call)
    this.catalog = catalogOf(call)
    this.quotes = quotesOf(call)
    this.events = eventsOf(call, options)
    this.webhookEndpoints = webhookEndpointsOf(call)
    this.webhookDeliveries = webhookDeliveriesOf(call)
    this.testHelpers = testHelpersOf(call)
  }
}

export interface Events extends ReturnType<typeof eventsOf> {}

const eventsOf = (call: Call, connection: MintmarkOptions) => ({
  /** The feed from a cursor on, page by page: process a page durably, then save its `cursor`. */
  feed: (query: Omit<FeedOptions, 'apiUrl' | 'secretKey'> = {}) =>
    // A reader that follows the feed outlives what a call is given up for.
    events({ ...connection, retries: undefined, ...query }),
  get: (eventId: string, options?: CallOptions) => call('getEvent', { params: { eventId } }, options),
})
