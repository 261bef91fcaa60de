// Guarantee: an agent gets a card as a payload that its own key opens, by any library, and only while its result is awaited: on no read of any
// route is there one once it was reported, has lapsed, or was revoked.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { flattenedDecrypt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { credentialsOf } from '../src/http/credential.ts'
import { askFor, completeFor, type LinkedAgent, linkedAgent, mandateOf, resultOf } from './agents.ts'
import { dbRow } from './flows.ts'
import { type Answer, PATIENT, startTestService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ env: PATIENT })
})
afterAll(() => service?.close())

const KINDS = {
  'its X25519 key': () => {
    const { privateKey, publicKey } = generateKeyPairSync('x25519')
    const encryption_key = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url').toString('base64')
    return { asked: { encryption_key }, keyOf: () => privateKey }
  },
  'its Ed25519 key, mapped': () => ({ asked: {}, keyOf: ({ privateKey }: LinkedAgent) => mapped(privateKey) }),
}

/** The X25519 key of an Ed25519 one, by a library that is not ours. */
function mapped(key: KeyObject): KeyObject {
  const { d = '', x = '' } = key.export({ format: 'jwk' })
  const parts = [ed25519.utils.toMontgomerySecret(bytes(d)), ed25519.utils.toMontgomery(bytes(x))]
  const [secret = '', point = ''] = parts.map((part) => Buffer.from(part).toString('base64url'))
  return createPrivateKey({ key: { kty: 'OKP', crv: 'X25519', x: point, d: secret }, format: 'jwk' })
}
const bytes = (text: string) => Buffer.from(text, 'base64url')

/** As its reader writes the header, which is not sent: one character more or less, and nothing opens. */
async function opened({ body }: Answer, key: KeyObject, headerOf = (x: string) => JSON.stringify(header(x))) {
  const { ephemeral_public_key: x, iv, auth_tag: tag, data: ciphertext, ...others } = body.encrypted_payload
  expect(others).toEqual({})
  const encoded = Buffer.from(headerOf(x)).toString('base64url')
  const { plaintext } = await flattenedDecrypt({ protected: encoded, iv, tag, ciphertext }, key)
  return JSON.parse(Buffer.from(plaintext).toString())
}
const header = (x: string) => ({ alg: 'ECDH-ES', enc: 'A256GCM', epk: { kty: 'OKP', crv: 'X25519', x } })

interface Paid {
  agent: LinkedAgent
  sessionId: string
  mandateId: string
  charge: Answer
  result: Answer
}

const charging = (agent: LinkedAgent, mandateId: string) =>
  agent.send('POST', `/v1/mandates/${mandateId}/charge`, { amount: '10.00', reference: 'r' })

/** A purchase that its owner has approved, and a charge, both of which await their result. */
async function paid(asked: object = {}): Promise<Paid> {
  const agent = await linkedAgent(service, {}, asked)
  const sessionId: string = (await askFor(agent)).body.session_id
  expect((await completeFor(service, sessionId)).status).toBe(200)
  const mandateId = await mandateOf(service, agent)
  const charge = await charging(agent, mandateId)
  return { agent, sessionId, mandateId, charge, result: await resultOf(agent, sessionId) }
}

describe.each(Object.entries(KINDS))('a card for %s', (_, kind) => {
  test('is opened by jose, from a purchase and from a charge, with that header and no other', async () => {
    const { asked, keyOf } = kind()
    const { agent, mandateId, charge, result } = await paid(asked)
    const key = keyOf(agent)
    const card = { token: expect.stringMatching(/^\d{16}$/), dynamicCvv: expect.stringMatching(/^\d{3}$/) }
    const printed = { expiryMonth: expect.stringMatching(/^\d\d$/), expiryYear: expect.stringMatching(/^\d{4}$/) }
    const { transactionId } = charge.body
    expect(await opened(charge, key)).toEqual({ ...card, ...printed, mandateId, transactionId })
    expect(await opened(result, key)).toMatchObject({
      ...card,
      ...printed,
      transactionId: expect.stringMatching(/^txn_/),
    })
    const again = await charging(agent, mandateId)
    expect(again.body.encrypted_payload).not.toEqual(charge.body.encrypted_payload)
    expect(await opened(again, key)).toEqual(await opened(charge, key))
    const other = (x: string) => JSON.stringify(header(x)).replace(':', ': ')
    await expect(opened(charge, key, other)).rejects.toThrow()
  })
})

