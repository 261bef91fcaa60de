// Guarantee: an event comes out only of a request that was signed with one of the secrets, over these bytes, within
// five minutes.
import { randomBytes } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import { EVENT_KINDS, type EventBody } from '@mintmark/contract/wire/events'
import fc from 'fast-check'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  challengeAnswer,
  EVENT_TYPES,
  type MintmarkEvent,
  signWebhook,
  verifyWebhook,
  type WebhookHeaders,
} from './index.ts'
import { VERIFICATION_CODES } from './verification-error.ts'

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const SECRET = newSecret()
const EVENT = EVENT_KINDS['payment.succeeded'].example
const BODY = JSON.stringify(EVENT)
const signed = (body: string | Uint8Array = BODY, now = new Date()) =>
  signWebhook(body, { id: EVENT.id, secrets: SECRET, now })

/** The code of the refusal. */
function refusal(attempt: () => unknown): string {
  try {
    attempt()
  } catch (error) {
    return (error as { code: string }).code
  }
  return 'accepted'
}

describe.each([
  ['standardwebhooks', StandardWebhook],
  ['svix', SvixWebhook],
])('signed by %s', (_name, Webhook) => {
  test('is the event', () => {
    const now = new Date()
    const headers = {
      'webhook-id': EVENT.id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(SECRET).sign(EVENT.id, now, BODY),
    }
    expect(verifyWebhook(BODY, headers, SECRET)).toEqual(EVENT)
  })

  test('verifies what we sign, for tests of receivers', () => {
    expect(new Webhook(SECRET).verify(BODY, signed())).toEqual(EVENT)
  })
})

/** The bytes of the body, made with the classes of another realm. */
const elsewhere = (code: string): Uint8Array | ArrayBuffer => runInNewContext(code, { bytes: [...Buffer.from(BODY)] })

describe('the body', () => {
  test.each([
    ['text', BODY],
    ['a Buffer', Buffer.from(BODY)],
    ['a Uint8Array', new TextEncoder().encode(BODY)],
    ['an ArrayBuffer', new TextEncoder().encode(BODY).buffer],
    ['bytes of another realm, as in test runners', elsewhere(`Uint8Array.from(bytes)`)],
    ['an ArrayBuffer of another realm', elsewhere(`Uint8Array.from(bytes).buffer`)],
  ])('may be %s', (_name, body) => {
    expect(verifyWebhook(body, signed(), SECRET)).toEqual(EVENT)
  })

  test('is verified as bytes: spaces, escapes and letters outside ASCII count', () => {
    const body = '{ "id":"evt_1",  "type":"payment.succeeded", "name": "T\\u00e9 – 茶" }'
    expect(verifyWebhook(Buffer.from(body), signed(body), SECRET)).toMatchObject({ name: 'Té – 茶' })
    expect(refusal(() => verifyWebhook(JSON.stringify(JSON.parse(body)), signed(body), SECRET))).toBe(
      'SIGNATURE_MISMATCH',
    )
  })

  test.each([[EVENT], [undefined], [null], [Object.assign([], BODY)]])('that was parsed is refused', (body) => {
    // @ts-expect-error The types refuse it as well.
    const attempt = () => verifyWebhook(body, signed(), SECRET)
    expect(refusal(attempt)).toBe('BODY_PARSED')
    expect(attempt).toThrow(/express\.raw/)
  })

  test.each(['', 'true', 'null', '[]', '{}', '{"id":1,"type":"x"}', '{"id":"evt_1"}', '{'])(
    'that is signed and no event is refused: %s',
    (body) => {
      expect(refusal(() => verifyWebhook(body, signed(body), SECRET))).toBe('BODY_INVALID')
    },
  )
})

describe('headers', () => {
  const upper = (headers: Record<string, string>) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
  test.each<[string, (headers: Record<string, string>) => WebhookHeaders]>([
    ['of fetch', (headers) => new Headers(headers)],
    ['of node:http', (headers) => headers],
    ['in capitals', upper],
    ['as lists', (headers) => Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))],
    ['beside others', (headers) => ({ ...headers, host: 'shop.example', cookie: undefined, 'set-cookie': ['a', 'b'] })],
  ])('may be %s', (_name, form) => {
    expect(verifyWebhook(BODY, form(signed()), SECRET)).toEqual(EVENT)
  })

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('%s must be there', (name) => {
    const { [name]: _, ...others } = signed()
    for (const headers of [others, { ...others, [name]: '' }, new Headers(others)])
      expect(refusal(() => verifyWebhook(BODY, headers, SECRET))).toBe('HEADER_MISSING')
  })

  test.each(['webhook-id', 'webhook-timestamp'])('%s must be there once', (name) => {
    const { [name]: value = '', ...others } = signed()
    for (const headers of [
      { ...others, [name]: [value, value] },
      { ...others, [name]: value, [name.toUpperCase()]: 'x' },
    ])
      expect(refusal(() => verifyWebhook(BODY, headers, SECRET))).toBe('HEADER_REPEATED')
  })

  test.each([[undefined], [null], ['webhook-id: 1']])('that are none are refused: %s', (headers) => {
    // @ts-expect-error The types refuse it as well.
    expect(refusal(() => verifyWebhook(BODY, headers, SECRET))).toBe('HEADERS_INVALID')
  })
})

