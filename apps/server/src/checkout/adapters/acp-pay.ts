import { type Secret, secret } from '../../platform/secret.ts'
import type {
  CheckoutAnswer,
  DelegatedCard,
  DelegateRequest,
  PayRequest,
  PayResult,
  ShopPurchaseState,
} from '../port.ts'
import { acpFromMinor, totalOf } from './acp-amounts.ts'
import { refusalOf, retrieve, SESSIONS, sessionOf } from './acp-session.ts'
import {
  type AcpHandler,
  type AcpSession,
  acpHeaders,
  readError,
  readToken,
  reasonOfMessages,
  stateOf,
} from './acp-wire.ts'
import { ok, refused } from './answers.ts'
import type { ShopConnection, ShopReply } from './connection.ts'
import { malformed, NoAnswer } from './no-answer.ts'

/** Longer than other requests: the shop asks its bank. */
const PAY_MILLIS = 30_000
const DELEGATE_PATH = ['agentic_commerce', 'delegate_payment'] as const
/** The handlers that take the card of an agent, by the name of their specification. */
const TOKENISED_CARD = 'dev.acp.tokenized.card'

/**
 * Looks, delegates, completes. What is sent is the same at each repetition (the card, the token that the shop gave for this key, no
 * time of ours), so the shop recognises it. A session that is not open is never completed: keys are forgotten after a day.
 */
export async function pay(shop: ShopConnection, request: PayRequest): Promise<CheckoutAnswer<PayResult>> {
  const found = await retrieve(shop, request.shopRef)
  if (found.outcome !== 'ok') return found
  const session = found.value
  const standing = answerOf(stateOf(session), session)
  if (standing !== 'open') return standing
  const taken = takerOf(session, request)
  if (taken.outcome !== 'ok') return taken
  const handler = taken.value
  const { expiryYear, expiryMonth } = request.credential
  const delegated = await handOver(shop, { ...request, expiresAt: endOfMonth(expiryYear, expiryMonth) }, handler)
  return delegated.outcome === 'ok' ? complete(shop, request, handler.id, delegated.value) : delegated
}

/** Looks and delegates: the agent completes. Also where another card was declined before. */
export async function delegate(shop: ShopConnection, request: DelegateRequest): Promise<CheckoutAnswer<DelegatedCard>> {
  const found = await retrieve(shop, request.shopRef)
  if (found.outcome !== 'ok') return found
  const session = found.value
  const state = stateOf(session)
  // It may be open again in a moment.
  if (state?.state === 'in_progress') throw new NoAnswer('in progress')
  if (state?.state !== 'open' && state?.state !== 'declined') {
    const standing = answerOf(state, session)
    return standing !== 'open' && standing.outcome === 'refused' ? standing : refused('refused')
  }
  const taken = takerOf(session, request)
  if (taken.outcome !== 'ok') return taken
  const delegated = await handOver(shop, request, taken.value)
  return delegated.outcome === 'ok' ? ok({ token: delegated.value, handlerId: taken.value.id }) : delegated
}

/** What takes the card. It is not handed to a shop that would not complete anyway, nor at another price. */
function takerOf(session: AcpSession, { total }: PayRequest): CheckoutAnswer<Handler> {
  const { minor, currency } = totalOf(session)
  if (minor !== total.minor || currency !== total.currency) return refused('price_changed')
  if (session.status !== 'ready_for_payment') return refused(reasonOfMessages(session) ?? 'refused')
  const handler = handlerOf(session)
  return handler === undefined ? refused('refused') : ok(handler)
}

/** What a session that is not open says to a payment. */
function answerOf(state: ShopPurchaseState | undefined, session: AcpSession): CheckoutAnswer<PayResult> | 'open' {
  switch (state?.state) {
    case 'open':
      return 'open'
    case 'paid':
      return ok(state)
    case 'in_progress':
    case 'needs_human':
      return ok({ state: state.state })
    case 'declined':
      return refused(state.reason)
    case 'released':
      return refused(session.status === 'expired' ? 'quote_expired' : 'released')
    default:
      throw malformed()
  }
}

type Handler = AcpHandler & { merchantId: string }

