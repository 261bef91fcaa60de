// Guarantee: what is created by a caller's key is created once, whoever sends it again, how often and at whichever node, for a day; and what
// made nothing holds no key.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromQuote, quoted, scriptedShops } from '../src/checkout/quotes/testing/scripted-shop.ts'
import { KEYS_KEPT_SECONDS } from '../src/db/command.ts'
import { atNode, type LinkedAgent, linkedAgent, TEA } from './agents.ts'
import { atOnce, CARDS, createSession, dbRow, expectError, expectInvalid, newUser, vaultRecord } from './flows.ts'
import { type Answer, sessionBody, startTestService, type TestMerchant, type TestService } from './service.ts'

const shops = scriptedShops()
let service: TestService
let node: TestService
let merchant: TestMerchant
let agent: LinkedAgent
beforeAll(async () => {
  service = await startTestService({ isForCrowds: true, createCheckout: shops.createCheckout })
  node = await startTestService({ isForCrowds: true, database: service.database })
  merchant = service.merchant
  agent = await linkedAgent(service)
})
afterAll(async () => {
  await node?.close()
  await service?.close()
})

let keys = 0
const newKey = () => `Order no. ${++keys}, "first"`
const under = (key: string) => ({ 'idempotency-key': key })
const FULL = { enrollment_mode: 'full_enrollment', user_email: 'ann@example.com' }

/** One of the creations: how it is sent, and a body that asks for something new. */
interface Kind {
  path: string
  body: () => Record<string, unknown>
  send(body: unknown, key: string | null, at?: TestService): Promise<Answer>
}

const byMerchant = (path: string, body: Kind['body']): Kind => ({
  path,
  body,
  send: (sent, key, at = service) => {
    const headers = key === null ? {} : under(key)
    const authorization = `Bearer ${merchant.secretKey}`
    return at.merchant.send('POST', path, sent, { ...headers, authorization })
  },
})

const KINDS: Record<string, Kind> = {
  'a session': byMerchant('/v1/sessions', () => sessionBody({ user_id: newUser() })),
  'the session of a mandate': byMerchant('/v1/sessions', () =>
    sessionBody({ user_id: newUser(), mandate_setup: { recurring_frequency: 'monthly' } }),
  ),
  'an enrollment': byMerchant('/v1/sessions/enroll-card', () => ({ ...FULL, user_id: newUser() })),
  "an agent's session": {
    path: '/v1/sessions/agent',
    body: () => ({ ...TEA }),
    send: (body, key, at = service) =>
      atNode(at, agent).send('POST', '/v1/sessions/agent', body, key === null ? {} : { headers: under(key) }),
  },
  "the session of an agent's mandate": {
    path: '/v1/sessions/agent',
    body: () => ({ ...TEA, mandate_setup: { recurring_frequency: 'monthly' } }),
    send: (body, key, at = service) =>
      atNode(at, agent).send('POST', '/v1/sessions/agent', body, key === null ? {} : { headers: under(key) }),
  },
}

const counts = () =>
  dbRow(
    service,
    `select (select count(*)::int from sessions) as sessions, (select count(*)::int from mandates) as mandates,
       (select count(*)::int from customers) as customers, (select count(*)::int from charges) as charges,
       (select count(*)::int from idempotency_keys where operation like 'creations%') as keys`,
  )