describe('secrets and signatures', () => {
  const [former, other] = [newSecret(), newSecret()]
  const both = signWebhook(BODY, { id: EVENT.id, secrets: [SECRET, former] })

  test('during a rotation a receiver knows either secret, or both', () => {
    for (const secrets of [SECRET, former, [former], [other, former], [SECRET, former]])
      expect(verifyWebhook(BODY, both, secrets)).toEqual(EVENT)
    expect(refusal(() => verifyWebhook(BODY, both, other))).toBe('SIGNATURE_MISMATCH')
  })

  test('signatures of other versions, and several headers, are no obstacle', () => {
    const [one = '', two = ''] = both['webhook-signature'].split(' ')
    const forms = [
      `v1a,${one.slice(3)} ${two} v2,x`,
      [one, two],
      [`${one}, ${two}`],
      `${one}, ${two}`,
      `${one},${two}`,
      `${one}  ${two},`,
    ]
    for (const value of forms)
      expect(verifyWebhook(BODY, { ...both, 'webhook-signature': value }, former)).toEqual(EVENT)
    const headers = new Headers(both)
    headers.set('webhook-signature', one)
    headers.append('webhook-signature', two)
    expect(verifyWebhook(BODY, headers, former)).toEqual(EVENT)
    const foreign = { ...both, 'webhook-signature': `v2,${one.slice(3)}` }
    expect(refusal(() => verifyWebhook(BODY, foreign, SECRET))).toBe('SIGNATURE_MISMATCH')
  })

  test('a header of any length is read in linear time: any sender may send one', () => {
    // Quadratic work would take minutes, and a test has seconds.
    for (const filler of [' ', ',', ', ', 'v1,', ',v1'])
      for (const end of ['', 'x']) {
        const value = `v1,a${filler.repeat(20_000)}${end}`
        expect(refusal(() => verifyWebhook(BODY, { ...both, 'webhook-signature': value }, SECRET))).toBe(
          'SIGNATURE_MISMATCH',
        )
      }
  })

  test.each([[''], [[]], [['', '']], [undefined]])('without a secret nothing is verified: %j', (secrets) => {
    // @ts-expect-error An environment variable that is not set.
    expect(refusal(() => verifyWebhook(BODY, signed(), secrets))).toBe('SECRET_MISSING')
  })

  test.each([
    'sk_test_abc',
    'whsec_',
    `"${SECRET}"`,
    ` ${SECRET}`,
    SECRET.slice(6),
    'whsec_short',
    'whsec_*'.repeat(9),
  ])('a secret of another form is named as such: %s', (secret) => {
    expect(refusal(() => verifyWebhook(BODY, signed(), secret))).toBe('SECRET_INVALID')
  })

  test.each(['\n', '\r\n'])('a line end behind a secret is none of it: %j', (end) => {
    expect(verifyWebhook(BODY, signed(), `${SECRET}${end}`)).toEqual(EVENT)
    expect(refusal(() => verifyWebhook(BODY, signed(), `${SECRET}${end}${end}`))).toBe('SECRET_INVALID')
  })

  test('no error names a secret, a signature or the body', () => {
    const attempt = () => verifyWebhook(`${BODY} `, signed(), SECRET)
    expect(attempt).toThrow()
    try {
      attempt()
    } catch (error) {
      const shown = `${error} ${JSON.stringify(error)}`
      for (const text of [SECRET.slice(6), EVENT.id, signed()['webhook-signature'].slice(3)])
        expect(shown).not.toContain(text)
    }
  })
})

