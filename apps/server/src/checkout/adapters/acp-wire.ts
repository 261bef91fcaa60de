import { randomUUID } from 'node:crypto'
import type { CheckoutWarningCode } from '@mintmark/contract'
import { type Static, Type } from 'typebox'
import { VERSION } from '../../platform/version.ts'
import type { CheckoutRefusal, ShopPurchaseState } from '../port.ts'
import { FOREIGN_ID_PATTERN, optionalCode } from './foreign.ts'
import { reader } from './reader.ts'

/**
 * The Agentic Commerce Protocol's checkout, version 2026-04-17: as much of its answers as is used, checked, and in the
 * words of the port. Members that are not named are ignored: the protocol grows by adding some.
 */
export const ACP_VERSION = '2026-04-17'

const Id = Type.String({ pattern: FOREIGN_ID_PATTERN })
const Total = Type.Object({ type: Type.String(), amount: Type.Integer() })
const Handler = Type.Object({
  id: Id,
  name: Type.String(),
  requires_delegate_payment: Type.Boolean(),
  display_order: Type.Optional(Type.Integer()),
  config: Type.Object({ merchant_id: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })) }),
})
const LineItem = Type.Object({
  item: Type.Object({ id: Id, name: Type.Optional(Type.String()) }),
  quantity: Type.Integer({ minimum: 1 }),
  name: Type.Optional(Type.String()),
  product_id: Type.Optional(Id),
  unit_amount: Type.Optional(Type.Integer({ minimum: 0 })),
  totals: Type.Array(Total),
})
const Session = Type.Object({
  id: Id,
  status: Type.String(),
  currency: Type.String(),
  // Required by the schema, and left out by one of its examples.
  capabilities: Type.Optional(Type.Object({ payment: Type.Optional(Type.Object({ handlers: Type.Array(Handler) })) })),
  line_items: Type.Array(LineItem, { maxItems: 1000 }),
  totals: Type.Array(Total),
  fulfillment_options: Type.Array(
    Type.Object({ type: Type.String(), id: Id, totals: Type.Optional(Type.Array(Total)) }),
  ),
  selected_fulfillment_options: Type.Optional(Type.Array(Type.Object({ option_id: Type.String() }))),
  messages: Type.Array(
    Type.Object({
      type: Type.String(),
      code: Type.Optional(Type.String()),
      param: Type.Optional(Type.String()),
    }),
  ),
  order: Type.Optional(Type.Object({ id: Type.Unknown(), checkout_session_id: Type.Optional(Type.String()) })),
})
export type AcpSession = Static<typeof Session>
export type AcpTotal = Static<typeof Total>
export type AcpHandler = Static<typeof Handler>

export const readSession = reader(Session)
/** A token is an opaque word, which agents are told: nothing else that a shop may write there. */
export const readToken = reader(Type.Object({ id: Type.String({ pattern: '^[A-Za-z0-9._~+/=:-]{1,500}$' }) }))
/** `type` is checked, too: it tells the protocol's errors from those of a proxy that happens to have a code. */
export const readError = reader(Type.Object({ type: Type.String(), code: Type.String(), message: Type.String() }))

/** What every request says. A request id is new with each try: it finds one request in the shop's logs. */
export function acpHeaders(idempotencyKey?: string): Record<string, string> {
  return {
    'api-version': ACP_VERSION,
    'accept-language': 'en-US',
    'user-agent': `Mintmark/${VERSION}`,
    'request-id': randomUUID(),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  }
}

/** Codes of errors and of messages. What is not here is a refusal for a reason that is not known here. */
const REASONS: ReadonlyMap<string, CheckoutRefusal> = new Map([
  ['payment_declined', 'card_declined'],
  ['card_declined', 'card_declined'],
  ['invalid_card', 'card_declined'],
  ['insufficient_funds', 'insufficient_funds'],
  ['out_of_stock', 'out_of_stock'],
  ['low_stock', 'out_of_stock'],
  ['quantity_exceeded', 'out_of_stock'],
  ['region_restricted', 'address_refused'],
  ['not_found', 'not_found'],
  ['invalid_item_id', 'not_found'],
  ['expired', 'quote_expired'],
  ['price_changed', 'price_changed'],
])

/**
 * What no refusal is: the shop is busy, is asked in a way that it does not know, or was asked something else with this
 * key.
 */
const UNCLEAR: ReadonlySet<string> = new Set([
  'idempotency_in_flight',
  'idempotency_key_required',
  'duplicate_request',
  'too_many_requests',
  'rate_limited',
  'missing_api_version',
  'unsupported_api_version',
])

export function isUnclear(code: string): boolean {
  return UNCLEAR.has(code)
}

export function reasonOf(code: string): CheckoutRefusal {
  return REASONS.get(code) ?? 'refused'
}

/**
 * Why a session is as it is: its first error that has a name here, or else one without. Undefined: it has no errors.
 */
export function reasonOfMessages({ messages }: Pick<AcpSession, 'messages'>): CheckoutRefusal | undefined {
  const reasons = messages.filter(({ type }) => type === 'error').map(reasonOfMessage)
  return reasons.find((reason) => reason !== 'refused') ?? reasons[0]
}

function reasonOfMessage({ code = '', param = '' }: AcpSession['messages'][number]): CheckoutRefusal {
  const isOfAddress = /^\$\.fulfillment_(?:details|address)\b/.test(param)
  return isOfAddress && !REASONS.has(code) ? 'address_refused' : reasonOf(code)
}

/** What is pointed out of the second line of an address: that a unit may be missing. */
const OF_A_UNIT = /\.address\.line_two$/

export function warningsOf({ messages }: Pick<AcpSession, 'messages'>): CheckoutWarningCode[] {
  const isOfUnit = messages.some(({ type, param = '' }) => type !== 'error' && OF_A_UNIT.test(param))
  return isOfUnit ? ['ADDRESS_UNIT_CONFIRMATION_SUGGESTED'] : []
}

/** How a session stands, as a purchase. A status that the protocol does not have is `undefined`. */
export function stateOf(session: AcpSession): ShopPurchaseState | undefined {
  switch (session.status) {
    case 'completed':
      return { state: 'paid', orderId: optionalCode(session.order?.id), authorizationCode: null }
    case 'in_progress':
    case 'complete_in_progress':
      return { state: 'in_progress' }
    case 'authentication_required':
    case 'requires_escalation':
    case 'pending_approval':
      return { state: 'needs_human' }
    case 'canceled':
    case 'expired':
      return { state: 'released' }
    case 'incomplete':
    case 'not_ready_for_payment':
    case 'ready_for_payment':
      return openOrDeclined(session)
    default:
      return undefined
  }
}

const OF_A_PAYMENT: ReadonlySet<CheckoutRefusal | undefined> = new Set(['card_declined', 'insufficient_funds'])

function openOrDeclined(session: AcpSession): ShopPurchaseState {
  const reason = reasonOfMessages(session)
  return reason !== undefined && OF_A_PAYMENT.has(reason) ? { state: 'declined', reason } : { state: 'open' }
}
