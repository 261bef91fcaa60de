import { createHash, generateKeyPairSync, verify } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AGENT_KIT } from '@mintmark/contract/agent-kit/cases'
import { type AgentKitResult, runAgentKit } from '@mintmark/contract/agent-kit/run'
import { AGENT_SIGNATURE_FAILURES } from '@mintmark/contract/agent-signature'
import { httpbis } from 'http-message-signatures'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readSignature, type SignatureRefusal, type SignedMessage, verifySignature } from './verify.ts'

// Guarantee: the kit passes a server that keeps to the profile, and tells what one that does not would let through.

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const KEY_ID = 'aa_of_the_kit'
const { crv, kty, x } = publicKey.export({ format: 'jwk' })
const THUMBPRINT = createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url')

type Check = (
  request: IncomingMessage,
  body: Buffer,
) => Promise<SignatureRefusal | undefined> | SignatureRefusal | undefined

let server: Server | undefined
// Cases that are seconds from a limit are judged by a time that stands still for both sides, and not by a busy machine.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => {
  vi.useRealTimers()
  server?.close()
})

test('a server with the verifier passes every case', async () => {
  const results = await tried('localhost', rightCheck())
  expect(results.filter(({ outcome }) => outcome !== 'passed')).toEqual([
    expect.objectContaining({ name: 'the port of the scheme in Host', outcome: 'left_out' }),
    expect.objectContaining({ name: 'an authority signed with the port of its scheme', outcome: 'left_out' }),
  ])
  expect(results).toHaveLength(AGENT_KIT.length)
})

test('a clock that is wrong on the side of the kit does not matter', async () => {
  const results = await tried('127.0.0.1', rightCheck(3_600), 3_600)
  expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([])
})

test('each reason has a case, and each name is there once', () => {
  expect([...new Set(AGENT_KIT.map(({ expected }) => expected))].sort()).toEqual(
    [...AGENT_SIGNATURE_FAILURES, 'taken'].sort(),
  )
  expect(new Set(AGENT_KIT.map(({ name }) => name)).size).toBe(AGENT_KIT.length)
})

test('a server that wants nothing but time and body signed fails wherever it lets another request through', async () => {
  const failed = (await tried('localhost', bodyAndTimeCheck)).filter(({ outcome }) => outcome === 'failed')
  expect(failed.filter(({ got, expected }) => expected !== 'taken' && got === '200').map(({ name }) => name)).toEqual([
    '@method is not covered',
    '@authority is not covered',
    '@path is not covered',
    '@query is not covered',
    'only the body is covered',
    'what Web Bot Auth covers',
    'a component twice',
    'a component that is not one of the profile',
    'a component with ;sf',
    'a component with ;tr',
    'a component with ;name="a"',
    'a component with ;x=?0',
    'a read with a body that is not covered',
    'a life of more than 300 seconds',
    'a life of no length',
    'a time with a fraction',
    'a time in quotes',
    'a request that comes again',
    'a nonce that another request has spent',
    'no expires',
    'no nonce',
    'no keyid',
    'no tag',
    'a key of nobody',
    'a key that is an address',
    'another tag',
    'another algorithm',
    'an algorithm with a shared secret',
    'the algorithm in capitals',
    ...['nonce', 'keyid', 'tag', 'alg'].map((name) => `no string as ${name}`),
    'an empty nonce',
    'a nonce of 129 characters',
    'an unknown parameter',
    'two headers Signature',
    'two signatures',
    'a label twice',
    'a Signature more than there are inputs',
    'a Signature with a parameter',
    'a Signature without its padding',
  ])
})

test.each<[string, Partial<Weakness>, string[]]>([
  ['forgets nonces', { spend: 'never' }, ['a request that comes again', 'a nonce that another request has spent']],
  ['spends a nonce before it knows who sent it', { spend: 'first' }, ['a nonce that a wrong signature has not spent']],
  [
    'puts addresses right',
    { targetOf: (raw) => raw.replace('%7e', '%7E') },
    ['a query that is signed as it is written', 'small letters behind %'],
  ],
  ['decodes addresses', { targetOf: (raw) => raw.replace('~', '%7E') }, ['a letter that was decoded']],
  ['knows one key, whatever is named', { keysBy: () => true }, ['a key of nobody']],
  ['does not look at the body', { bodyOf: (body) => Buffer.from(String(body).replace('99', '1')) }, ['another body']],
])('a server that %s fails there, and nowhere else', async (_, weakness, names) => {
  const failed = (await tried('127.0.0.1', rightCheck(0, weakness))).filter(({ outcome }) => outcome === 'failed')
  expect(failed.map(({ name }) => name)).toEqual(names)
})

