// Guarantee: a shop verifies an agent whose owner has published it, with its own libraries and nothing else than what is public; no agent that was
// not published, was taken back or was revoked is found (faults G3).
import {
  createPublicKey,
  generateKeyPairSync,
  hash,
  type JsonWebKey,
  type KeyObject,
  verify as verifyBytes,
} from 'node:crypto'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MintmarkAgent } from '@mintmark/node'
import { httpbis } from 'http-message-signatures'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verify } from 'web-bot-auth'
import { verifierFromJWK } from 'web-bot-auth/crypto'
import { sealedPublication } from '../src/agents/seal.ts'
import { type LinkedAgent, linkedAgent } from './agents.ts'
import { firstScan } from './explain.ts'
import { keepLog } from './logged.ts'
import { startTestService, TEST_SEALS, type TestService } from './service.ts'

const WELL_KNOWN = '/.well-known/http-message-signatures-directory'
const { log, lines } = keepLog('error')
let service: TestService
beforeAll(async () => {
  service = await startTestService({
    log,
  })
})
afterAll(() => service?.close())

const publish = (agentId: string, published: boolean) =>
  service.merchant.post(`/v1/test_helpers/agents/${agentId}/publish`, { published })
const cardOf = (agentId: string) => `${service.apiUrl}/v1/agents/${agentId}/card`
const thumbprintOf = ({ privateKey }: { privateKey: KeyObject }) =>
  new MintmarkAgent({ apiUrl: service.apiUrl, key: privateKey }).thumbprint

/** The keys by their names, without the operator's own. */
async function listed(url = service.apiUrl + WELL_KNOWN): Promise<Map<string, JsonWebKey & { exp?: number }>> {
  const { keys } = (await (await fetch(url)).json()) as { keys: (JsonWebKey & { kid: string })[] }
  return new Map(keys.map((key) => [key.kid, key]))
}
const eventually = (kid: string) => expect.poll(async () => (await listed()).has(kid), { interval: 100 })

async function published(): Promise<LinkedAgent & { kid: string }> {
  const agent = await linkedAgent(service)
  expect(await publish(agent.agentId, true)).toMatchObject({ status: 200, body: { published: true } })
  return { ...agent, kid: thumbprintOf(agent) }
}

/** Asks this server by some name. */
async function askedAs(host: string, path: string): Promise<{ headers: Record<string, string>; body: string }> {
  const [response] = (await once(get(service.apiUrl + path, { headers: { host } }), 'response')) as [IncomingMessage]
  let body = ''
  for await (const part of response.setEncoding('utf8')) body += part
  return { headers: response.headers as Record<string, string>, body }
}

