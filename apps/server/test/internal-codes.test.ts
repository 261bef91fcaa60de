// Guarantee: what fails inside has the code that the contract gives to that call, says nothing of how it failed, leaves nothing half done,
// and succeeds when it is sent again. Here the database itself refuses; nothing is put in its place. And no code of the wire is without a
// test that names it.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ERROR_CODES, WALLET_ERROR_CODES } from '@mintmark/contract'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { deleteCard, enrollCard } from '../src/cards/testing/enrolled.ts'
import { charge, chargeable, onNodes, reportCharge } from '../src/charges/testing/charge.ts'
import { startWithOwner } from '../src/mandates/testing/standing.ts'
import { askFor, linkedAgent } from './agents.ts'
import { dbRow, enroll, expectCreated, expectError, newUser, report, waitingSession } from './flows.ts'
import { type Answer, sessionBody, startTestService, type TestMerchant } from './service.ts'

const { service, merchant, owner, close } = await startWithOwner()
afterAll(close)
const agent = await linkedAgent(service)
beforeEach(async () => {
  await service.pool.query('drop function if exists planted cascade')
})

/** Ways in which a table fails without the database being away: what to do to it, and to take that back. */
const FAULTS = {
  'a trigger that raises': (table: string) => [
    `create function planted() returns trigger language plpgsql as $$ begin raise exception 'planted %', new; end $$;
     create trigger planted before insert or update or delete on ${table} for each row execute function planted()`,
    'drop function planted cascade',
  ],
  'a constraint that nothing fits': (table: string) => [
    `alter table ${table} add constraint planted check (false) not valid`,
    `alter table ${table} drop constraint planted`,
  ],
  'a table that is away': (table: string) => [
    `alter table ${table} rename to planted_away`,
    `alter table ${table.replace(/\w+$/, 'planted_away')} rename to ${table.replace(/^\w+\./, '')}`,
  ],
} as const
type Fault = keyof typeof FAULTS
const ALL_FAULTS = Object.keys(FAULTS) as Fault[]

/** The answer to a call that the database does not let happen. It says nothing of that. */
async function whileBroken(fault: Fault, table: string, call: () => Promise<Answer>): Promise<Answer> {
  const [begin, end] = FAULTS[fault](table) as [string, string]
  await service.pool.query(begin)
  try {
    const answer = await call()
    expect(JSON.stringify(answer.body)).not.toMatch(/planted|relation|constraint|violates|trigger/)
    return answer
  } finally {
    await service.pool.query(end)
  }
}

const setup = { mandate_setup: { recurring_frequency: 'monthly' } }
const CREATIONS: Record<string, (by: TestMerchant, user_id: string) => Promise<Answer>> = {
  'a payment': (by, user_id) => by.post('/v1/sessions', sessionBody({ user_id })),
  'a standing permission': (by, user_id) => by.post('/v1/sessions', sessionBody({ user_id, ...setup })),
}
const OF_AGENTS: Record<string, () => Promise<Answer>> = {
  'a payment': () => askFor(agent),
  'a standing permission': () => askFor(agent, setup),
}
const COUNTED = ['sessions', 'charges', 'mandates', 'customers', 'open_work']
const counts = async () =>
  dbRow(service, `select ${COUNTED.map((table) => `(select count(*) from ${table})::int as ${table}`).join(', ')}`)

describe('SESSION_CREATE_ERROR', () => {
  const cases = Object.keys(CREATIONS).flatMap((what) => ALL_FAULTS.map((fault) => [what, fault] as const))

  test.each(cases)(
    'of %s, by %s: nothing is there, no try is used up, and the same call succeeds',
    async (what, fault) => {
      const create = CREATIONS[what] as (typeof CREATIONS)[string]
      const [shop, user] = [await service.addMerchant({ sessionAllowance: 1 }), newUser()]
      const before = await counts()
      expectError(await whileBroken(fault, 'sessions', () => create(shop, user)), 500, 'SESSION_CREATE_ERROR')
      expect(await counts()).toEqual(before)
      expectCreated(await create(shop, user))
      expectError(await create(shop, user), 429, 'TRIES_EXHAUSTED')
    },
  )

  test.each(Object.keys(OF_AGENTS).flatMap((what) => ALL_FAULTS.map((fault) => [what, fault] as const)))(
    'of %s that an agent asks for, by %s: the same',
    async (what, fault) => {
      const create = OF_AGENTS[what] as (typeof OF_AGENTS)[string]
      const before = await counts()
      expectError(await whileBroken(fault, 'sessions', create), 500, 'SESSION_CREATE_ERROR')
      expect(await counts()).toEqual(before)
      expectCreated(await create())
    },
  )

  test('is not said of a database that has no time: SERVICE_UNAVAILABLE', async () => {
    const client = await service.pool.connect()
    try {
      await client.query('begin')
      await client.query('lock table sessions in access exclusive mode')
      expectError(await merchant.post('/v1/sessions', sessionBody()), 503, 'SERVICE_UNAVAILABLE')
    } finally {
      await client.query('rollback')
      client.release()
    }
    expectCreated(await merchant.post('/v1/sessions', sessionBody()))
  })
})

describe('REPORT_STATUS_ERROR', () => {
  test.each(ALL_FAULTS)('by %s: nothing is reported, and the same report succeeds', async (fault) => {
    const { id, approved, declined } = await waitingSession(merchant)
    const answer = await whileBroken(fault, 'charges', () => report(merchant, id, approved))
    expectError(answer, 500, 'REPORT_STATUS_ERROR')
    expect(await report(merchant, id, approved)).toMatchObject({ status: 200, body: { status: 'confirmed' } })
    expectError(await report(merchant, id, declined), 400, 'INVALID_STATE')
  })
})

