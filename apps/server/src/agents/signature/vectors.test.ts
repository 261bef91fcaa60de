import { hash, sign, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { signatureBase } from './base.ts'
import { checkDigest, readDigest } from './digest.ts'
import { parseSignature } from './parse.ts'
import { PRIVATE_KEY, PUBLIC_KEY } from './testing/signed.ts'
import { type SignedMessage, verifySignature } from './verify.ts'

// Guarantee: what is signed and digested is what the standards print, byte for byte.

const INPUT =
  '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"'
const REQUEST: SignedMessage = {
  method: 'POST',
  authority: 'example.com',
  rawTarget: '/foo?param=Value&Pet=dog',
  body: Buffer.from('{"hello": "world"}'),
  headers: [
    ['Host', 'example.com'],
    ['Date', 'Tue, 20 Apr 2021 02:07:55 GMT'],
    ['Content-Type', 'application/json'],
    ['Content-Length', '18'],
    ['Signature-Input', `sig-b26=${INPUT}`],
    ['Signature', 'sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:'],
  ],
}

test('RFC 9421, B.2.6: the base, and the signature of it', () => {
  const { components, input, signature } = parseSignature(REQUEST)
  const base = signatureBase(REQUEST, components, input)
  expect(base.toString()).toBe(
    [
      '"date": Tue, 20 Apr 2021 02:07:55 GMT',
      '"@method": POST',
      '"@path": /foo',
      '"@authority": example.com',
      '"content-type": application/json',
      '"content-length": 18',
      `"@signature-params": ${INPUT}`,
    ].join('\n'),
  )
  expect(sign(null, base, PRIVATE_KEY)).toEqual(signature)
  expect(verify(null, base, PUBLIC_KEY, signature)).toBe(true)
  const claim = { created: 1618884473, expires: 1618884773, nonce: 'n', keyid: 'test-key-ed25519', base, signature }
  expect(verifySignature(claim, PUBLIC_KEY)).toBeUndefined()
  for (const place of [0, 31, 32, 63]) {
    const changed = Buffer.from(signature)
    changed[place] = (changed[place] ?? 0) ^ 1
    expect(verifySignature({ ...claim, signature: changed }, PUBLIC_KEY)).toMatchObject({ reason: 'signature_invalid' })
  }
})

test('a header that is covered and was not sent has no line', () => {
  expect(() => lineOf({ headers: [] }, 'date')).toThrow('The header date is covered and not there.')
})

test.each([
  ['example.com', 'https', 'example.com'],
  ['EXAMPLE.com', 'https', 'example.com'],
  ['example.com:443', 'https', 'example.com'],
  ['example.com:80', 'https', 'example.com:80'],
  ['example.com:80', 'http', 'example.com'],
  ['example.com:4430', 'https', 'example.com:4430'],
  ['[2001:db8::443]', 'https', '[2001:db8::443]'],
  ['[2001:DB8::1]:443', 'https', '[2001:db8::1]'],
] as const)('RFC 9421, 2.2.3: the authority of %s over %s is %s', (authority, scheme, canonical) => {
  expect(lineOf({ authority, scheme }, '@authority')).toBe(canonical)
})

test.each([
  ['/', '/', '?'],
  ['/path?queryString', '/path', '?queryString'],
  ['/path?', '/path', '?'],
  ['/a?b?c', '/a', '?b?c'],
  ['/a%7eb%7Ec~d?%7e+%20', '/a%7eb%7Ec~d', '?%7e+%20'],
  ['//a/../b', '//a/../b', '?'],
])(
  'RFC 9421, 2.2.6 and 2.2.7: of %s the path is %s and the query %s, and nothing is decoded',
  (rawTarget, path, query) => {
    expect(lineOf({ rawTarget }, '@path')).toBe(path)
    expect(lineOf({ rawTarget }, '@query')).toBe(query)
  },
)

test.each([
  ['{"hello": "world"}', 'sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:'],
  ['{"hello": "world"}\n', 'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:'],
  ['', 'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:'],
])('RFC 9421 B.2 and RFC 9530 B.1, B.2: the digest of %j', (text, digest) => {
  const promised = readDigest({ headers: [['content-digest', digest]] })
  expect(() => checkDigest(promised, hash('sha256', text, 'buffer'))).not.toThrow()
  expect(() => checkDigest(promised, hash('sha256', `${text} `, 'buffer'))).toThrow(
    'Content-Digest is not the digest of the body that came.',
  )
})

function lineOf(change: Partial<SignedMessage>, component: string): string | undefined {
  const [line] = signatureBase({ ...REQUEST, ...change }, [component], '()')
    .toString()
    .split('\n')
  return line?.slice(`"${component}": `.length)
}
