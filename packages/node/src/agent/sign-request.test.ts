import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto'
import {
  AGENT_SIGNATURE_LIFETIME_SECONDS,
  AGENT_SIGNATURE_TAG,
  AGENT_SIGNED_COMPONENTS,
} from '@mintmark/contract/agent-signature'
import { httpbis } from 'http-message-signatures'
import { expect, test } from 'vitest'
import { readSignature, verifySignature } from '../../../../apps/server/src/agents/signature/verify.ts'
import { signRequest } from './sign-request.ts'
import type { RequestToSign } from './signature.ts'

// Guarantee: what an agent signs with the package is taken by the service, and is RFC 9421 to the reader of others.

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const NOW = new Date('2026-11-23T12:00:00.900Z')

const REQUESTS: RequestToSign[] = [
  { method: 'GET', url: 'https://api.mintmark.example/v1/agents/me' },
  { method: 'get', url: new URL('https://API.mintmark.example:443/v1/mandates?customer_id=a%7eb+c&q=é#part') },
  { method: 'POST', url: 'https://api.mintmark.example:8443/v1/sessions/agent?', body: '{"name":"Zoë"}' },
  { method: 'POST', url: 'http://127.0.0.1:8080', body: Buffer.from([0, 255, 10]) },
  { method: 'POST', url: 'https://api.mintmark.example/a', body: new Uint8Array([1, 2]).buffer },
  { method: 'DELETE', url: 'https://api.mintmark.example/a', body: '' },
]

test.each(REQUESTS)('%j is taken by the service', (request) => {
  const message = sent(request)
  expect(judged(message, publicKey)).toBeUndefined()
  expect(judged(message, generateKeyPairSync('ed25519').publicKey)).toMatchObject({ reason: 'signature_invalid' })
  expect(judged({ ...message, body: Buffer.from('other') }, publicKey)).toBeDefined()
  expect(judged({ ...message, rawTarget: '/other' }, publicKey)).toMatchObject({ reason: 'signature_invalid' })
})

test.each(REQUESTS)('%j is what http-message-signatures reads', async (request) => {
  const headers = signRequest(request, { privateKey, keyId: 'aa_1', now: NOW })
  const fields = [...AGENT_SIGNED_COMPONENTS, ...(headers['content-digest'] ? ['content-digest'] : [])]
  const verified = await httpbis.verifyMessage(
    {
      keyLookup: async ({ keyid, tag }) => {
        expect([keyid, tag]).toEqual(['aa_1', AGENT_SIGNATURE_TAG])
        return { verify: async (data, signature) => verify(null, data, publicKey, signature) }
      },
      requiredFields: fields,
      requiredParams: ['created', 'expires', 'nonce', 'keyid', 'alg', 'tag'],
      notAfter: new Date(NOW.getTime() + 1_000),
      // It compares with the clock of the machine.
      tolerance: 1e12,
    },
    { method: request.method, url: new URL(request.url), headers },
  )
  expect(verified).toBe(true)
})

test('every signature has a nonce of its own, and lives as long as it is told', () => {
  const request = { method: 'GET', url: 'https://api.mintmark.example/' }
  const input = (lifetimeSeconds?: number) =>
    signRequest(request, { privateKey, keyId: 'aa_1', now: NOW, ...(lifetimeSeconds && { lifetimeSeconds }) })[
      'signature-input'
    ]
  const created = Math.floor(NOW.getTime() / 1000)
  expect(input(60)).toContain(`;created=${created};expires=${created + 60};`)
  expect(input()).toContain(`;expires=${created + AGENT_SIGNATURE_LIFETIME_SECONDS};`)
  const nonces = Array.from({ length: 100 }, () => /nonce="([\w-]{22})"/.exec(input() ?? '')?.[1])
  expect(new Set(nonces).size).toBe(100)
})

/** RFC 8037, appendix A. */
const JWK = {
  kty: 'OKP',
  crv: 'Ed25519',
  d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
}

test('a key has many forms, and its thumbprint as its name', () => {
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  for (const form of [privateKey, pem, privateKey.export({ format: 'jwk' })]) {
    expect(judged(sent({ method: 'GET', url: 'https://api.mintmark.example/' }, form), publicKey)).toBeUndefined()
  }
  const headers = signRequest({ method: 'GET', url: 'https://api.mintmark.example/' }, { privateKey: JWK })
  expect(headers['signature-input']).toContain(';keyid="kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";')
})

const RIGHT = { method: 'GET', url: 'https://api.mintmark.example/' }
test.each<[string, () => unknown, RegExp]>([
  ['a key that is public', () => signRequest(RIGHT, { privateKey: publicKey }), /not a private key of Ed25519/],
  ['a key of another kind', () => signRequest(RIGHT, { privateKey: p256() }), /not a private key of Ed25519/],
  ['a text that is no key', () => signRequest(RIGHT, { privateKey: 'secret text' }), /cannot be read/],
  ['a JWK that is no key', () => signRequest(RIGHT, { privateKey: { kty: 'OKP' } }), /cannot be read/],
  ['a name that is none of a key', () => signRequest(RIGHT, { privateKey, keyId: 'a"b' }), /keyId/],
  ['a life of no length', () => signRequest(RIGHT, { privateKey, lifetimeSeconds: 0 }), /lifetimeSeconds/],
  ['a longer life', () => signRequest(RIGHT, { privateKey, lifetimeSeconds: 301 }), /lifetimeSeconds/],
  ['a time that is none', () => signRequest(RIGHT, { privateKey, now: new Date(Number.NaN) }), /now/],
  ['a path without a host', () => signRequest({ ...RIGHT, url: '/v1/agents/me' }, { privateKey }), /URL/],
  ['another scheme', () => signRequest({ ...RIGHT, url: 'ftp://a.example/' }, { privateKey }), /https/],
  ['a method that is no word', () => signRequest({ ...RIGHT, method: 'GET /' }, { privateKey }), /method/],
  ['a body that was not written', () => signRequest({ ...RIGHT, body: {} as never }, { privateKey }), /body/],
])('%s is a TypeError, without the key in it', (_, attempt, message) => {
  expect(attempt).toThrow(TypeError)
  expect(attempt).toThrow(message)
  expect(attempt).not.toThrow(/secret text/)
})

const p256 = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

/** As it comes to the service. */
function sent(request: RequestToSign, key: Parameters<typeof signRequest>[1]['privateKey'] = privateKey) {
  const { protocol, host, pathname, search } = new URL(request.url)
  const headers = Object.entries(signRequest(request, { privateKey: key, keyId: 'aa_1', now: NOW }))
  const scheme = protocol === 'http:' ? ('http' as const) : ('https' as const)
  const body =
    typeof request.body === 'string' ? Buffer.from(request.body) : request.body && new Uint8Array(request.body)
  return {
    method: request.method.toUpperCase(),
    scheme,
    authority: host,
    rawTarget: pathname + search,
    headers,
    body: body ?? undefined,
  }
}

function judged(message: ReturnType<typeof sent>, key: KeyObject) {
  const claim = readSignature(message, NOW)
  return 'reason' in claim ? claim : verifySignature(claim, key.type === 'private' ? createPublicKey(key) : key)
}
