import { generateKeyPairSync } from 'node:crypto'
import { AGENT_SIGNED_COMPONENTS, type AgentSignatureFailure } from '@mintmark/contract/agent-signature'
import { expect, test } from 'vitest'
import { judged } from './testing/judged.ts'
import { COVERED, digestOf, NOW, quoted, SECONDS, signed, withHeader } from './testing/signed.ts'
import { readSignature, type SignedMessage, verifySignature } from './verify.ts'

// Guarantee: a request is its agent's only when it is signed in exactly the one profile; each departure has its reason.

const WITH_BODY = [...COVERED, 'content-digest']

test.each<[string, () => SignedMessage]>([
  ['a request with a body', () => signed()],
  ['one without', () => signed({ method: 'GET' })],
  ['one without a query', () => signed({ rawTarget: '/v1/agents/me' })],
  [
    'one whose path ends in an empty query',
    () => ({ ...signed({ rawTarget: '/v1/agents/me' }), rawTarget: '/v1/agents/me?' }),
  ],
  ['components in another order', () => signed({ components: quoted(WITH_BODY.toReversed()) })],
  [
    'parameters in another order',
    () =>
      signed({
        parameters: { created: undefined, tag: undefined },
        more: `;tag="agent-payer-auth";created=${SECONDS}`,
      }),
  ],
  ['one that names the algorithm', () => signed({ parameters: { alg: '"ed25519"' } })],
  ['a thumbprint as the name of the key', () => signed({ parameters: { keyid: `"${'A'.repeat(43)}"` } })],
  ['the digest of no body', () => signed({ body: Buffer.alloc(0) })],
  ['a clock 60 seconds ahead', () => at(60)],
  ['a clock 60 seconds behind', () => at(-360)],
  ['capital letters in Host', () => ({ ...signed(), authority: 'API.Mintmark.example' })],
  ['the port of the scheme in Host', () => ({ ...signed(), authority: 'api.mintmark.example:443' })],
  ['names of headers in small letters', () => inSmallLetters(signed())],
])('taken: %s', (_, request) => {
  const claim = readSignature(request(), NOW)
  expect(claim).not.toHaveProperty('reason')
  expect(judged(request())).toBeUndefined()
})

test('what is read', () => {
  const parameters = { nonce: '"a nonce"', keyid: '"aa_1"' }
  expect(readSignature(signed({ parameters }), NOW)).toMatchObject({
    created: SECONDS,
    expires: SECONDS + 300,
    nonce: 'a nonce',
    keyid: 'aa_1',
  })
})

test.each(COVERED)('refused: %s is not covered, and is named', (name) => {
  const components = quoted(WITH_BODY.filter((each) => each !== name))
  expect(judged(signed({ components }))).toEqual({
    reason: 'component_missing',
    message: `The signature does not cover ${name}.`,
    components: [name],
  })
})

test('refused: what is not covered is named at once, in the order of the contract', () => {
  const web = signed({ method: 'GET', components: quoted(['@authority', '@path']) })
  expect(judged(web)).toMatchObject({ reason: 'component_missing', components: ['@method', '@query'] })
  expect(judged(signed({ components: [] }))).toMatchObject({
    reason: 'component_missing',
    components: [...AGENT_SIGNED_COMPONENTS, 'content-digest'],
  })
})

