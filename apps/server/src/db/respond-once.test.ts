// Guarantee: a request under a key takes effect once, and whoever sends it again gets the bytes of its first response.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { declareWalletError, fieldErrors, internalError, PublicError, unavailable } from '../platform/errors.ts'
import { secret } from '../platform/secret.ts'
import { ManualClock } from '../platform/testing/manual-clock.ts'
import type { CommandContext } from './command.ts'
import { type KeyedRequest, type RespondDeps, respondOnce, shownBy } from './respond-once.ts'
import { execute } from './statement.ts'
import { NO_EVENTS } from './testing/no-events.ts'
import { PATIENT_LIMITS } from './testing/patient-limits.ts'

let database: TestDatabase
let deps: RespondDeps
const insertEffect = execute('responses.insert_effect', 'insert into effects (id) values ($id)')
const DECLARATION = { name: 'responses.test', silent: 'test_only' } as const
const refused = declareWalletError('INSUFFICIENT_FUNDS', 'Not enough.')

beforeAll(async () => {
  database = await createTestDatabase({ max: 20, limits: PATIENT_LIMITS })
  await database.pool.query('create table effects (id text)')
  await database.pool.query(
    `insert into merchants (id, name, status, allowed_origins, webhook_secret_sealed, webhook_secret_key_id, created_at)
     select id, id, 'active', '{}', '', 'local:1', now() from unnest(array['ma_one', 'ma_two']) id`,
  )
  const storedResponsesKey = secret(Buffer.alloc(32, 1))
  deps = { pool: database.pool, clock: new ManualClock(), events: NO_EVENTS, storedResponsesKey, admit: async () => {} }
})
afterAll(() => database.close())
beforeEach(async () => {
  await database.pool.query('delete from effects; delete from idempotency_keys')
})

let requests = 0

/** Every request has an id of its own, as every response of a host. */
function request(changes: Partial<KeyedRequest<string>> = {}): KeyedRequest<string> {
  requests += 1
  const responseId = `request ${requests}`
  return {
    key: 'k1',
    isNamed: true,
    input: 'POST /v1/things\n{}',
    success: (result) => ({ status: 201, responseId, body: `{"made":"${result}","by":"${responseId}"}` }),
    refusal: ({ code, status }) => ({ status, responseId, body: `{"error":"${code}","by":"${responseId}"}` }),
    ...changes,
  }
}

const make =
  (id: string) =>
  async ({ tx }: CommandContext<never>) => {
    await insertEffect(tx, { id })
    return id
  }
const send = (work: (context: CommandContext<never>) => Promise<string>, given = request(), merchantId = 'ma_one') =>
  respondOnce(deps, DECLARATION, { merchantId, request: given }, work)

const effects = async () => (await database.pool.query('select id from effects order by id')).rows.map(({ id }) => id)

test('64 equal requests at the same time have one effect and one response', async () => {
  const all = await Promise.allSettled(Array.from({ length: 64 }, (_, number) => send(make(`effect ${number}`))))
  expect(await effects()).toHaveLength(1)
  const answered = all.filter((one) => one.status === 'fulfilled').map(({ value }) => value)
  expect(new Set(answered.map(({ body }) => body)).size).toBe(1)
  expect(answered.filter(({ isReplay }) => !isReplay)).toHaveLength(1)
  for (const one of all.filter(({ status }) => status === 'rejected')) {
    expect(one).toMatchObject({ reason: { code: 'IDEMPOTENCY_IN_PROGRESS', retryAfterSeconds: 1 } })
  }
})

test('a refusal is stored without its effect, and told again also when it would not be made now', async () => {
  const refuse = async (context: CommandContext<never>) => {
    await make('undone')(context)
    throw refused()
  }
  const first = await send(refuse)
  expect(first).toMatchObject({ status: 400, isReplay: false, body: expect.stringContaining('INSUFFICIENT_FUNDS') })
  expect(await send(make('later'))).toEqual({ ...first, isReplay: true })
  expect(await effects()).toEqual([])
  expect(await send(make('anew'), request({ key: 'k2' }))).toMatchObject({ status: 201, isReplay: false })
})

test('a refusal that an equal request overtook tells of what was done', async () => {
  const refusing = Promise.withResolvers<void>()
  const made = refusing.promise.then(() => send(make('first')))
  const late = send(async () => {
    // It waits for the key, which is free once this one is rolled back: whichever stores first is what both return.
    refusing.resolve()
    throw refused()
  })
  await made
  const [first, second] = [await late, await send(make('third'))]
  expect(second.body).toBe(first.body)
  expect((await effects()).length).toBeLessThanOrEqual(1)
})

