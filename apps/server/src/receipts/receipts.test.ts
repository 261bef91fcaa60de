// Guarantee: every act of an owner and their agents has one receipt, in one chain without fork or gap, however many
// processes write it. Software that knows nothing of us verifies a download, and no owner reads another's receipts.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { compactVerify, createLocalJWKSet } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseFile } from '../../../../packages/cli/src/receipt/file.ts'
import { verifyReceipts } from '../../../../packages/cli/src/receipt/verify.ts'
import { decideFor, type LinkedAgent, linkedAgent, mandateOf } from '../../test/agents.ts'
import { expectError } from '../../test/flows.ts'
import { newOwner, sandboxOwner, type TestOwner } from '../../test/owners.ts'
import { call, startTestService, type TestService } from '../../test/service.ts'

let service: TestService
let node: TestService
beforeAll(async () => {
  service = await startTestService()
  // The nodes of one deployment are at one address: it is in the names that owners have in receipts.
  node = await startTestService({ database: service.database, env: { OWNER_URL: service.ownerUrl } })
})
afterAll(async () => {
  await node?.close()
  await service?.close()
})

const charge = (agent: LinkedAgent, mandateId: string, amount: string, reference: string) =>
  agent.send('POST', `/v1/mandates/${mandateId}/charge`, { amount, reference })

const keysOf = async () => (await call(`${service.ownerUrl}/.well-known/jwks.json`)).body
const textOf = async (owner: TestOwner, path: string) =>
  (await fetch(service.ownerUrl + path, { headers: { cookie: owner.cookie } })).text()

/** What the owner downloads, as the command reads it. */
async function verified(owner: TestOwner, path = '/api/receipts/file') {
  const file = parseFile(Buffer.from(await textOf(owner, path)))
  return verifyReceipts(file, (await keysOf()).keys)
}

/** The same when so many receipts are written: by either node, as soon as one has the turn. */
async function verifiedWhen(owner: TestOwner, length: number) {
  const written = async () => {
    await Promise.all([service.runJobs(), node.runJobs()])
    return (await verified(owner)).receipts.length
  }
  await expect.poll(written).toBe(length)
  return verified(owner)
}

let owners = 0

/** An owner whose agent has done a little of everything. */
async function lived(): Promise<{ agent: LinkedAgent; owner: TestOwner; mandateId: string }> {
  owners += 1
  const agent = await linkedAgent(service, { owner: `owner-${owners}` })
  const mandateId = await mandateOf(service, agent)
  const made = await charge(agent, mandateId, '20.00', 'r-1')
  expect(made).toMatchObject({ status: 200, body: { status: 'awaiting_result' } })
  const report = (txn: string, status: string) =>
    agent.send('POST', `/v1/mandates/${mandateId}/charges/${txn}/report`, { txn_status: status, txn_type: 'PURCHASE' })
  await report(made.body.transactionId, 'APPROVED')
  const given = await charge(agent, mandateId, '10.00', 'r-2')
  await report(given.body.transactionId, 'DECLINED')
  await charge(agent, mandateId, '45.00', 'r-3')
  const owner = await sandboxOwner(service, agent.agentId)
  await service.runJobs()
  await service.runJobs()
  return { agent, owner, mandateId }
}

test('a life of an agent is a chain that verifies offline', async () => {
  const { agent, owner, mandateId } = await lived()
  expect(await owner.post(`/api/agents/${agent.agentId}/revoke`)).toMatchObject({ status: 200 })
  const { receipts, file } = await verifiedWhen(owner, 8)
  expect(receipts.map(({ receipt: { act, outcome, about } }) => `${act} ${outcome} ${about.type}`)).toEqual([
    'approval allowed agent',
    'approval allowed permission',
    'charge number_made charge',
    'charge paid charge',
    'charge number_made charge',
    'return given_back charge',
    'refusal refused charge',
    'revocation ended agent',
  ])
  expect(receipts.map(({ receipt }) => receipt.code).slice(5, 7)).toEqual(['PAYMENT_DECLINED', 'THRESHOLD_EXCEEDED'])
  expect(file.filter(({ isProven }) => isProven).map(({ text }) => text)).toContain(
    'No receipt is missing from 1 to 8: each names the hash of the one before.',
  )
  const said = receipts.map(({ findings }) => findings.map(({ text }) => text))
  for (const words of [said[0], said[1]]) {
    expect(words).toContain('The sentence is in the terms that the passkey signed, word for word.')
  }
  expect(said[2]).toContain(`It was allowed by the receipt ${receipts[1]?.receipt.jti}, which is in the file.`)
  expect(receipts[1]?.receipt).toMatchObject({ about: { id: mandateId }, amount: { value: '50.00', currency: 'USD' } })
  expect(receipts[2]?.receipt).toMatchObject({ shop: { name: 'Tea House' }, amount: { value: '20.00' } })
  // Two shops, or a shop and the operator, do not tell by the name that it is the same person.
  expect(new Set(receipts.map(({ receipt }) => receipt.sub)).size).toBe(2)
})

