import { generateKeyPairSync, verify as verifyBytes } from 'node:crypto'
import { httpbis } from 'http-message-signatures'
import { expect, test } from 'vitest'
import { verify } from 'web-bot-auth'
import { verifierFromJWK } from 'web-bot-auth/crypto'
import { readSignature } from '../../../../apps/server/src/agents/signature/verify.ts'
import { signShopRequest } from './sign-shop-request.ts'
import { type RequestToSign, thumbprintOf } from './signature.ts'

// Guarantee: a shop's own libraries read who an agent is from what the package signs, and the service takes none of it.

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const AGENT = 'https://api.mintmark.example/v1/agents/aa_1/card'
const REQUESTS: RequestToSign[] = [
  { method: 'GET', url: 'https://tea.example/cart?item=1' },
  { method: 'POST', url: 'https://tea.example:8443/checkout', body: '{"name":"Zoë"}' },
]
const sent = ({ method, url }: RequestToSign, headers: Record<string, string>) => ({
  method,
  url: String(url),
  headers,
})

type Message = ReturnType<typeof sent>
/** The check of npm's web-bot-auth, which knows no members of a dictionary yet. */
const byWebBotAuth = async (message: Message) =>
  verify(message, await verifierFromJWK(publicKey.export({ format: 'jwk' }) as JsonWebKey))
const byRfc9421 = async (message: Message) => {
  const check = async (data: Buffer, signature: Buffer) => verifyBytes(null, data, publicKey, signature)
  const keyLookup = async ({ keyid }: { keyid?: string }) =>
    keyid === thumbprintOf(privateKey) ? { verify: check } : null
  if (!(await httpbis.verifyMessage({ keyLookup }, message))) throw new Error('Not verified.')
}

test.each([
  ['web-bot-auth', byWebBotAuth, true],
  ['http-message-signatures', byRfc9421, true],
  ['http-message-signatures', byRfc9421, false],
] as const)('%s verifies what is sent to a shop, and nothing else', async (_name, check, wholeSignatureAgent) => {
  for (const request of REQUESTS) {
    const headers = signShopRequest(request, { privateKey, signatureAgent: AGENT, wholeSignatureAgent })
    await check(sent(request, headers))
    const url = 'https://coffee.example/cart?item=1'
    const others = [
      { ...request, method: 'DELETE' },
      { ...request, url: `${request.url}&b` },
      { ...request, url },
    ]
    for (const other of others) await expect(check(sent(other, headers))).rejects.toThrow()
    const moved = { ...headers, 'signature-agent': 'sig1="https://evil.example"' }
    await expect(check(sent(request, moved))).rejects.toThrow()
  }
})

test.each([
  [AGENT, `sig1="${AGENT}";type=cimd`],
  ['https://api.mintmark.example', 'sig1="https://api.mintmark.example"'],
  ['http://127.0.0.1:4000/', 'sig1="http://127.0.0.1:4000"'],
])('%s is named as the draft has it', (signatureAgent, header) => {
  const headers = signShopRequest({ method: 'GET', url: 'https://tea.example' }, { privateKey, signatureAgent })
  expect(headers['signature-agent']).toBe(header)
  expect(headers['signature-input']).toContain('"signature-agent";key="sig1"')
})

test.each(['agent-browser-auth', 'agent-payer-auth'] as const)('%s is what TAP reads', async (tag) => {
  const request = { method: 'POST', url: 'https://tea.example/checkout', body: 'x' }
  const headers = signShopRequest(request, { privateKey, tag })
  expect(headers['signature-input']).toMatch(
    new RegExp(
      `^sig1=\\("@authority" "@path"\\);created=\\d+;expires=\\d+;nonce="[^"]+";keyid="[\\w-]{43}";alg="ed25519";tag="${tag}"$`,
    ),
  )
  await byRfc9421(sent(request, headers))
})

test.each(['web-bot-auth', 'agent-payer-auth'] as const)('the service takes no request by %s', (tag) => {
  const request = { method: 'POST', url: 'https://api.mintmark.example/v1/mandates/mdt_1/cancel' }
  const headers = Object.entries(signShopRequest(request, { privateKey, tag, signatureAgent: AGENT }))
  const { host, pathname } = new URL(request.url)
  const message = { method: 'POST', scheme: 'https' as const, authority: host, rawTarget: pathname, headers }
  expect(readSignature({ ...message, body: undefined }, new Date())).toHaveProperty('reason')
})

const RIGHT = { method: 'GET', url: 'https://tea.example/' }
test.each<[string, () => unknown, RegExp]>([
  ['no place of the key', () => signShopRequest(RIGHT, { privateKey }), /signatureAgent/],
  [
    'a place without a certificate',
    () => signShopRequest(RIGHT, { privateKey, signatureAgent: 'http://a.example' }),
    /https/,
  ],
  ['a place with a query', () => signShopRequest(RIGHT, { privateKey, signatureAgent: `${AGENT}?a` }), /query/],
  ['another tag', () => signShopRequest(RIGHT, { privateKey, tag: 'x' as never }), /tag/],
  ['a longer life', () => signShopRequest(RIGHT, { privateKey, tag: 'agent-payer-auth', lifetimeSeconds: 481 }), /480/],
])('%s is a TypeError', (_, attempt, message) => {
  expect(attempt).toThrow(TypeError)
  expect(attempt).toThrow(message)
})
