// Guarantee: a row that takes a key is reached with a key of its form only, and a caller is told of it together with all else.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CREATION_KEY, keyOf, keyProblems, OPTIONAL_IDEMPOTENCY_KEY } from './idempotency.ts'
import { SECRET_KEY, startToyHost, type ToyHost } from './testing/toy-host.ts'

let host: ToyHost
beforeAll(async () => {
  host = await startToyHost()
})
afterAll(() => host.close())

async function pay(keys: readonly string[], amount = '1.00') {
  const headers = new Headers({ authorization: `Bearer ${SECRET_KEY}`, 'content-type': 'application/json' })
  for (const key of keys) headers.append('Idempotency-Key', key)
  const init = { method: 'POST', headers, body: JSON.stringify({ amount }) }
  const response = await fetch(`${host.baseUrl}/v1/orders/ord_1/pay`, init)
  // biome-ignore lint/suspicious/noExplicitAny: read as a caller would, without types.
  return { status: response.status, body: (await response.json()) as any }
}

test.each([['12345678'], ['a-Z_0-9'.padEnd(120, 'x')]])('%s reaches the handler', async (key) => {
  expect(await pay([key])).toEqual({ status: 200, body: { paid: key } })
})

test.each<[string, string[], string]>([
  ['none', [], 'is required'],
  ['an empty one', [''], 'is required'],
  ['seven characters', ['1234567'], 'must be 8 to 120 of A-Z, a-z, 0-9, "_" and "-"'],
  ['121 characters', ['x'.repeat(121)], 'must be 8 to 120 of A-Z, a-z, 0-9, "_" and "-"'],
  ['a blank inside', ['12345 678'], 'must be 8 to 120 of A-Z, a-z, 0-9, "_" and "-"'],
  ['another letter', ['1234567\u00e9'], 'must be 8 to 120 of A-Z, a-z, 0-9, "_" and "-"'],
  ['two', ['12345678', '12345679'], 'must be 8 to 120 of A-Z, a-z, 0-9, "_" and "-"'],
])('%s is refused by name', async (_what, keys, problem) => {
  const { status, body } = await pay(keys)
  expect({ status, ...body.error }).toMatchObject({
    status: 400,
    code: 'VAL_2001',
    details: { 'idempotency-key': problem },
  })
})

test('one that is optional is looked at where it is given; requests without one share none', () => {
  const format = OPTIONAL_IDEMPOTENCY_KEY
  expect(keyProblems(given(), format)).toEqual({})
  expect(keyProblems(given(''), format)).toEqual({ 'idempotency-key': 'is required' })
  expect(keyProblems(given('short'), format)).toHaveProperty('idempotency-key')
  expect(keyOf({ 'idempotency-key': 'order-1001' }, format)).toBe('order-1001')
  const [one, other] = [keyOf({}, format), keyOf({}, format)]
  expect(one).not.toBe(other)
  expect(one).toMatch(format.pattern)
})

/** Headers as the server reads them. */
function given(...keys: string[]) {
  const name = 'idempotency-key'
  return keys.length === 0
    ? { headers: {}, headersDistinct: {} }
    : { headers: { [name]: keys.join(', ') }, headersDistinct: { [name]: keys } }
}

test.each<[string, string[], string | undefined]>([
  ['one sign', ['x'], undefined],
  ['blanks, commas and quotes inside', ['"order 7, 8"'], undefined],
  ['255 signs', ['x'.repeat(255)], undefined],
  ['256 signs', ['x'.repeat(256)], 'must be 1 to 255 printable characters of ASCII'],
  ['a letter that is none of ASCII', ['caf\u00e9'], 'must be 1 to 255 printable characters of ASCII'],
  ['a control character', ['a\tb'], 'must be 1 to 255 printable characters of ASCII'],
  ['two, which a comma would make one of', ['order-7', 'order-8'], 'must be given once'],
  ['none at all', [], undefined],
])('of what is created a key of %s', (_what, keys, problem) => {
  expect(keyProblems(given(...keys), CREATION_KEY)).toEqual(problem === undefined ? {} : { 'idempotency-key': problem })
})

test('what is wrong with the body is said as well', async () => {
  const { body } = await pay([], 'much')
  expect(Object.keys(body.error.details)).toEqual(['idempotency-key', 'amount'])
})