test('a server that is not there, or answers everything, fails', async () => {
  const results = await tried('localhost', () => undefined)
  expect(results.filter(({ outcome, expected }) => outcome === 'passed' && expected !== 'taken')).toEqual([])
  server?.close()
  await expect(runAgentKit({ url: 'http://127.0.0.1:1', keyId: KEY_ID, privateKey })).rejects.toThrow('ECONNREFUSED')
})

interface Weakness {
  spend: 'last' | 'first' | 'never'
  targetOf: (raw: string) => string
  bodyOf: (body: Buffer) => Buffer
  keysBy: (keyid: string) => boolean
}

/** As a server does it: read, look up, verify, spend the nonce. */
function rightCheck(clockAhead = 0, weakness: Partial<Weakness> = {}): Check {
  const { spend = 'last', targetOf = String, bodyOf = (body) => body, keysBy = isKnown } = weakness
  const spent = new Set<string>()
  const isSpent = (nonce: string) => spent.has(nonce) || !spent.add(nonce)
  return (request, body) => {
    const message = { ...messageOf(request, bodyOf(body)), rawTarget: targetOf(request.url ?? '') }
    const claim = readSignature(message, now(clockAhead))
    if ('reason' in claim) return claim
    if (!keysBy(claim.keyid)) return { reason: 'key_unknown', message: 'Nobody has this key.' }
    const replayed: SignatureRefusal = { reason: 'nonce_replayed', message: 'The nonce was used.' }
    if (spend === 'first' && isSpent(claim.nonce)) return replayed
    const refusal = verifySignature(claim, publicKey)
    if (refusal !== undefined) return refusal
    return spend === 'last' && isSpent(claim.nonce) ? replayed : undefined
  }
}

const isKnown = (keyid: string) => [KEY_ID, THUMBPRINT].includes(keyid)
const now = (ahead: number) => new Date(Date.now() + ahead * 1_000)

function messageOf({ method = '', url = '', headers, rawHeaders }: IncomingMessage, body: Buffer): SignedMessage {
  const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : []))
  return { method, scheme: 'http', authority: headers.host ?? '', rawTarget: url, headers: pairs, body }
}

/** What a hurried reader of the standard writes: any signature that is right, over whatever its maker chose to cover. */
const bodyAndTimeCheck: Check = async ({ method = '', url = '', headers }, body) => {
  const refusal = (reason: SignatureRefusal['reason']) => ({ reason, message: 'No.' })
  if (headers.signature === undefined || headers['signature-input'] === undefined) return refusal('signature_missing')
  const config = {
    keyLookup: async () => ({
      verify: async (data: Buffer, signature: Buffer) => verify(null, data, publicKey, signature),
    }),
    requiredParams: ['created'],
    maxAge: 300,
    requiredFields: method === 'POST' ? ['content-digest'] : [],
    tolerance: 60,
  }
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`
  if (method === 'POST' && headers['content-digest'] !== digest) return refusal('digest_mismatch')
  const message = { method, url: `http://${headers.host}${url}`, headers: headers as Record<string, string> }
  const isRight = await httpbis.verifyMessage(config, message).catch(() => false)
  return isRight ? undefined : refusal('signature_invalid')
}

async function tried(host: string, check: Check, clockAhead = 0): Promise<AgentKitResult[]> {
  server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const refusal = await check(request, body)
    const { reason, components } = refusal ?? {}
    response.setHeader('Date', now(clockAhead).toUTCString())
    response.statusCode = refusal === undefined ? 200 : 401
    response.end(
      JSON.stringify(
        refusal === undefined ? {} : { error: { code: 'AUTH_REQUIRED', details: { reason, components } } },
      ),
    )
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return runAgentKit({ url: `http://${host}:${port}`, keyId: KEY_ID, privateKey })
}