/** All that this agent can read: each route that takes its signature and changes nothing, and the charge again. */
async function reads({ agent, sessionId, mandateId, charge }: Paid): Promise<Answer[]> {
  const ids: Record<string, string> = { sessionId, mandateId, txnId: charge.body.transactionId }
  const rows = service.app.apiRoutes.filter(
    ({ method, auth }) => method === 'GET' && credentialsOf(auth).some(({ name }) => /agent_signature$/.test(name)),
  )
  expect(rows.map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining(['getAgent', 'getAgentPaymentResult', 'listMandates', 'getMandate']),
  )
  const paths = rows.map(({ path }) => path.replaceAll(/:(\w+)/g, (_, name) => ids[name] ?? sessionId))
  const answers = await Promise.all(paths.map((path) => agent.send('GET', path)))
  return [...answers, await charging(agent, mandateId), await charging(agent, mandateId)]
}

const payloadsIn = (answers: Answer[]) =>
  answers.filter(({ body }) => /encrypted_payload|ciphertext|auth_tag/.test(JSON.stringify(body)))
const stored = ({ mandateId, sessionId }: Paid) =>
  dbRow(
    service,
    `select count(*)::int as count from charges c where c.credential_sealed is not null and (c.standing_mandate_id = $1
       or exists (select 1 from sessions s where s.id = $2 and s.charge_id = c.id))`,
    [mandateId, sessionId],
  )

async function reported(of: Paid, txn_status: string): Promise<void> {
  const { agent, sessionId, mandateId, charge, result } = of
  const { txn_ref_id } = result.body
  const body = { txn_status, txn_type: 'PURCHASE' }
  const answers = [
    await agent.send('POST', `/v1/mandates/${mandateId}/charges/${charge.body.transactionId}/report`, body),
    await agent.send('POST', `/v1/sessions/agent/${sessionId}/report-status`, { txn_ref_id, txn_status }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
}

test('a cancelled mandate leaves the cards of earlier charges alone: their payloads are read as before', async () => {
  const of = await paid()
  expect((await of.agent.send('POST', `/v1/mandates/${of.mandateId}/cancel`)).status).toBe(200)
  await service.runJobs()
  const answers = payloadsIn(await reads(of))
  expect(answers.map(({ body }) => body.session_id ?? body.transactionId)).toEqual([
    ...[of.sessionId, of.charge.body.transactionId, of.charge.body.transactionId],
  ])
})

describe('of a card there is no payload on any read', () => {
  test('but while it is awaited, on those that are for it', async () => {
    const of = await paid()
    expect(payloadsIn(await reads(of))).toHaveLength(3)
  })

  test('once it was reported as paid', async () => {
    const of = await paid()
    await reported(of, 'APPROVED')
    expect(payloadsIn(await reads(of))).toEqual([])
    expect(await stored(of)).toEqual({ count: 0 })
  })

  test('once it was reported as declined: the reference is free, and what it names next is another charge', async () => {
    const of = await paid()
    await reported(of, 'DECLINED')
    expect(await stored(of)).toEqual({ count: 0 })
    const [next, ...others] = payloadsIn(await reads(of))
    expect(next?.body.transactionId).not.toBe(of.charge.body.transactionId)
    expect(others).toHaveLength(1)
  })

  test('once it has lapsed, before anybody has ended it and after', async () => {
    const of = await paid()
    await service.clock.advance(24 * 60 * 60 + 1)
    expect(payloadsIn(await reads(of))).toEqual([])
    await service.runJobs()
    expect(await stored(of)).toEqual({ count: 0 })
  })

  test('once the agent was revoked', async () => {
    const of = await paid()
    await service.app.agentOperations.revoke(of.agent.agentId)
    const answers = await reads(of)
    expect(payloadsIn(answers)).toEqual([])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
  })
})