test('a library verifies each of them with the published keys, and none says anything of a card or an address', async () => {
  const { owner } = await lived()
  const keys = createLocalJWKSet(await keysOf())
  const { receipts } = (await owner.get('/api/receipts')).body
  expect(receipts).toHaveLength(7)
  for (const { jws } of receipts) {
    const { payload, protectedHeader } = await compactVerify(jws, keys, { algorithms: ['ES256'] })
    expect(protectedHeader.typ).toBe('mintmark-receipt+jwt')
    const text = Buffer.from(payload).toString()
    expect(text).not.toMatch(/last4|4242|card_|"email"|@|cus_|ma_/)
  }
})

test('one receipt is downloaded with the one that allowed it; those of others are not there', async () => {
  const { owner } = await lived()
  const { receipts } = (await owner.get('/api/receipts')).body
  const [newest] = receipts
  const one = await verified(owner, `/api/receipts/${newest.id}`)
  expect(one.receipts.map(({ receipt }) => receipt.act)).toEqual(['approval', 'refusal'])
  const other = await newOwner(service)
  expectError(await other.get(`/api/receipts/${newest.id}`), 404, 'NOT_FOUND')
  expectError(await other.get('/api/receipts/file'), 404, 'NOT_FOUND')
  expect((await other.get('/api/receipts')).body).toEqual({ receipts: [], next_before: null })
  expectError(await call(`${service.ownerUrl}/api/receipts/${newest.id}`), 401, 'AUTH_1002')
})

test('what an owner denies and allows beyond a limit has its receipt', async () => {
  const limits = { owner: 'asked', limits: { ...NO_LIMITS, ask_above: '5.00' } }
  const agent = await linkedAgent(service, limits)
  const mandateId = await mandateOf(service, agent)
  const ask = async (reference: string, decision: 'allow' | 'deny') => {
    const asked = await charge(agent, mandateId, '10.00', reference)
    expect(asked.body.escalation, JSON.stringify(asked.body)).toBeDefined()
    const { waiting } = (await agent.send('GET', '/v1/agents/me')).body
    await decideFor(service, waiting[0].id, decision)
  }
  await ask('e-1', 'allow')
  await ask('e-2', 'deny')
  await service.runJobs()
  await service.runJobs()
  const owner = await sandboxOwner(service, agent.agentId)
  const { receipts } = await verified(owner)
  const about = receipts.filter(({ receipt }) => receipt.about.type === 'escalation').map(({ receipt }) => receipt)
  expect(about.map(({ act, outcome }) => [act, outcome])).toEqual([
    ['approval', 'allowed'],
    ['denial', 'denied'],
  ])
  expect(about[0]?.proof).not.toBeNull()
  expect(about[0]?.sentence?.text).toContain('Tea House')
})

const NO_LIMITS = {
  ...{
    currency: 'USD',
    charge: null,
    day: null,
    month: null,
    open: null,
    merchants: null,
    hours: null,
    ask_above: null,
  },
}

test('of many writers none forks the chain, leaves a gap, or writes one act twice', async () => {
  const { agent, owner } = await lived()
  const { merchant_id: merchantId, customer_id: customerId } = (
    await service.pool.query('select merchant_id, customer_id from agents where id = $1', [agent.agentId])
  ).rows[0]
  const note = (from: number, to: number) =>
    service.pool.query(
      `insert into receipt_acts (merchant_id, id, kind, subject_id, customer_id, occurred_at, next_at)
       select $1, $3 || n, 'agent_revoked', $3 || n, $2, $4, $4 from generate_series($5::int, $6::int) n`,
      [merchantId, customerId, `${agent.agentId}x`, service.clock.now(), from, to],
    )
  const before = (await owner.get('/api/receipts')).body.receipts.length
  const writers = [service, node].flatMap((each) => Array.from({ length: 4 }, () => each.app.receipts))
  let isOver = false
  const writing = writers.map(async (receipts) => {
    while (!isOver) await receipts.writeDue()
  })
  for (let round = 0; round < 12; round += 1) await note(round * 10, round * 10 + 9)
  await expect
    .poll(async () => (await service.pool.query('select 1 from receipt_acts')).rowCount, { timeout: 20_000 })
    .toBe(0)
  isOver = true
  await Promise.all(writing)
  const { receipts, file } = await verified(owner)
  expect(receipts).toHaveLength(before + 120)
  expect(new Set(receipts.map(({ receipt }) => receipt.about.id)).size).toBeGreaterThanOrEqual(120)
  expect(file.map(({ text }) => text)).toContain(
    `No receipt is missing from 1 to ${before + 120}: each names the hash of the one before.`,
  )
})

