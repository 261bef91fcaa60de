import type { EventType } from '@mintmark/contract'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { ManualClock } from '../platform/testing/manual-clock.ts'
import {
  type Captured,
  type CommandContext,
  type CommandDeps,
  command,
  commandOnce,
  type IdempotencyKey,
  outcomeOf,
  rollback,
  single,
} from './command.ts'
import { closePool, createPool } from './pool.ts'
import { execute } from './statement.ts'
import { NO_EVENTS } from './testing/no-events.ts'
import { PATIENT_LIMITS } from './testing/patient-limits.ts'

// Guarantee: a change and its events are committed together or not at all, and a caller's key takes effect once.

let database: TestDatabase
let deps: CommandDeps
const clock = new ManualClock()

const insertEffect = execute('effects.insert', 'insert into effects (id, at) values ($id, $at)')
const insertSeen = execute('effects.insert_seen', 'insert into seen (id, at) values ($id, $at)')

beforeAll(async () => {
  database = await createTestDatabase({ max: 40, limits: PATIENT_LIMITS })
  await database.pool.query(
    'create table effects (id text, at timestamptz); create table seen (id text, at timestamptz)',
  )
  await database.pool.query(
    `insert into merchants (id, name, status, allowed_origins, webhook_secret_sealed, webhook_secret_key_id, created_at)
     select id, id, 'active', '{}', '', 'local:1', now() from unnest(array['ma_one', 'ma_two']) id`,
  )
  deps = {
    pool: database.pool,
    clock,
    events: {
      ...NO_EVENTS,
      append: async (tx, events, at) => {
        for (const event of events) await insertSeen(tx, { id: event.resource.id, at })
      },
    },
  }
})
afterAll(() => database.close())
beforeEach(async () => {
  await database.pool.query('delete from effects; delete from seen; delete from idempotency_keys')
})

/** Calls that wait for a lock. */
async function countWaiting(): Promise<number> {
  const { rowCount } = await database.pool.query(
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  )
  return rowCount ?? 0
}

async function idsOf(table: 'effects' | 'seen'): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>(`select id from ${table} order by id`)
  return rows.map(({ id }) => id)
}

function event(id: string): Captured<'payment.failed'> {
  return {
    merchantId: 'ma_one',
    type: 'payment.failed',
    resource: { type: 'charge', id, version: 1 },
    data: { status: 'failed' },
  }
}

const EMITTING = { name: 'effects.emit', emits: ['payment.failed'] } as const
const SILENT = { name: 'effects.make', silent: 'test_only' } as const

const effect =
  (id: string) =>
  async ({ tx, at }: CommandContext<EventType>) => {
    await insertEffect(tx, { id, at })
    return id
  }