describe.each(Object.entries(KINDS))('%s', (_name, kind) => {
  test('sent again by its key is the same one, with all that opens it, its status and its id', async () => {
    const [body, key] = [kind.body(), newKey()]
    const first = await kind.send(body, key)
    const made = await counts()
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null])
    // White space and the order of fields make no other request.
    const again = await kind.send(Object.fromEntries(Object.entries(body).reverse()), key)
    expect(again).toMatchObject({ status: 201, body: first.body })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.headers.get('x-response-id')).toBe(first.headers.get('x-response-id'))
    expect(again.headers.get('cache-control')).toBe('no-store')
    expect(await counts()).toEqual(made)
  })

  test('without a key is another one each time, and nothing is remembered', async () => {
    const [body, before] = [kind.body(), await counts()]
    const [first, second] = [await kind.send(body, null), await kind.send(body, null)]
    expect(second.body.session_id).not.toBe(first.body.session_id)
    expect(await counts()).toMatchObject({ sessions: before.sessions + 2, keys: before.keys })
  })

  test('of another body is a conflict, and makes nothing', async () => {
    const [body, key] = [kind.body(), newKey()]
    const first = await kind.send(body, key)
    const made = await counts()
    const changes = 'total_amount' in body ? { total_amount: '41.00' } : { user_id: newUser() }
    expectError(await kind.send({ ...body, ...changes }, key), 409, 'IDEMPOTENCY_CONFLICT')
    expect(await counts()).toEqual(made)
    expect((await kind.send(body, key)).body).toEqual(first.body)
  })

  test('of 24 at once at two nodes is one', async () => {
    const [body, key, before] = [kind.body(), newKey(), await counts()]
    await node.clock.refresh()
    const answers = await atOnce(24, (index) => kind.send(body, key, index % 2 === 0 ? service : node))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(answers.map((answer) => answer.body.session_id)).size).toBe(1)
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1)
    expect(await counts()).toMatchObject({ sessions: before.sessions + 1, keys: before.keys + 1 })
  })

  test('has its key for a day, to the second, and no longer', async () => {
    const [body, key] = [kind.body(), newKey()]
    const first = await kind.send(body, key)
    await service.clock.advance(KEYS_KEPT_SECONDS - 60)
    expect((await kind.send(body, key)).body).toEqual(first.body)
    await service.clock.advance(61)
    const later = await kind.send(body, key)
    expect([later.status, later.headers.get('idempotent-replayed')]).toEqual([201, null])
    expect(later.body.session_id).not.toBe(first.body.session_id)
    expect((await kind.send(body, key)).body).toEqual(later.body)
  })

  test.each([
    ['one that is empty', ''],
    ['256 signs', 'x'.repeat(256)],
    ['a letter beyond ASCII', 'caf\u00e9'],
  ])('takes no key of %s', async (_what, key) => {
    expectInvalid(await kind.send(kind.body(), key), 'idempotency-key')
  })
})

describe('whose key it is', () => {
  test('another account’s, another agent’s and the account’s own are other keys', async () => {
    const [key, other] = [newKey(), await service.addMerchant()]
    const stranger = await linkedAgent(service)
    const body = sessionBody({ user_id: newUser() })
    const ofAccounts = await Promise.all(
      [merchant, other].map((one) => one.send('POST', '/v1/sessions', body, under(key))),
    )
    const ofAgents = await Promise.all(
      [agent, stranger].map((one) => one.send('POST', '/v1/sessions/agent', TEA, { headers: under(key) })),
    )
    const made = [...ofAccounts, ...ofAgents]
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(new Set(made.map((answer) => answer.body.session_id)).size).toBe(4)
  })

  test('an account’s key is of one creation, whichever that is', async () => {
    const key = newKey()
    expect((await KINDS['a session']?.send(sessionBody({ user_id: newUser() }), key))?.status).toBe(201)
    expectError(
      await merchant.send('POST', '/v1/sessions/enroll-card', FULL_OF('u-1'), under(key)),
      409,
      'IDEMPOTENCY_CONFLICT',
    )
  })

  test('two keys are none, whatever a comma would make of them', async () => {
    const headers = { authorization: `Bearer ${merchant.secretKey}`, 'content-type': 'application/json' }
    const sent = request(`${service.apiUrl}/v1/sessions`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': ['order-7', 'order-8'] },
    })
    sent.end(JSON.stringify(sessionBody({ user_id: newUser() })))
    const [answer] = await once(sent, 'response')
    const { error } = (await json(answer)) as { error: { code: string; details: object } }
    expect([answer.statusCode, error.code, error.details]).toEqual([
      ...[400, 'VAL_2001'],
      { 'idempotency-key': 'must be given once' },
    ])
  })
})

const FULL_OF = (user_id: string) => ({ ...FULL, user_id })