/** A shop that lets in whom web-bot-auth verifies, by the key at the address that the request names. */
async function atShop<Value>(work: (url: string) => Promise<Value>): Promise<Value> {
  const shop = createServer(async (request, response) => {
    const [, uri = '', card] = /^sig1="([^"]+)"(;type=cimd)?$/.exec(String(request.headers['signature-agent'])) ?? []
    const found = await (await fetch(card === undefined ? uri + WELL_KNOWN : uri)).json()
    const keys: (JsonWebKey & { kid: string })[] = card === undefined ? found.keys : found.jwks.keys
    const url = `http://${request.headers.host}${request.url}`
    const verified = verify(
      { method: request.method ?? '', url, headers: request.headers as Record<string, string> },
      async (...signed) => {
        const key = keys.find(({ kid }) => kid === signed[2].keyid)
        if (key === undefined) throw new Error('No such key.')
        await (await verifierFromJWK(key as never))(...signed)
      },
    )
    await verified.then(
      () => response.writeHead(200).end(found.client_name ?? 'listed'),
      (error: Error) => response.writeHead(403).end(error.message),
    )
  })
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
  try {
    return await work(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/checkout?cart=1`)
  } finally {
    shop.closeAllConnections()
    await new Promise((resolve) => shop.close(resolve))
  }
}

test('a shop verifies an agent that is published, by the directory and by its card, and no other', async () => {
  const [agent, other] = [await published(), await linkedAgent(service)]
  await eventually(agent.kid).toBe(true)
  await atShop(async (url) => {
    const visit = async ({ privateKey }: { privateKey: KeyObject }, signatureAgent: string) => {
      const request = { method: 'GET', url }
      const signer = new MintmarkAgent({ apiUrl: service.apiUrl, key: privateKey })
      const headers = signer.signShopRequest(request, { signatureAgent, wholeSignatureAgent: true })
      const response = await fetch(url, { headers })
      return [response.status, await response.text()]
    }
    expect(await visit(agent, service.apiUrl)).toEqual([200, 'listed'])
    expect(await visit(agent, cardOf(agent.agentId))).toEqual([200, 'Pantry'])
    expect(await visit(other, service.apiUrl)).toEqual([403, 'No such key.'])
    expect(await visit(other, cardOf(agent.agentId))).toEqual([403, 'No such key.'])
  })
})

describe('the directory', () => {
  test('has the media type, the kids and the cards that the drafts want, and may be kept half a minute', async () => {
    const agent = await published()
    await eventually(agent.kid).toBe(true)
    const response = await fetch(service.apiUrl + WELL_KNOWN)
    expect(response.headers.get('content-type')).toBe('application/http-message-signatures-directory+json')
    expect(response.headers.get('cache-control')).toBe('public, max-age=30')
    const [operator, ...keys] = ((await response.json()) as { keys: (JsonWebKey & { kid: string })[] }).keys
    const { x } = createPublicKey(agent.privateKey).export({ format: 'jwk' })
    const own = { kty: 'OKP', crv: 'Ed25519', kid: agent.kid, x, use: 'sig' }
    expect(operator).toEqual({ ...own, kid: expect.any(String), x: expect.any(String) })
    expect(keys).toContainEqual({
      ...own,
      signature_agent_card: `http://localhost:4000/v1/agents/${agent.agentId}/card`,
    })
    const etag = response.headers.get('etag') ?? ''
    const again = await fetch(service.apiUrl + WELL_KNOWN, { headers: { 'if-none-match': etag } })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  test('is signed by the operator for a name of this server, and for no other', async () => {
    const [operator] = (await listed()).values()
    const key = createPublicKey({ key: operator ?? {}, format: 'jwk' })
    const keyLookup = async ({ keyid }: { keyid?: string }) => {
      expect(keyid).toBe((operator as { kid?: string }).kid)
      const check = async (data: Buffer, signature: Buffer) => verifyBytes(null, data, key, signature)
      return { verify: check }
    }
    for (const path of [WELL_KNOWN, `/v1/agents/${(await published()).agentId}/card`]) {
      const isSigned = async (headers: Record<string, string>, origin: string) =>
        httpbis.verifyMessage(
          { keyLookup },
          { status: 200, headers },
          { method: 'GET', url: origin + path, headers: {} },
        )
      const { headers, body } = await askedAs(new URL(service.apiUrl).host, path)
      expect(headers['signature-input']).toContain('=("@authority";req "content-digest");created=')
      expect(await isSigned(headers, service.apiUrl)).toBe(true)
      expect(await isSigned(headers, 'http://evil.example')).toBe(false)
      expect(headers['content-digest']).toBe(`sha-256=:${hash('sha256', body, 'base64')}:`)
      const other = await askedAs('evil.example', path)
      expect(await isSigned(other.headers, 'http://evil.example')).toBe(false)
      expect(await isSigned(other.headers, 'http://localhost:4000')).toBe(true)
    }
  })

  test('shows the old key of an agent with its end, and the new one', async () => {
    const agent = await published()
    const own = new MintmarkAgent({ apiUrl: service.apiUrl, key: agent.privateKey })
    const next = generateKeyPairSync('ed25519').privateKey
    const { old_key_valid_until } = await own.me.changeKey({ key: next, oldKeySeconds: 3_600 })
    const kid = thumbprintOf({ privateKey: next })
    await eventually(kid).toBe(true)
    const keys = await listed()
    expect(keys.get(agent.kid)?.exp).toBe(Math.floor(Date.parse(old_key_valid_until) / 1000))
    expect(keys.get(kid)).not.toHaveProperty('exp')
    await service.clock.advance(3_601)
    await eventually(agent.kid).toBe(false)
    expect((await listed()).has(kid)).toBe(true)
  })
})

test('an agent knows its card, and its owner takes it back', async () => {
  const agent = await published()
  const me = async () => (await agent.send('GET', '/v1/agents/me')).body.card_url
  expect(await me()).toBe(`http://localhost:4000/v1/agents/${agent.agentId}/card`)
  await eventually(agent.kid).toBe(true)
  await publish(agent.agentId, false)
  expect(await me()).toBeNull()
  expect((await fetch(cardOf(agent.agentId))).status).toBe(404)
  await eventually(agent.kid).toBe(false)
})

test('an agent that is revoked is gone, and nobody publishes it again', async () => {
  const agent = await published()
  await eventually(agent.kid).toBe(true)
  await service.app.agentOperations.revoke(agent.agentId)
  expect((await fetch(cardOf(agent.agentId))).status).toBe(404)
  await eventually(agent.kid).toBe(false)
  expect(await publish(agent.agentId, true)).toMatchObject({ status: 404 })
  expect(await publish('aa_none', true)).toMatchObject({ status: 404 })
})

test('a published agent keeps the name that was sealed, until it is published again', async () => {
  const agent = await published()
  const name = async () => ((await (await fetch(cardOf(agent.agentId))).json()) as { client_name?: string }).client_name
  await agent.send('PATCH', '/v1/agents/me', { name: 'https://evil.example' })
  expect(await name()).toBe('Pantry')
  await publish(agent.agentId, true)
  expect(await name()).toBe('https://evil.example')
})