describe('command', () => {
  test('commits a change with its events, by one reading of the clock', async () => {
    const result = await command(deps, EMITTING, async ({ tx, at, emit }) => {
      await insertEffect(tx, { id: 'one', at })
      emit(event('one'))
      clock.advance(60)
      await insertEffect(tx, { id: 'two', at })
      return 'done'
    })
    expect(result).toBe('done')
    expect(await idsOf('effects')).toEqual(['one', 'two'])
    expect(await idsOf('seen')).toEqual(['one'])
    const { rows } = await database.pool.query('select distinct at from effects union select at from seen')
    expect(rows).toHaveLength(1)
  })

  test('a rollback by value writes neither change nor event', async () => {
    const result = await command(deps, EMITTING, async ({ tx, at, emit }) => {
      await insertEffect(tx, { id: 'one', at })
      emit(event('one'))
      return rollback
    })
    expect(result).toBeNull()
    expect([...(await idsOf('effects')), ...(await idsOf('seen'))]).toEqual([])
  })

  test('a change that forgets its event is undone', async () => {
    const forgetful = command(deps, EMITTING, effect('one'))
    await expect(forgetful).rejects.toThrow('effects.emit changed something and captured no event.')
    expect(await idsOf('effects')).toEqual([])
  })

  test('a change whose event is not kept is undone', async () => {
    const broken = { ...deps, events: { ...NO_EVENTS, append: () => Promise.reject(new Error('No room.')) } }
    const attempt = command(broken, EMITTING, async ({ tx, at, emit }) => {
      await insertEffect(tx, { id: 'one', at })
      emit(event('one'))
    })
    await expect(attempt).rejects.toThrow('No room.')
    expect(await idsOf('effects')).toEqual([])
  })

  test('an error undoes it and is thrown as it is', async () => {
    const attempt = command(deps, SILENT, async (context) => {
      await effect('one')(context)
      throw new TypeError('Mine.')
    })
    await expect(attempt).rejects.toThrow(TypeError)
    expect(await idsOf('effects')).toEqual([])
  })

  test('what a first try emitted before a deadlock is not emitted twice', async () => {
    let tries = 0
    await command(deps, EMITTING, async ({ tx, at, emit }) => {
      tries += 1
      await insertEffect(tx, { id: `try ${tries}`, at })
      emit(event(`try ${tries}`))
      if (tries === 1) await tx.query(`do $$ begin raise exception 'planted' using errcode = '40P01'; end $$`)
    })
    expect(await idsOf('effects')).toEqual(['try 2'])
    expect(await idsOf('seen')).toEqual(['try 2'])
  })

  test('a silent one captures nothing, and says why', async () => {
    expect(await command(deps, SILENT, effect('one'))).toBe('one')
    expect(await idsOf('effects')).toEqual(['one'])
    expect(await idsOf('seen')).toEqual([])
  })

  test('what is not declared is not emitted: the compiler refuses it', async () => {
    await command(deps, SILENT, async ({ emit }) => {
      // @ts-expect-error A silent command has no event types.
      return () => emit(event('one'))
    })
    await command(deps, { name: 'effects.other', emits: ['session.revoked'] }, async ({ emit }) => {
      // @ts-expect-error Another type than the declared one.
      emit(event('one'))
    })
  })
})

describe('single', () => {
  test('is one write without a transaction, by the clock of the program', async () => {
    const query = vi.spyOn(pg.Client.prototype, 'query')
    onTestFinished(() => query.mockRestore())
    expect(await single(deps, SILENT, ({ on, at }) => insertEffect(on, { id: 'one', at }))).toBe(1)
    expect(query.mock.calls).toEqual([[expect.objectContaining({ name: 'effects.insert' })]])
    const { rows } = await database.pool.query<{ at: Date }>('select at from effects')
    expect(rows[0]?.at).toEqual(clock.now())
  })
})