describe('what was refused', () => {
  test('made nothing, and frees its key for the request that is right', async () => {
    const [key, body] = [newKey(), sessionBody({ user_id: newUser() })]
    const send = (changes: object) => merchant.send('POST', '/v1/sessions', { ...body, ...changes }, under(key))
    expectError(await send({ card: { card_id: 'card_nobodys' } }), 400, 'CARD_NOT_FOUND')
    expect(await send({})).toMatchObject({ status: 201 })
  })

  test('takes no allowance, and what was made takes one, however often it is sent', async () => {
    const poor = await service.addMerchant({ sessionAllowance: 1 })
    const send = (key: string) => poor.send('POST', '/v1/sessions', sessionBody({ user_id: 'ann' }), under(key))
    const [first, ...others] = await atOnce(6, () => send('only'))
    for (const other of others) expect(other.body).toEqual(first?.body)
    expectError(await send('next'), 429, 'TRIES_EXHAUSTED')
    expectError(await send('next'), 429, 'TRIES_EXHAUSTED')
    expect((await send('only')).body).toEqual(first?.body)
  })

  test('also for a failure of the database: the same again makes it', async () => {
    const [key, body] = [newKey(), sessionBody({ user_id: newUser() })]
    await service.pool.query(`create function planted() returns trigger language plpgsql as $$ begin raise 'planted'; end $$;
      create trigger planted before insert on sessions for each row execute function planted()`)
    const send = () => merchant.send('POST', '/v1/sessions', body, under(key))
    try {
      expectError(await send(), 500, 'SESSION_CREATE_ERROR')
    } finally {
      await service.pool.query('drop trigger planted on sessions; drop function planted()')
    }
    expect(await send()).toMatchObject({ status: 201 })
  })
})

test('a session from a quote is found again by its key, although its quote is used, and over by then', async () => {
  const quote = await quoted(merchant, await shops.add(service))
  const body = sessionBody({ user_id: newUser(), ...fromQuote(quote) })
  const send = (key: string, changes: object = {}) =>
    merchant.send('POST', '/v1/sessions', { ...body, ...changes }, under(key))
  const [first, ...others] = await atOnce(8, () => send('quoted-1'))
  expect(first).toMatchObject({ status: 201 })
  for (const other of others) expect(other.body).toEqual(first?.body)
  expectError(await send('quoted-2'), 409, 'QUOTE_ALREADY_USED')
  await service.clock.advance(60 * 60)
  expect(await send('quoted-1')).toMatchObject({ status: 201, body: first?.body })
  expectError(await send('quoted-1', { description: 'other' }), 409, 'IDEMPOTENCY_CONFLICT')
})