/** The handler that takes a card of ours; undefined: there is none, and nothing of the session can be paid. */
export function handlerOf({ capabilities }: AcpSession): Handler | undefined {
  const [first] = (capabilities?.payment?.handlers ?? [])
    .filter(({ name, requires_delegate_payment }) => name === TOKENISED_CARD && requires_delegate_payment)
    .flatMap((handler) => {
      const { merchant_id: merchantId } = handler.config
      return merchantId === undefined ? [] : [{ ...handler, merchantId }]
    })
    .toSorted((one, other) => (one.display_order ?? 0) - (other.display_order ?? 0))
  return first
}

/** The card becomes a token that is good for this session, this amount and this merchant, once. */
async function handOver(
  shop: ShopConnection,
  { purchaseId, shopRef, total, credential, expiresAt }: DelegateRequest,
  handler: Handler,
): Promise<CheckoutAnswer<Secret>> {
  const reply = await shop.ask({
    method: 'POST',
    path: DELEGATE_PATH,
    headers: acpHeaders(purchaseId),
    body: {
      payment_method: {
        type: 'card',
        // A virtual number with a CVV is charged like any card number; a network token would need a cryptogram.
        card_number_type: 'fpan',
        virtual: true,
        number: credential.token,
        exp_month: credential.expiryMonth,
        exp_year: credential.expiryYear,
        cvc: credential.dynamicCvv,
        display_card_funding_type: 'credit',
        metadata: {},
      },
      allowance: {
        reason: 'one_time',
        max_amount: acpFromMinor(total),
        currency: total.currency.toLowerCase(),
        checkout_session_id: shopRef,
        merchant_id: handler.merchantId,
        expires_at: expiresAt.toISOString(),
      },
      risk_signals: [],
      metadata: { handler_id: handler.id, checkout_session_id: shopRef },
    },
  })
  if (!reply.isOk) return clearRefusal(reply)
  return ok(secret(readToken(reply.body).id))
}

/** When the card ends: a time that is the same at each repetition. The card itself is good once, and for minutes. */
function endOfMonth(year: string, month: string): Date {
  return new Date(Date.UTC(Number(year), Number(month), 1))
}

async function complete(
  shop: ShopConnection,
  { purchaseId, shopRef }: PayRequest,
  handlerId: string,
  token: Secret,
): Promise<CheckoutAnswer<PayResult>> {
  const reply = await shop.ask({
    method: 'POST',
    path: [SESSIONS, shopRef, 'complete'],
    headers: acpHeaders(purchaseId),
    body: {
      payment_data: { handler_id: handlerId, instrument: { type: 'card', credential: { type: 'spt', token } } },
    },
    totalMillis: PAY_MILLIS,
  })
  if (!reply.isOk) return refusalOfCompletion(reply)
  const session = sessionOf(reply.body, shopRef)
  const answer = answerOf(stateOf(session), session)
  // Not completed, and not said why: whether it was paid is the session's to say, a moment later.
  if (answer !== 'open') return answer
  const reason = reasonOfMessages(session)
  if (reason === undefined) throw malformed()
  return refused(reason)
}

/** What only a person can give; nothing is paid until they have. */
const FOR_A_PERSON: ReadonlySet<string> = new Set([
  'requires_3ds',
  'requires_sign_in',
  'approval_required',
  'intervention_required',
  'age_verification_required',
])
/** Something else was done before, under this key or to this session; it may have been paid. Only an inquiry can tell. */
const DONE_BEFORE: ReadonlySet<string> = new Set(['idempotency_conflict', 'conflict'])

function refusalOfCompletion(reply: ShopReply): CheckoutAnswer<PayResult> {
  const { code } = readError(reply.body)
  if (code === 'idempotency_in_flight') return ok({ state: 'in_progress' })
  if (FOR_A_PERSON.has(code)) return ok({ state: 'needs_human' })
  return clearRefusal(reply)
}

function clearRefusal<T>(reply: ShopReply): CheckoutAnswer<T> {
  const { code } = readError(reply.body)
  // 405: completed or cancelled since we looked.
  if (DONE_BEFORE.has(code) || reply.status === 405) throw new NoAnswer('conflict')
  return refusalOf(reply)
}