test.each([
  ['a failure of ours', internalError()],
  ['what may be tried again', unavailable({ retryAfterSeconds: 1 })],
  ['a limit', new PublicError('RATE_LIMITED', 'Later.', { status: 429, retryAfterSeconds: 5 })],
  ['a field that is not valid', fieldErrors({ amount: 'is too much' })],
  ['an error nobody declared', new Error('Planted.')],
])('%s is not stored: nothing was decided', async (_what, error) => {
  const failing = send(async (context) => {
    await make('undone')(context)
    throw error
  })
  await expect(failing).rejects.toBe(error)
  expect(await send(make('made'))).toMatchObject({ status: 201, isReplay: false })
  expect(await effects()).toEqual(['made'])
})

test('a merchant who is not admitted changes nothing, and the request is good again when they are', async () => {
  const suspended = new PublicError('OPERATION_NOT_ALLOWED', 'Not now.', { status: 403 })
  const admit = vi.fn(async () => Promise.reject(suspended))
  const turnedAway = respondOnce(
    { ...deps, admit },
    DECLARATION,
    { merchantId: 'ma_one', request: request() },
    make('no'),
  )
  await expect(turnedAway).rejects.toBe(suspended)
  expect(await effects()).toEqual([])
  const done = await send(make('made'))
  expect(done).toMatchObject({ status: 201, isReplay: false })
  // A caller that sends again what was done before is told of it: it changes nothing.
  const again = respondOnce({ ...deps, admit }, DECLARATION, { merchantId: 'ma_one', request: request() }, make('no'))
  expect(await again).toEqual({ ...done, isReplay: true })
})

test('the key with another input is a conflict; another merchant’s key is another key', async () => {
  await send(make('first'))
  await expect(send(make('second'), request({ input: 'POST /v1/others\n{}' }))).rejects.toMatchObject({
    code: 'IDEMPOTENCY_CONFLICT',
  })
  await send(make('theirs'), request(), 'ma_two')
  expect(await effects()).toEqual(['first', 'theirs'])
})

test('a conflict with a request that is forgotten in that moment is not the answer to this one', async () => {
  await send(make('first'))
  const other = request({ input: 'POST /v1/others\n{}' })
  const { pool } = database
  const query = pool.query.bind(pool) as (...question: unknown[]) => Promise<unknown>
  const forgetting = vi.spyOn(pool, 'query').mockImplementation(async (...question: unknown[]) => {
    const answer = await query(...question)
    await query('delete from idempotency_keys')
    return answer
  })
  await expect(send(make('no'), other).finally(() => forgetting.mockRestore())).rejects.toMatchObject({
    code: 'IDEMPOTENCY_CONFLICT',
  })
  expect(await send(make('second'), other)).toMatchObject({ status: 201, isReplay: false })
  expect(await effects()).toEqual(['first', 'second'])
})

test('a response that cannot be written has no effect', async () => {
  const broken = request({
    success: () => {
      throw new TypeError('No schema.')
    },
  })
  await expect(send(make('undone'), broken)).rejects.toThrow('No schema.')
  expect(await effects()).toEqual([])
})

test('a process that dies before the commit leaves neither key nor effect', async () => {
  const dying = send(async (context) => {
    await make('undone')(context)
    await context.tx.query('select pg_terminate_backend(pg_backend_pid())').catch(() => {})
    return 'undone'
  })
  await expect(dying).rejects.toThrow()
  expect(await effects()).toEqual([])
  expect(await send(make('again'))).toMatchObject({ isReplay: false })
})

test('stored responses are sealed, each in its place', async () => {
  await send(make('Ann Example'))
  const { rows } = await database.pool.query('select outcome from idempotency_keys')
  expect(rows[0].outcome).toEqual({ status: 201, responseId: expect.any(String), body: expect.any(String) })
  expect(JSON.stringify(rows)).not.toContain('Ann Example')
  expect(Buffer.from(rows[0].outcome.body, 'base64').toString()).not.toContain('Ann Example')
  await database.pool.query(`update idempotency_keys set key = 'k2'`)
  await expect(send(make('again'), request({ key: 'k2' }))).rejects.toThrow()
})

test.each([
  ['to another request', `input_hash = sha256('POST /v1/others')`, request({ input: 'POST /v1/others' })],
  ['under another status', `outcome = jsonb_set(outcome, '{status}', '400')`, request()],
  ['under another id', `outcome = jsonb_set(outcome, '{responseId}', '"request 0"')`, request()],
])('a stored response that somebody has moved %s is told to nobody', async (_where, set, asked) => {
  await send(make('made'))
  await database.pool.query(`update idempotency_keys set ${set}`)
  await expect(send(make('again'), asked)).rejects.toThrow()
  expect(await effects()).toEqual(['made'])
})

test('a use case returns its own result, and the wire shows it', async () => {
  const shown = shownBy(request(), ({ name }: { name: string }) => name.toUpperCase())
  const response = await respondOnce(deps, DECLARATION, { merchantId: 'ma_one', request: shown }, async () => ({
    name: 'tea',
  }))
  expect(response.body).toContain('"made":"TEA"')
})