test('of many who publish and an agent that renames itself meanwhile, the card has one name, and a seal that is of it', async () => {
  const agent = await published()
  lines.length = 0
  const names = Array.from({ length: 6 }, (_, at) => `Name ${at}`)
  await Promise.all(
    names.flatMap((name) => [agent.send('PATCH', '/v1/agents/me', { name }), publish(agent.agentId, true)]),
  )
  const { client_name } = (await (await fetch(cardOf(agent.agentId))).json()) as { client_name: string }
  expect(['Pantry', ...names]).toContain(client_name)
  expect(lines.join()).not.toContain('row_tampered')
})

test('what was published before names were sealed says none, and its new name is its owner’s to publish', async () => {
  const agent = await published()
  const { rows } = await service.pool.query('select merchant_id, published_at from agents where id = $1', [
    agent.agentId,
  ])
  const [{ merchant_id: merchantId, published_at: publishedAt }] = rows
  const seal = TEST_SEALS.seal(sealedPublication({ merchantId, id: agent.agentId, publishedAt, publishedName: null }))
  await service.pool.query('update agents set published_name = null, published_seal = $2 where id = $1', [
    agent.agentId,
    seal,
  ])
  const card = async () => (await fetch(cardOf(agent.agentId))).json()
  expect(await card()).toEqual(expect.not.objectContaining({ client_name: expect.anything() }))
  expect(await card()).toMatchObject({ jwks: { keys: [{ kid: agent.kid }] } })
  await publish(agent.agentId, true)
  expect(await card()).toMatchObject({ client_name: 'Pantry' })
})

test('another owner does not publish it, and its own does', async () => {
  const [agent, other] = [await linkedAgent(service, { owner: 'ann' }), await linkedAgent(service, { owner: 'ben' })]
  const ownerOf = async ({ agentId }: { agentId: string }) => {
    const { rows } = await service.pool.query('select customer_id from agents where id = $1', [agentId])
    return rows[0].customer_id
  }
  const agents = service.app.agentOperations
  const { agentId } = agent
  await expect(agents.publish({ agentId, customerId: await ownerOf(other) })).rejects.toMatchObject({ status: 404 })
  await agents.publish({ agentId, customerId: await ownerOf(agent) })
  expect((await fetch(cardOf(agentId))).status).toBe(200)
  await expect(agents.unpublish({ agentId, customerId: await ownerOf(other) })).rejects.toMatchObject({ status: 404 })
})

test('the directory costs what it shows, however many agents are over', async () => {
  const { agentId } = await published()
  await service.pool.query(
    `insert into agents (merchant_id, id, customer_id, link_id, name, limits, status, created_at, updated_at, revoked_at, seal,
       published_at, published_seal)
     select merchant_id, 'aa_over_' || n, customer_id, link_id, name, limits, 'revoked', created_at, updated_at, created_at, seal,
       published_at - n * interval '1 second', published_seal
     from agents, generate_series(1, 5000) n where id = $1`,
    [agentId],
  )
  await service.pool.query('analyze agents')
  const { rows } = await service.pool.query('select merchant_id from agents where id = $1', [agentId])
  const given = { merchantId: rows[0].merchant_id, limit: 1_000, at: new Date() }
  const scan = await firstScan(service.pool, 'agents.list_published', { table: 'agents', given })
  expect(scan).toMatchObject({ 'Index Name': 'agents_published_idx' })
  expect(scan).not.toHaveProperty('Rows Removed by Filter')
  expect(scan?.['Actual Rows']).toBeLessThan(50)
})

test('who edits the database gives a published agent no other name', async () => {
  const agent = await published()
  lines.length = 0
  await service.pool.query(`update agents set published_name = 'Trusted' where id = $1`, [agent.agentId])
  expect((await fetch(cardOf(agent.agentId))).status).toBe(404)
  expect(lines.join()).toContain('row_tampered')
  await publish(agent.agentId, true)
  expect((await fetch(cardOf(agent.agentId))).status).toBe(200)
})

test('who edits the database publishes nobody', async () => {
  const [agent, known] = [await linkedAgent(service), await published()]
  lines.length = 0
  await service.pool.query(
    `update agents set published_at = other.published_at, published_seal = other.published_seal
     from agents other where agents.id = $1 and other.id = $2`,
    [agent.agentId, known.agentId],
  )
  expect((await fetch(cardOf(agent.agentId))).status).toBe(404)
  await eventually(known.kid).toBe(true)
  expect((await listed()).has(thumbprintOf(agent))).toBe(false)
  expect(lines.join()).toContain('row_tampered')
  await service.pool.query('update agents set published_at = null, published_seal = null where id = $1', [
    agent.agentId,
  ])
})
