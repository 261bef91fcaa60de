import { setTimeout as delay } from 'node:timers/promises'

/** A card as the buyer gave it. It lives in memory, from the request to the acquirer's answer. */
export interface Card {
  number: string
  cvv: string
  expiryMonth: string
  expiryYear: string
}

export interface Acquirer {
  url: string
  /** A secret key of the sandbox. */
  key: string
}

/**
 * What became of an authorization.
 * - `not_asked`: it surely did not happen, and may be asked for again; where the acquirer refuses the shop's key, only with another one
 * - `unknown`: it may have happened
 */
export type Authorization =
  | { outcome: 'approved'; authorizationCode: string | null }
  | { outcome: 'refused'; responseCode: string }
  | { outcome: 'not_asked'; isKeyRefused?: true }
  | { outcome: 'unknown' }

export interface AuthorizationRequest {
  card: Card
  amount: string
  currency: string
  /** The shop, as the card network knows it: a credential is minted for one shop. */
  merchantUrl: string
}

const MAX_ANSWER_LENGTH = 10_000
const PAUSE_MILLIS = 250
/** Before anything was sent. */
const NOT_CONNECTED: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']
/** Already used, and closed: also what a second question hears about a first one that was approved. */
const SPENT: readonly string[] = ['57', '62']

export function createAcquirer({ url, key }: Acquirer, timeoutMillis: number) {
  /**
   * Charges a card. The acquirer knows no idempotency keys and has no inquiry, but a credential is approved once: when the answer
   * is lost, the same question with the same credential cannot pay a second time. Another refusal than "already used" then says
   * that the first was not approved either, for the acquirer looks at that before it looks at amount, shop and funds.
   * "Already used" may be our first question, or a purchase before it: the outcome stays unknown.
   */
  async function authorize(request: AuthorizationRequest): Promise<Authorization> {
    const first = await ask(request)
    if (first.outcome !== 'unknown') return first
    await delay(PAUSE_MILLIS)
    const second = await ask(request)
    if (second.outcome === 'not_asked') return first
    return second.outcome === 'refused' && SPENT.includes(second.responseCode) ? first : second
  }

  async function ask({ card, amount, currency, merchantUrl }: AuthorizationRequest): Promise<Authorization> {
    try {
      const response = await fetch(`${url}/v1/test_helpers/authorizations`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          token: card.number,
          dynamic_cvv: card.cvv,
          expiry_month: card.expiryMonth,
          expiry_year: card.expiryYear,
          ...{ amount, currency, merchant_url: merchantUrl },
        }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMillis),
      })
      return await read(response)
    } catch (error) {
      const { code } = (error as { cause?: { code?: unknown } }).cause ?? {}
      return { outcome: NOT_CONNECTED.includes(code) ? 'not_asked' : 'unknown' }
    }
  }

  return { authorize }
}

async function read(response: Response): Promise<Authorization> {
  const text = await response.text()
  // A card that is no card. Other refusals of the request are about the key, or too many of them.
  if (response.status === 400) return { outcome: 'refused', responseCode: '14' }
  if (response.status === 401) return { outcome: 'not_asked', isKeyRefused: true }
  if (response.status > 400 && response.status < 500) return { outcome: 'not_asked' }
  if (!response.ok || text.length > MAX_ANSWER_LENGTH) return { outcome: 'unknown' }
  const answer = JSON.parse(text) as { approved?: unknown; response_code?: unknown; authorization_code?: unknown }
  const { approved, response_code: responseCode, authorization_code: authorizationCode } = answer
  if (approved === true) {
    return { outcome: 'approved', authorizationCode: typeof authorizationCode === 'string' ? authorizationCode : null }
  }
  return approved === false && typeof responseCode === 'string'
    ? { outcome: 'refused', responseCode }
    : { outcome: 'unknown' }
}
