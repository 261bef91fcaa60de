import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { createSignatureSync } from 'http-message-sig'
import { httpbis } from 'http-message-signatures'
import { expect, test } from 'vitest'
import { BODY, COVERED, digestOf, NOW, SECONDS } from './testing/signed.ts'
import { readSignature, type SignedMessage, verifySignature } from './verify.ts'

// Guarantee: an agent needs nothing of ours to sign: what the libraries of others make of the profile is taken.

const { privateKey } = generateKeyPairSync('ed25519')
const TAG = 'agent-payer-auth'
const URLS = [
  'https://api.mintmark.example/v1/agents/me',
  'https://api.mintmark.example:443/v1/mandates?customer_id=a%7Eb+c&q=%C3%A9',
  'https://API.Mintmark.example:8443/v1/sessions/agent?a&b=',
]
const CASES = URLS.flatMap((url) => ['GET', 'POST'].map((method) => [method, url] as const))

test.each(CASES)('http-message-signatures: %s %s', async (method, url) => {
  const headers: Record<string, string> = method === 'GET' ? {} : { 'Content-Digest': digestOf(BODY) }
  const key = { id: 'aa_1', alg: 'ed25519', sign: async (data: Buffer) => sign(null, data, privateKey) }
  const request = await httpbis.signMessage(
    {
      key,
      fields: coveredBy(method),
      params: ['created', 'expires', 'nonce', 'keyid', 'tag', 'alg'],
      paramValues: { created: NOW, expires: new Date(NOW.getTime() + 60_000), nonce: 'n-1', tag: TAG },
    },
    { method, url, headers },
  )
  const pairs = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const)
  expectTaken(messageOf(method, url, pairs))
})

test.each(CASES)('http-message-sig: %s %s', (method, url) => {
  const fields = method === 'GET' ? [] : [{ name: 'content-digest', value: digestOf(BODY) }]
  const { signature, signatureInput } = createSignatureSync(
    { kind: 'request', method, targetUri: url, fields },
    {
      components: coveredBy(method),
      parameters: { created: SECONDS, expires: SECONDS + 300, nonce: 'n-1', keyid: 'aa_1', tag: TAG },
      signer: { algorithm: 'ed25519', sign: (data) => sign(null, data, privateKey) },
    },
  )
  const pairs = fields.map(({ name, value }) => [name, value] as const)
  expectTaken(messageOf(method, url, [...pairs, ['Signature-Input', signatureInput], ['Signature', signature]]))
})

const coveredBy = (method: string) => (method === 'GET' ? COVERED : [...COVERED, 'content-digest'])

/** As a server gets it from a client that was told this address. */
function messageOf(method: string, url: string, headers: SignedMessage['headers']): SignedMessage {
  const { host, pathname, search } = new URL(url)
  return { method, authority: host, rawTarget: pathname + search, headers, body: method === 'GET' ? undefined : BODY }
}

function expectTaken(message: SignedMessage): void {
  const claim = readSignature(message, NOW)
  expect(claim).toMatchObject({ keyid: 'aa_1', nonce: 'n-1', created: SECONDS })
  if ('reason' in claim) return
  expect(verifySignature(claim, createPublicKey(privateKey))).toBeUndefined()
  expect(verifySignature(claim, generateKeyPairSync('ed25519').publicKey)).toMatchObject({
    reason: 'signature_invalid',
  })
}