describe('MANDATE_CHARGE_REPORT_DB_FAILED', () => {
  test.each(ALL_FAULTS)('by %s: nothing is reported, and the same report succeeds', async (fault) => {
    const mandate = await chargeable(service, owner)
    const { transactionId: txn } = (await charge(merchant, mandate)).body
    const answer = await whileBroken(fault, 'charges', () => reportCharge(merchant, mandate, txn))
    expectError(answer, 500, 'MANDATE_CHARGE_REPORT_DB_FAILED')
    expect(await reportCharge(merchant, mandate, txn)).toMatchObject({ status: 200, body: { status: 'completed' } })
    expectError(await reportCharge(merchant, mandate, txn, 'DECLINED'), 409, 'CHARGE_NOT_REPORTABLE')
  })
})

// The network of the sandbox is a database as well.
describe('a network that fails inside', () => {
  test.each(ALL_FAULTS)('NO_TOKEN by %s: the same reference is charged once', async (fault) => {
    const mandate = await chargeable(service, owner)
    const mint = (at = merchant) => charge(at, mandate, { reference: 'once' })
    // A node whose callers are answered before the network is given up.
    const hasty = await startTestService({ database: service.database, callerWaitMillis: 1_000 })
    try {
      const [at = merchant] = onNodes(merchant, [hasty])
      expectError(await whileBroken(fault, 'simnet.mints', () => mint(at)), 500, 'NO_TOKEN')
    } finally {
      await hasty.close()
    }
    await service.runJobs()
    expect((await mint()).body).toMatchObject({ status: 'awaiting_result' })
    expect((await merchant.get(`/v1/mandates/${mandate}`)).body).toMatchObject({ chargeCount: 1, remaining: '75.00' })
  })

  test.each(ALL_FAULTS)('NETWORK_CONFIRMATION_FAILED by %s: the same report succeeds', async (fault) => {
    const mandate = await chargeable(service, owner)
    const { transactionId: txn } = (await charge(merchant, mandate)).body
    const ofCharge = () => reportCharge(merchant, mandate, txn)
    expectError(await whileBroken(fault, 'simnet.mints', ofCharge), 502, 'NETWORK_CONFIRMATION_FAILED')
    expect(await ofCharge()).toMatchObject({ status: 200 })
    const { id, approved } = await waitingSession(merchant)
    const ofSession = () => report(merchant, id, approved)
    expectError(await whileBroken(fault, 'simnet.mints', ofSession), 502, 'NETWORK_CONFIRMATION_FAILED')
    expect(await ofSession()).toMatchObject({ status: 200 })
  })

  test.each(ALL_FAULTS)('NETWORK_DELETE_FAILED by %s: the card stays, and the same call deletes it', async (fault) => {
    const user = newUser()
    const id = await enrollCard(service, merchant, user)
    const remove = () => deleteCard(merchant, user, id)
    expectError(await whileBroken(fault, 'simnet.tokens', remove), 502, 'NETWORK_DELETE_FAILED')
    expect(await dbRow(service, 'select status from cards where id = $1', [id])).toEqual({ status: 'active' })
    expect(await remove()).toMatchObject({ status: 200, body: { success: true } })
  })
})

describe('an account as its row says', () => {
  const enrolling = async (by: TestMerchant) => enroll(by, { enrollment_mode: 'full_enrollment' })
  const CALLS: Record<string, (by: TestMerchant) => Promise<Answer>> = {
    'a session': (by) => by.post('/v1/sessions', sessionBody()),
    'an enrollment': enrolling,
  }

  test.each([
    ['CONFIG_ERROR', 'network_profile = null', `network_profile = 'simulator'`],
    ['MERCHANT_LOOKUP_ERROR', `status = 'suspended'`, `status = 'active'`],
  ])('%s of one that is edited: the same call succeeds when it is as it was', async (code, broken, whole) => {
    const shop = await service.addMerchant()
    const set = (change: string) =>
      service.pool.query(`update merchants set ${change} where id = $1`, [shop.merchantId])
    for (const call of Object.values(CALLS)) {
      await set(broken)
      expectError(await call(shop), 500, code)
      await set(whole)
      expectCreated(await call(shop))
    }
  })
})

test('INTERNAL_ERROR is what fails without a code of its own, in both APIs', async () => {
  const user = newUser()
  const cards = () => merchant.get(`/v1/listCards?customer_id=${user}`)
  expectCreated(await merchant.post('/v1/sessions', sessionBody({ user_id: user })))
  expectError(await whileBroken('a table that is away', 'cards', cards), 500, 'INTERNAL_ERROR')
  expect((await cards()).status).toBe(200)
  const customers = () => merchant.wallet.get('/v1/customers')
  const refused = await whileBroken('a table that is away', 'wallet_customers', customers)
  expect([refused.status, refused.body.error.code]).toEqual([500, 'INTERNAL_ERROR'])
  expect((await customers()).status).toBe(200)
})

test('every code of both APIs is named by a test', async () => {
  const root = new URL('../../..', import.meta.url).pathname
  const folders = ['apps', 'packages', 'scripts', 'examples'].map((folder) => join(root, folder))
  const files = (await Promise.all(folders.map((folder) => readdir(folder, { recursive: true })))).flatMap(
    (names, at) =>
      names
        .filter((name) => name.endsWith('.test.ts') && !/(?:^|\/)node_modules\//.test(name))
        .map((name) => join(folders[at] as string, name)),
  )
  expect(files.length).toBeGreaterThan(300)
  const text = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n')
  const codes = Object.keys({ ...ERROR_CODES, ...WALLET_ERROR_CODES })
  expect(codes.filter((code) => !text.includes(`'${code}'`))).toEqual([])
})