describe('a card that is provisioned without its cardholder', () => {
  const provision = (vault_ref_id: string, user_id: string, key: string) =>
    merchant.send('POST', '/v1/sessions/enroll-card', { ...ALONE, vault_ref_id, user_id }, under(key))
  const ALONE = { enrollment_mode: 'provision_only', user_email: 'ann@example.com' }

  test('is told again by its key, also when it was deleted since; without the key it is enrolled anew', async () => {
    const [record, user, key] = [await vaultRecord(merchant), newUser(), newKey()]
    const answers = await atOnce(8, () => provision(record, user, key))
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.card_id}`)).size).toBe(1)
    const { card_id } = answers[0]?.body ?? {}
    expect((await merchant.post('/v1/deleteCard', { customer_id: user, card_id })).status).toBe(200)
    expect(await provision(record, user, key)).toMatchObject({ status: 201, body: { card_id } })
    expectError(await provision(record, newUser(), key), 409, 'IDEMPOTENCY_CONFLICT')
    // Nothing was enrolled again by asking.
    expect((await merchant.get(`/v1/listCards?customer_id=${user}`)).body.cards).toEqual([])
    expect(await provision(record, user, newKey())).toMatchObject({ status: 201 })
    expect((await merchant.get(`/v1/listCards?customer_id=${user}`)).body.cards).toHaveLength(1)
  })

  test('that the network refused frees its key; one of which it said nothing keeps it for the same request alone', async () => {
    const refused = await vaultRecord(merchant, { card_number: CARDS.refused })
    const [user, key] = [newUser(), newKey()]
    expectError(await provision(refused, user, key), 400, 'CARD_REFUSED')
    expect(await provision(await vaultRecord(merchant), user, key)).toMatchObject({ status: 201 })

    const [lost, late] = [await vaultRecord(merchant, { card_number: CARDS.provisionAnswerLost }), newKey()]
    expectError(await provision(lost, user, late), 503, 'NETWORK_UNAVAILABLE')
    expectError(await provision(await vaultRecord(merchant), user, late), 409, 'IDEMPOTENCY_CONFLICT')
    await service.clock.advance(60)
    await service.runJobs()
    const found = await provision(lost, user, late)
    expect(found).toMatchObject({ status: 201 })
    expect(await provision(lost, user, late)).toMatchObject({ status: 201, body: found.body })
  })
})

test('what is kept opens no session to who reads the database, nor to who moves it to another key', async () => {
  const [key, other] = [newKey(), newKey()]
  const { body } = await merchant.send('POST', '/v1/sessions', sessionBody({ user_id: 'ann' }), under(key))
  await merchant.send('POST', '/v1/sessions', sessionBody({ user_id: 'bob' }), under(other))
  const row = await dbRow(service, 'select outcome::text as kept, input_hash from idempotency_keys where key = $1', [
    key,
  ])
  const secret = body.iframe_url.split('#')[1]
  for (const plain of [secret, body.session_token, body.session_id, 'ann@example.com']) {
    expect(row.kept).not.toContain(plain)
    expect(row.kept).not.toContain(Buffer.from(plain).toString('base64').slice(0, 20))
  }
  expect(row.input_hash).toHaveLength(createHash('sha256').digest().length)
  await service.pool.query(
    `update idempotency_keys set outcome = (select outcome from idempotency_keys where key = $1) where key = $2`,
    [key, other],
  )
  const moved = await merchant.send('POST', '/v1/sessions', sessionBody({ user_id: 'bob' }), under(other))
  expect(moved.status).toBe(500)
  expect(JSON.stringify(moved.body)).not.toContain(secret)
})

test('the session that comes back is opened by its address as the first one', async () => {
  const [key, body] = [newKey(), sessionBody({ user_id: newUser() })]
  await merchant.send('POST', '/v1/sessions', body, under(key))
  const { body: again } = await merchant.send('POST', '/v1/sessions', body, under(key))
  const done = await merchant.post(`/v1/test_helpers/sessions/${again.session_id}/complete`, {})
  expect(done).toMatchObject({ status: 200 })
  const other = await createSession(merchant)
  expect(other.session_id).not.toBe(again.session_id)
})

test('whose first one is still on its way is told so, and when to come back', async () => {
  // One that waits for a lock as long as in production.
  const usual = await startTestService()
  const other = await linkedAgent(usual)
  const sent = [
    ['creations', (key: string) => usual.merchant.send('POST', '/v1/sessions', sessionBody(), under(key))],
    ['creations', (key: string) => usual.merchant.send('POST', '/v1/sessions/enroll-card', FULL_OF('u-2'), under(key))],
    [
      `creations ${other.agentId}`,
      (key: string) => other.send('POST', '/v1/sessions/agent', TEA, { headers: under(key) }),
    ],
  ] as const
  const holder = await usual.pool.connect()
  try {
    for (const [operation, send] of sent) {
      const key = newKey()
      await holder.query('begin')
      await holder.query(
        `insert into idempotency_keys (merchant_id, operation, key, input_hash, outcome, created_at)
         select m.id, $1, $2, '', '{}', now() from merchants m`,
        [operation, key],
      )
      const early = await send(key)
      expectError(early, 409, 'IDEMPOTENCY_IN_PROGRESS')
      expect(early.headers.get('retry-after')).toBe('1')
      await holder.query('rollback')
      expect((await send(key)).status).toBe(201)
    }
  } finally {
    holder.release(true)
    await usual.close()
  }
})