test('another key signs from now on; what the former signed verifies still, and nothing is signed with it', async () => {
  const { agent, owner } = await lived()
  const former = (await keysOf()).keys.map(({ kid }: { kid: string }) => kid)
  await service.app.receipts.rotateKey()
  await owner.post(`/api/agents/${agent.agentId}/revoke`)
  const { file } = await verifiedWhen(owner, 8)
  expect(file.every(({ isProven }, index) => isProven || index === file.length - 1)).toBe(true)
  const now = (await keysOf()).keys.map(({ kid }: { kid: string }) => kid)
  expect(now).toEqual(expect.arrayContaining(former))
  expect(now).toHaveLength(former.length + 1)
  const { rows } = await service.pool.query('select private_sealed from receipt_keys where retired_at is not null')
  expect(rows.every(({ private_sealed: sealed }) => sealed === null)).toBe(true)
})

test('a key that an editor put into the database is not published', async () => {
  await lived()
  const { keys } = await keysOf()
  await service.pool.query(
    `insert into receipt_keys (merchant_id, id, jwk, seal, created_at, retired_at)
     select merchant_id, 'forged', jsonb_set(jwk, '{kid}', '"forged"'), seal, created_at, now() from receipt_keys limit 1`,
  )
  expect(await keysOf()).toEqual({ keys })
})

test('receipts of an owner who is forgotten go with them, and none is written again', async () => {
  const owner = await newOwner(service)
  const { rows } = await service.pool.query('select merchant_id, customer_id from passkeys where id = $1', [
    owner.authenticator.credentialId,
  ])
  const { merchant_id: merchantId, customer_id: customerId } = rows[0]
  const note = (id: string) =>
    service.pool.query(
      `insert into receipt_acts (merchant_id, id, kind, subject_id, customer_id, occurred_at, next_at)
       values ($1, $2, 'agent_revoked', $2, $3, $4, $4)`,
      [merchantId, id, customerId, service.clock.now()],
    )
  const count = async () =>
    (await service.pool.query('select 1 from receipts where customer_id = $1', [customerId])).rowCount
  await note('aa_one')
  await service.runJobs()
  expect(await count()).toBe(1)
  await service.app.customers.erase(merchantId, customerId)
  expect(await count()).toBe(0)
  await note('aa_two')
  await service.runJobs()
  expect(await count()).toBe(0)
})

test('the verifier of the guide has at most 40 lines, and verifies a download', async () => {
  const guide = await readFile(new URL('../../../../docs/guides/receipts.md', import.meta.url), 'utf8')
  const [, program = ''] = /```js verifier\n([\s\S]*?)```/.exec(guide) ?? []
  expect(program.trimEnd().split('\n').length).toBeLessThanOrEqual(40)
  const { owner } = await lived()
  const folder = await mkdtemp(join(tmpdir(), 'mintmark-receipts-'))
  const [script, file, keys] = ['verify.mjs', 'receipts.json', 'jwks.json'].map((name) => join(folder, name))
  await writeFile(script ?? '', program)
  await writeFile(keys ?? '', JSON.stringify(await keysOf()))
  const text = await textOf(owner, '/api/receipts/file')
  const run = async (content: string) => {
    await writeFile(file ?? '', content)
    return promisify(execFile)(process.execPath, [script ?? '', file ?? '', keys ?? ''])
  }
  expect(
    (await run(text)).stdout
      .trim()
      .split('\n')
      .map((line) => line.slice(0, 18)),
  ).toEqual(expect.arrayContaining(['1 approval allowed', '2 approval allowed']))
  const { receipts } = JSON.parse(text)
  await expect(run(text.replace(receipts[1], receipts[0]))).rejects.toThrow(/chain is wrong/)
  await expect(run(text.replace(/.(?="\],"terms")/, (sign) => (sign === 'A' ? 'Q' : 'A')))).rejects.toThrow(/is wrong/)
  await rm(folder, { recursive: true })
})
