import { remainingMillis } from '../../platform/bounds.ts'
import type { EgressPolicy } from '../../platform/egress/policy.ts'
import { type SendOutcome, send } from '../../platform/egress/send.ts'
import { isRecord, type JsonRecord } from '../../platform/json.ts'
import { Secret } from '../../platform/secret.ts'
import { isForeignId } from './foreign.ts'
import { NoAnswer } from './no-answer.ts'

/** How a shop is reached. */
export interface ConnectionSettings {
  /** What the paths of the API stand behind. */
  baseUrl: string
  /** Null: the shop asks for none. */
  key: Secret | null
  policy: EgressPolicy
}

interface ShopQuestion {
  method: 'GET' | 'POST' | 'PUT'
  /** Ids of ours or of the shop among them; each is encoded. */
  path: readonly string[]
  query?: Record<string, string | null>
  headers?: Record<string, string>
  /** Becomes JSON. A secret in it is written in the clear, here and nowhere else. */
  body?: JsonRecord
  /** Default: the policy's. Never more than the verb still has. */
  totalMillis?: number
}

/** An answer to what was asked: 2xx, or a refusal (4xx). */
export interface ShopReply {
  isOk: boolean
  status: number
  body: JsonRecord
}

export type ShopConnection = ReturnType<typeof connectShop>

/** Refusals that are not about the question, but about who asks, how often, and how slowly. */
const NOT_ABOUT_THE_QUESTION: ReadonlySet<number> = new Set([401, 403, 407, 408, 425, 429])
/** Shorter secrets, such as a CVV, stand in any number. */
const MIN_QUOTED_LENGTH = 8

/** Asks a shop in JSON. Throws `NoAnswer` for everything that leaves open what the shop did. */
export function connectShop(shop: ConnectionSettings) {
  // The cards of all its questions: a payment may be two, of which one has the card and the other the order.
  const cards = new Set<string>()
  return { policy: shop.policy, baseUrl: shop.baseUrl, ask: (question: ShopQuestion) => ask(shop, question, cards) }
}

async function ask(
  { baseUrl, key, policy }: ConnectionSettings,
  question: ShopQuestion,
  cards: Set<string>,
): Promise<ShopReply> {
  const { method, headers = {} } = question
  const revealed: string[] = []
  const reveal = (hidden: Secret): string => {
    const text = hidden.reveal()
    revealed.push(text)
    if (ONLY_DIGITS.test(text)) cards.add(text)
    return text
  }
  const totalMillis = Math.min(question.totalMillis ?? policy.totalMillis, Math.floor(remainingMillis()))
  // A verb whose time is over begins nothing more: its caller has been told `unknown`, and may ask anew.
  if (totalMillis <= 0) throw new NoAnswer('timeout')
  const outcome = await send({
    url: urlOf(baseUrl, question),
    method,
    headers: {
      accept: 'application/json',
      ...headers,
      ...(question.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === null ? {} : { authorization: `Bearer ${reveal(key)}` }),
    },
    body: question.body === undefined ? undefined : jsonOf(question.body, reveal),
    policy: { ...policy, totalMillis },
  })
  return replyOf(outcome, [...revealed, ...cards])
}

function urlOf(baseUrl: string, { path, query = {} }: ShopQuestion): string {
  // `.` and `..` survive the encoding, and would lead to another path.
  if (!path.every(isForeignId)) throw new NoAnswer('an id that is none')
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== null) parameters.set(name, value)
  const search = parameters.size === 0 ? '' : `?${parameters}`
  return `${baseUrl.replace(/\/+$/, '')}/${path.map(encodeURIComponent).join('/')}${search}`
}

function jsonOf(body: JsonRecord, reveal: (hidden: Secret) => string): string {
  // What the replacer is given has been through `toJSON`, which hides a secret: the member itself is looked at.
  return JSON.stringify(body, function (this: JsonRecord, name, value: unknown) {
    const member = this[name]
    return member instanceof Secret ? reveal(member) : value
  })
}

function replyOf(outcome: SendOutcome, revealed: readonly string[]): ShopReply {
  if (outcome.kind === 'failed') throw new NoAnswer(causeOf(outcome))
  const { status, isComplete } = outcome
  const isOk = status >= 200 && status <= 299
  const isRefusal = status >= 400 && status <= 499 && !NOT_ABOUT_THE_QUESTION.has(status)
  if (!isOk && !isRefusal) throw new NoAnswer(`HTTP ${status}`)
  if (!isComplete) throw new NoAnswer('an answer that is cut or too long')
  const text = outcome.body.toString('utf8')
  const quotable = revealed.filter(({ length }) => length >= MIN_QUOTED_LENGTH)
  const isQuoting = quotable.some((each) => ONLY_DIGITS.test(each) || text.includes(each))
  return { isOk, status, body: parsed(text, isQuoting ? (value) => withoutSecrets(value, quotable) : undefined) }
}

/** A card number, of what is sent to shops. */
const ONLY_DIGITS = /^\d+$/

/**
 * A shop that quotes what it was sent: an order id with the card number in it would be stored and shown like any other. It is looked for
 * in what the answer says, not in how it is written: JSON may escape a digit. What has it in groups of digits is left out as a whole.
 */
function withoutSecrets(value: string, quotable: readonly string[]): string {
  const told = quotable.reduce((text, each) => text.replaceAll(each, '[secret]'), value)
  const digits = told.replaceAll(/\D/g, '')
  return quotable.some((each) => ONLY_DIGITS.test(each) && digits.includes(each)) ? '' : told
}

/** One word for every way to be too slow: callers go by it. */
function causeOf({ category, detail }: Extract<SendOutcome, { kind: 'failed' }>): string {
  return category === 'timeout' || category === 'connect_timeout' ? 'timeout' : `${category}: ${detail}`
}

function parsed(text: string, cleaned?: (value: string) => string): JsonRecord {
  try {
    const clean = cleaned && ((_: string, value: unknown) => (typeof value === 'string' ? cleaned(value) : value))
    const value: unknown = JSON.parse(text, clean)
    if (isRecord(value)) return value
  } catch {
    // Said below.
  }
  throw new NoAnswer('an answer that is no JSON object')
}