describe('commandOnce', () => {
  const KEY: IdempotencyKey = { merchantId: 'ma_one', operation: 'effects.make', key: 'k1', input: '{"amount":1}' }
  const make = (key: Partial<IdempotencyKey> = {}, id = 'made', pool = database.pool) =>
    commandOnce({ ...deps, pool }, SILENT, { ...KEY, ...key }, async (context) => ({ id: await effect(id)(context) }))

  test('32 equal calls together have one effect and one outcome', async () => {
    const calls = Array.from({ length: 32 }, (_, number) => make({}, `effect ${number}`))
    const all = await Promise.all(calls)
    const [made] = await idsOf('effects')
    expect(await idsOf('effects')).toHaveLength(1)
    for (const one of all) expect(one).toMatchObject({ state: 'done', outcome: { id: made } })
    expect(all.filter((one) => one.state === 'done' && !one.replayed)).toHaveLength(1)
  })

  test('a later equal call gets the outcome of the first, marked as replayed', async () => {
    expect(await make()).toEqual({ state: 'done', outcome: { id: 'made' }, replayed: false })
    expect(await make({}, 'other')).toEqual({ state: 'done', outcome: { id: 'made' }, replayed: true })
    expect(await idsOf('effects')).toEqual(['made'])
  })

  test('the same key with another input is a conflict, and has no effect', async () => {
    await make()
    expect(await make({ input: '{"amount":2}' }, 'other')).toEqual({ state: 'other_input' })
    expect(await idsOf('effects')).toEqual(['made'])
  })

  test('another merchant, operation or key is another call', async () => {
    await make()
    const others = [{ merchantId: 'ma_two' }, { operation: 'effects.other' }, { key: 'k2' }]
    for (const [index, other] of others.entries()) {
      expect(await make(other, `other ${index}`)).toMatchObject({ state: 'done', replayed: false })
    }
    expect(await idsOf('effects')).toHaveLength(4)
  })

  test('an equal call while the first is still running is told so', async () => {
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const first = commandOnce(deps, SILENT, KEY, async (context) => {
      begun.resolve()
      await end.promise
      return { id: await effect('first')(context) }
    })
    await begun.promise
    // With the product's limits, by which a wait for a key ends.
    const own = createPool({ connection: database.connection, max: 1, log: { warn: () => undefined } })
    try {
      expect(await make({}, 'second', own)).toEqual({ state: 'in_flight' })
    } finally {
      end.resolve()
      await closePool(own)
    }
    expect(await first).toEqual({ state: 'done', outcome: { id: 'first' }, replayed: false })
    expect(await make({}, 'third')).toEqual({ state: 'done', outcome: { id: 'first' }, replayed: true })
    expect(await idsOf('effects')).toEqual(['first'])
  })

  test('a rollback by value frees the key', async () => {
    const undone = await commandOnce(deps, SILENT, KEY, async (context) => {
      await effect('undone')(context)
      return rollback
    })
    expect(undone).toEqual({ state: 'rolled_back' })
    expect(await idsOf('effects')).toEqual([])
    expect(await make()).toEqual({ state: 'done', outcome: { id: 'made' }, replayed: false })
  })

  test('an error frees the key', async () => {
    const attempt = commandOnce(deps, SILENT, KEY, async (context) => {
      await effect('undone')(context)
      throw new Error('Planted.')
    })
    await expect(attempt).rejects.toThrow('Planted.')
    expect(await make()).toEqual({ state: 'done', outcome: { id: 'made' }, replayed: false })
  })

  test('a call that waited behind one that rolled back takes effect', async () => {
    const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const first = commandOnce(deps, SILENT, KEY, async () => {
      begun.resolve()
      await end.promise
      return rollback
    })
    await begun.promise
    const second = make()
    await expect.poll(countWaiting).toBe(1)
    end.resolve()
    expect(await second).toEqual({ state: 'done', outcome: { id: 'made' }, replayed: false })
    expect(await first).toEqual({ state: 'rolled_back' })
  })

  test('the input is kept as a hash only', async () => {
    await make({ input: 'a secret input' })
    const { rows } = await database.pool.query('select * from idempotency_keys')
    expect(JSON.stringify(rows)).not.toContain('secret')
  })

  test('its events are in the same transaction', async () => {
    const run = () =>
      commandOnce(deps, EMITTING, KEY, async ({ emit }) => {
        emit(event('one'))
        return { id: 'one' }
      })
    await Promise.all(Array.from({ length: 8 }, run))
    expect(await idsOf('seen')).toEqual(['one'])
  })
})

describe('outcomeOf', () => {
  test('gives what was done, now or before', () => {
    for (const replayed of [false, true]) {
      expect(outcomeOf({ state: 'done', outcome: { id: 'one' }, replayed })).toMatchObject({
        outcome: { id: 'one' },
        replayed,
      })
    }
    expect(outcomeOf({ state: 'rolled_back' })).toBeNull()
  })

  test('refuses in the words of the contract', () => {
    const refusal = (keyed: Parameters<typeof outcomeOf>[0]) => {
      try {
        return outcomeOf(keyed)
      } catch (error) {
        return error
      }
    }
    expect(refusal({ state: 'other_input' })).toMatchObject({ code: 'IDEMPOTENCY_CONFLICT', status: 409 })
    expect(refusal({ state: 'in_flight' })).toMatchObject({
      code: 'IDEMPOTENCY_IN_PROGRESS',
      status: 409,
      retryAfterSeconds: 1,
    })
  })
})
