import * as does from '../../../../test/receivers/behaviours.ts'
import type { CheckoutAnswer, MerchantCheckout } from '../../port.ts'
import { PAY, PREPARE, PURCHASE, QUOTE_REQUEST } from './requests.ts'

export type Verb = Exclude<keyof MerchantCheckout, 'delegate'>

/** Each verb that every shop has, asked once. */
export const VERBS: Record<Verb, (asked: MerchantCheckout) => Promise<CheckoutAnswer<unknown>>> = {
  search: (asked) => asked.search({ query: 'tee', limit: 20, cursor: null }),
  product: (asked) => asked.product({ productId: 'tee' }),
  quote: (asked) => asked.quote(QUOTE_REQUEST),
  prepare: (asked) => asked.prepare(PREPARE),
  pay: (asked) => asked.pay(PAY),
  inquire: (asked) => asked.inquire(PURCHASE),
  release: (asked) => asked.release(PURCHASE),
}
export const VERB_NAMES = Object.keys(VERBS) as Verb[]

/** What leaves open what a shop did, whatever its protocol, and what is said of it. */
export const FAULTS: readonly (readonly [string, does.Behaviour, string])[] = [
  ['a 500', does.answers(500, JSON.stringify({ error: { code: 'card_declined' } })), 'HTTP 500'],
  ['a 503', does.answers(503), 'HTTP 503'],
  ['a redirect', does.redirects(307, 'http://localhost:1/'), 'HTTP 307'],
  ['a key that is not taken', does.answers(401, '{"error":{"code":"unauthorized"}}'), 'HTTP 401'],
  ['too many requests', does.answers(429, '{"error":{"code":"slow_down"}}'), 'HTTP 429'],
  ['a proxy that knows nothing', does.answers(404, '<html>not found</html>'), 'an answer that is no JSON object'],
  ['a refusal without a code', does.answers(404, '{"message":"not found"}'), 'malformed answer'],
  ['no JSON', does.answers(200, '{"ref":'), 'an answer that is no JSON object'],
  ['a list', does.answers(200, '[]'), 'an answer that is no JSON object'],
  ['nothing', does.answers(200, ''), 'an answer that is no JSON object'],
  ['another shape', does.answers(200, '{"hello":"world"}'), 'malformed answer'],
  ['a body that is cut', does.closesEarly(), 'an answer that is cut or too long'],
  ['more than a megabyte', does.gigabyte(), 'an answer that is cut or too long'],
  ['a bomb of gzip', does.gzipBomb(), 'an answer that is no JSON object'],
  ['a connection that is cut', does.resetsSilently(), 'reset: ECONNRESET'],
  ['a connection that ends', does.closesSilently(), 'reset: ECONNRESET'],
  ['no HTTP', does.http09(), 'protocol: HPE_INVALID_CONSTANT'],
]