test.each<[what: string, reason: AgentSignatureFailure, message: RegExp, () => SignedMessage]>([
  [
    'no signature',
    'signature_missing',
    /Signature-Input/,
    () => without(without(signed(), 'Signature'), 'Signature-Input'),
  ],
  ['no Signature', 'signature_missing', /no header Signature\./, () => without(signed(), 'Signature')],
  ['no Signature-Input', 'signature_missing', /Signature-Input/, () => without(signed(), 'Signature-Input')],

  [
    'a body whose digest is not covered',
    'component_missing',
    /content-digest/,
    () => signed({ components: quoted(COVERED) }),
  ],
  [
    'a body that was added',
    'component_missing',
    /content-digest/,
    () => ({ ...signed({ method: 'GET' }), body: Buffer.from('{}') }),
  ],
  [
    'a digest that is covered and not sent',
    'component_missing',
    /Content-Digest/,
    () => without(signed(), 'Content-Digest'),
  ],
  [
    'a changed body',
    'digest_mismatch',
    /body that came/,
    () => ({ ...signed(), body: Buffer.from('{"total_amount":"99.00"}') }),
  ],
  ['a body that was taken away', 'digest_mismatch', /body that came/, () => ({ ...signed(), body: undefined })],
  [
    'another digest',
    'signature_invalid',
    /has not made/,
    () => ({ ...digestAs(() => digestOf(Buffer.from('{}'))), body: Buffer.from('{}') }),
  ],
  ['a digest of another kind', 'digest_mismatch', /sha-256/, () => signed({ digest: 'sha-512=:AAAA:' })],
  ['a second digest', 'digest_mismatch', /sha-256/, () => digestAs((digest) => `${digest}, sha-512=:AAAA:`)],
  ['a digest twice', 'digest_mismatch', /twice/, () => digestAs((digest) => `${digest}, ${digest}`)],
  ['a digest with a parameter', 'digest_mismatch', /sha-256/, () => digestAs((digest) => `${digest};a=1`)],
  ['a digest that is a string', 'digest_mismatch', /sha-256/, () => digestAs(() => 'sha-256="AAAA"')],
  ['a digest that is no dictionary', 'digest_mismatch', /RFC 8941/, () => digestAs(() => '???')],
  ['a digest of no bytes', 'digest_mismatch', /body that came/, () => digestAs(() => 'sha-256=::')],

  ['another method', 'signature_invalid', /has not made/, () => ({ ...signed(), method: 'PUT' })],
  ['another authority', 'signature_invalid', /has not made/, () => ({ ...signed(), authority: 'api.other.example' })],
  [
    'another port',
    'signature_invalid',
    /has not made/,
    () => ({ ...signed(), authority: 'api.mintmark.example:8443' }),
  ],
  [
    'a port of the scheme that is signed',
    'signature_invalid',
    /has not made/,
    () => signed({ authority: 'api.mintmark.example:443' }),
  ],
  [
    'an authority signed in capitals',
    'signature_invalid',
    /has not made/,
    () => signed({ authority: 'API.mintmark.example' }),
  ],
  [
    'an authority with a user',
    'signature_invalid',
    /cannot be signed/,
    () => signed({ authority: 'a@api.mintmark.example' }),
  ],
  ['another path', 'signature_invalid', /has not made/, () => target('/v1/sessions?a=1')],
  ['another query', 'signature_invalid', /has not made/, () => target('/v1/sessions/agent?a=2')],
  ['no query any more', 'signature_invalid', /has not made/, () => target('/v1/sessions/agent')],
  ['a parameter more', 'signature_invalid', /has not made/, () => target('/v1/sessions/agent?a=1&b=2')],
  [
    'small letters behind %',
    'signature_invalid',
    /has not made/,
    () => ({ ...signed({ rawTarget: '/v1/%7E' }), rawTarget: '/v1/%7e' }),
  ],
  [
    'a letter decoded',
    'signature_invalid',
    /has not made/,
    () => ({ ...signed({ rawTarget: '/v1/%7E' }), rawTarget: '/v1/~' }),
  ],
  [
    'a space written otherwise',
    'signature_invalid',
    /has not made/,
    () => ({ ...signed({ rawTarget: '/v1?a=+' }), rawTarget: '/v1?a=%20' }),
  ],
  ['two slashes', 'signature_invalid', /has not made/, () => target('/v1//sessions/agent?a=1')],
  [
    'a target that is an address',
    'signature_invalid',
    /cannot be signed/,
    () => signed({ rawTarget: 'https://api.mintmark.example/' }),
  ],
  ['a fragment', 'signature_invalid', /cannot be signed/, () => signed({ rawTarget: '/v1#a' })],
  [
    'an end of line in the target',
    'signature_invalid',
    /cannot be signed/,
    () => signed({ rawTarget: '/v1\n"@query": ?' }),
  ],

  ['a signature that was made too long ago', 'signature_expired', /expired 61 seconds ago/, () => at(-361)],
  ['a signature of the future', 'signature_expired', /61 seconds in the future/, () => at(61)],
  [
    'a long life',
    'signature_invalid',
    /more than 300 seconds/,
    () => signed({ parameters: { expires: `${SECONDS + 301}` } }),
  ],
  ['no life', 'signature_invalid', /not later/, () => signed({ parameters: { expires: `${SECONDS}` } })],
  [
    'a time with a fraction',
    'signature_invalid',
    /whole seconds/,
    () => signed({ parameters: { created: `${SECONDS}.5` } }),
  ],
  ['a time in quotes', 'signature_invalid', /whole seconds/, () => signed({ parameters: { created: `"${SECONDS}"` } })],
  [
    'a time with a zero before it',
    'signature_invalid',
    /canonical/,
    () => signed({ parameters: { created: `0${SECONDS}` } }),
  ],
  ...['created', 'expires', 'nonce', 'keyid', 'tag'].map(
    (name): [string, AgentSignatureFailure, RegExp, () => SignedMessage] => [
      `no ${name}`,
      'signature_invalid',
      new RegExp(`The parameter ${name} is missing`),
      () => signed({ parameters: { [name]: undefined } }),
    ],
  ),
])('refused: %s', (_, reason, message, request) => {
  expect(judged(request())).toEqual({ reason, message: expect.stringMatching(message), ...named(reason) })
})

test('a key of another kind has made no signature, and none is looked for', () => {
  const claim = readSignature(signed(), NOW)
  if ('reason' in claim) throw new Error(claim.message)
  for (const key of [
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey,
    generateKeyPairSync('x25519').publicKey,
    generateKeyPairSync('ed448').publicKey,
  ]) {
    expect(verifySignature(claim, key)).toMatchObject({ reason: 'signature_invalid' })
  }
})

function named(reason: AgentSignatureFailure) {
  return reason === 'component_missing' ? { components: ['content-digest'] } : {}
}

/** Made so many seconds from now. */
function at(seconds: number): SignedMessage {
  return signed({ parameters: { created: `${SECONDS + seconds}`, expires: `${SECONDS + seconds + 300}` } })
}

const without = (message: SignedMessage, name: string) => withHeader(message, name, () => undefined)
const target = (rawTarget: string) => ({ ...signed(), rawTarget })
const digestAs = (change: (digest: string) => string) => withHeader(signed(), 'Content-Digest', change)
const inSmallLetters = (message: SignedMessage) => ({
  ...message,
  headers: message.headers.map(([name, value]) => [name.toLowerCase(), value] as const),
})
