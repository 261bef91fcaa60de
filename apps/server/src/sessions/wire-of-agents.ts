import { MAX_ON_A_PAGE } from '@mintmark/contract'
import type {
  AgentPaymentResult,
  AgentSessionList,
  CreateAgentSessionBody,
  CreateAgentSessionResponse,
  ListAgentSessionsQuery,
} from '@mintmark/contract/wire/agent-sessions'
import { fromWirePayee, fromWireProducts } from '../charges/service.ts'
import { type ErrorDetails, fieldErrors } from '../platform/errors.ts'
import { valueAt } from '../platform/json.ts'
import { amountFromMinor, fractionProblemOfText, minorFromAmount } from '../platform/money.ts'
import { payloadOf, type Recipient } from '../vault/payload.ts'
import type { WireCredential } from '../vault/service.ts'
import { EFFECTIVE_MINUTES, fromWireSetup } from './purchase.ts'
import { setupProblems } from './purchase-problems.ts'
import type { AgentRequest, AskedSession, ListedSession, PaymentSession, Place, SetupSession } from './service.ts'
import { authorizeOnly, toWirePaymentResult } from './wire.ts'

/** What the schema cannot say of a body. Takes any value. */
export function agentSessionProblems(body: unknown, now: Date): ErrorDetails {
  const currency = valueAt(body, 'currency')
  const products = valueAt(body, 'products')
  const amounts = (Array.isArray(products) ? products : []).map(
    (product, index) => [`products[${index}].unit_price`, valueAt(product, 'unit_price')] as const,
  )
  const problems: ErrorDetails = setupProblems(valueAt(body, 'mandate_setup'), now)
  for (const [path, amount] of [['total_amount', valueAt(body, 'total_amount')] as const, ...amounts]) {
    const problem = fractionProblemOfText(amount, currency)
    if (problem !== null) problems[path] = problem
  }
  return problems
}

/** What an owner may lower, an agent has no say in. */
export function fromWireAgentSession(body: CreateAgentSessionBody): AgentRequest {
  const setup = fromWireSetup(body.mandate_setup)
  return { purchase: fromWirePurchase(body), setup: setup === null ? null : { ...setup, adjustable: true } }
}

function fromWirePurchase(body: CreateAgentSessionBody): AgentRequest['purchase'] {
  const { total_amount, currency, merchant_name: name, merchant_url: url, merchant_country, products } = body
  return {
    amountMinor: minorFromAmount(total_amount),
    currency,
    payee: fromWirePayee({ name, url, country_code_iso2: merchant_country }),
    products: fromWireProducts(products),
    ...{ summary: null, effectiveMinutes: EFFECTIVE_MINUTES, integrationType: 'full_checkout', callbackUrl: null },
    ...{ description: null, externalOrderRef: null, locale: null, cardId: null, vaultRecordId: null },
  }
}

export function toWireAgentSession(created: AskedSession, request: AgentRequest): CreateAgentSessionResponse {
  const { sessionId, iframeUrl, mandateId, sentence } = created
  const { payee, amountMinor, currency, products } = request.purchase
  const expires_at = created.expiresAt.toISOString()
  return {
    ...{ session_id: sessionId, payment_url: iframeUrl, expires_at },
    ...(mandateId !== null && authorizeOnly(mandateId)),
    approval: {
      ...{ url: iframeUrl, expires_at, sentence },
      merchant: { name: payee.name, url: payee.url, country: payee.country },
      amount: { value: amountFromMinor(amountMinor), currency },
      lines: products.map(({ name, unitPrice, quantity }) => ({ description: name, unit_price: unitPrice, quantity })),
    },
  }
}

/** How a session stands, for an agent that has not shown its key: no card is encrypted to it here. */
export function toWireAgentStanding(session: PaymentSession | SetupSession) {
  const { session_id, status, error, merchant_res } = toWirePaymentResult(session, null)
  return {
    ...{ session_id, status },
    ...(session.kind !== 'payment' && authorizeOnly(session.mandateId)),
    ...(merchant_res !== undefined && { merchant_res }),
    ...(error !== undefined && { error }),
  }
}

export function fromWirePage({ limit, cursor }: ListAgentSessionsQuery): { before?: Place; limit: number } {
  const most = limit === undefined ? MAX_ON_A_PAGE : Number(limit)
  return cursor === undefined ? { limit: most } : { before: fromWireCursor(cursor), limit: most }
}

/** Encoded, so that no caller builds on what is in it. */
const toWireCursor = ({ createdAt, id }: Place): string =>
  Buffer.from(`${createdAt.getTime()} ${id}`, 'utf8').toString('base64url')

function fromWireCursor(cursor: string): Place {
  const [, millis = '', id = ''] =
    /^(\d{1,15}) (sess_[0-9a-z]+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  const place = { createdAt: new Date(Number(millis)), id }
  if (id === '' || toWireCursor(place) !== cursor) {
    throw fieldErrors({ cursor: 'must be the next_cursor of the page before' })
  }
  return place
}

export function toWireAgentSessions({
  sessions,
  before,
}: {
  sessions: ListedSession[]
  before: Place | null
}): AgentSessionList {
  const next = before === null ? {} : { next_cursor: toWireCursor(before) }
  return { sessions: sessions.map(toWireListed), ...next }
}

function toWireListed({ session, url }: ListedSession): AgentSessionList['sessions'][number] {
  const { amountMinor, currency, payeeName: name, payeeUrl, payeeCountry: country, createdAt, expiresAt } = session
  const { status, error } = toWirePaymentResult(session, null)
  return {
    ...{ session_id: session.id, status },
    ...(session.kind !== 'payment' && authorizeOnly(session.mandateId)),
    ...{ amount: amountFromMinor(amountMinor), currency, merchant: { name, url: payeeUrl, country } },
    ...{ created_at: createdAt.toISOString(), expires_at: expiresAt.toISOString() },
    ...(url !== null && { payment_url: url }),
    ...(session.kind === 'payment' && { txn_ref_id: session.lineItemId }),
    ...(error !== undefined && { error }),
  }
}

/** The credential as the agent alone can read it. */
export function toWireAgentResult(
  session: PaymentSession | SetupSession,
  credential: WireCredential | null,
  recipient: Recipient,
): AgentPaymentResult {
  const { status, error } = toWirePaymentResult(session, null)
  const about = { session_id: session.id, status, ...(error !== undefined && { error }) }
  if (session.kind !== 'payment') return { ...about, ...authorizeOnly(session.mandateId) }
  const { mandateId, chargeId: transactionId } = session
  return {
    ...about,
    txn_ref_id: session.lineItemId,
    ...(credential !== null &&
      mandateId !== null && { encrypted_payload: payloadOf(credential, { mandateId, transactionId }, recipient) }),
  }
}