describe('the time', () => {
  const now = new Date('2026-11-22T12:00:00.500Z')
  const at = (seconds: number) => signed(BODY, new Date(now.getTime() + seconds * 1000))

  test.each([
    [-300, 'accepted'],
    [-301, 'TIMESTAMP_TOO_OLD'],
    [300, 'accepted'],
    [301, 'TIMESTAMP_TOO_NEW'],
    [-86_400, 'TIMESTAMP_TOO_OLD'],
  ])('%i seconds from now: %s', (seconds, expected) => {
    expect(refusal(() => verifyWebhook(BODY, at(seconds), SECRET, { now }))).toBe(expected)
  })

  test('the tolerance can be narrowed, and never left out', () => {
    expect(refusal(() => verifyWebhook(BODY, at(-11), SECRET, { now, toleranceSeconds: 10 }))).toBe('TIMESTAMP_TOO_OLD')
    for (const toleranceSeconds of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 3_601])
      expect(refusal(() => verifyWebhook(BODY, at(0), SECRET, { now, toleranceSeconds }))).toBe('TOLERANCE_INVALID')
    expect(refusal(() => verifyWebhook(BODY, at(0), SECRET, { now: new Date(Number.NaN) }))).toBe('TIMESTAMP_TOO_OLD')
  })

  test.each(['1e9', '-1', ' 1', '1.5', 'now', '0x10', '9'.repeat(20)])('%s is none, signed or not', (timestamp) => {
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': timestamp,
      'webhook-signature': new StandardWebhook(SECRET).sign('evt_1', new Date(0), BODY),
    }
    expect(refusal(() => verifyWebhook(BODY, headers, SECRET))).not.toBe('accepted')
  })
})

describe('any change of one byte is refused', () => {
  const now = new Date()
  const headers = signed(BODY, now)
  const flipped = (text: string, at: number, bits: number) => {
    const bytes = Buffer.from(text)
    bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ bits
    return bytes
  }
  const place = fc.nat(10_000)
  const bits = fc.integer({ min: 1, max: 255 })

  test('of the body', () => {
    fc.assert(
      fc.property(place, bits, (at, change) => {
        const body = flipped(BODY, at, change)
        expect(refusal(() => verifyWebhook(body, headers, SECRET, { now }))).toBe('SIGNATURE_MISMATCH')
      }),
      { numRuns: 2_000 },
    )
  })

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('of %s', (name) => {
    fc.assert(
      fc.property(place, bits, (at, change) => {
        const value = flipped(headers[name] ?? '', at, change).toString('latin1')
        expect(refusal(() => verifyWebhook(BODY, { ...headers, [name]: value }, SECRET, { now }))).not.toBe('accepted')
      }),
      { numRuns: 2_000 },
    )
  })

  test('of the secret', () => {
    const key = Buffer.from(SECRET.slice(6), 'base64')
    fc.assert(
      fc.property(place, bits, (at, change) => {
        const other = Buffer.from(key)
        other[at % other.length] = (other[at % other.length] ?? 0) ^ change
        const secret = `whsec_${other.toString('base64')}`
        expect(refusal(() => verifyWebhook(BODY, headers, secret, { now }))).toBe('SIGNATURE_MISMATCH')
      }),
      { numRuns: 500 },
    )
  })

  test('of anything: no input makes another error than ours', () => {
    // The library's own `binary` writes down every character there is, for nine seconds.
    const codePoint = fc.integer({ min: 0, max: 0x10ffff }).map((at) => String.fromCodePoint(at).toWellFormed())
    const value = fc.oneof(fc.string({ unit: codePoint }), fc.constant(undefined), fc.array(fc.string()))
    const some = fc.record({ 'webhook-id': value, 'webhook-timestamp': value, 'webhook-signature': value })
    fc.assert(
      fc.property(fc.anything(), some, fc.anything(), (body, odd, secrets) => {
        // @ts-expect-error Anything at all.
        expect(VERIFICATION_CODES).toContain(refusal(() => verifyWebhook(body, odd, secrets)))
        expect(VERIFICATION_CODES).toContain(refusal(() => verifyWebhook(BODY, odd, SECRET)))
      }),
      { numRuns: 1_000 },
    )
  })
})

test('the type of an event says what is in it', () => {
  const event = verifyWebhook(BODY, signed(), SECRET)
  if (event.type !== 'payment.succeeded') throw new Error('It is one.')
  expectTypeOf(event.data.status).toEqualTypeOf<'completed'>()
  expectTypeOf(event.data.amount.value).toEqualTypeOf<string>()
  expect(event.data.amount.value).toBe('40.00')
})

// The file of types is made from the schemas, and compared with them where the pages are. The static types of the
// contract say less of a payment's status than its schemas do, so they are compared in one direction.
test('the types of the package are those of the contract', () => {
  expectTypeOf<MintmarkEvent>().toExtend<EventBody>()
  expectTypeOf<MintmarkEvent['type']>().toEqualTypeOf<EventBody['type']>()
  expect(EVENT_TYPES).toEqual(Object.keys(EVENT_KINDS))
})

test('a verification is answered with its challenge, and nothing else is', () => {
  const body = JSON.stringify({ id: 'evt_1', type: 'webhook.endpoint_verification', challenge: 'abc' })
  const event = verifyWebhook(body, signWebhook(body, { id: 'evt_1', secrets: SECRET }), SECRET)
  expect(challengeAnswer(event)).toEqual({ challenge: 'abc' })
  expect(challengeAnswer(EVENT)).toBeUndefined()
  expect(challengeAnswer({ type: 'payment.succeeded', challenge: 'abc' })).toBeUndefined()
})
