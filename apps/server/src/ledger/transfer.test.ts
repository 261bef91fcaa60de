// Guarantee: money only moves from one account to another. No wallet goes below zero, no reference is paid twice, no amount changes
// its currency, and no two transfers wait for each other, whatever runs at the same time.
import type { Currency } from '@mintmark/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { type CommandDeps, command, rollback } from '../db/command.ts'
import { violates } from '../db/errors.ts'
import { STATEMENTS } from '../db/statement.ts'
import { loadStatements } from '../db/testing/load-statements.ts'
import { NO_EVENTS } from '../db/testing/no-events.ts'
import { PATIENT_LIMITS } from '../db/testing/patient-limits.ts'
import { newUuid } from '../platform/ids.ts'
import { ManualClock } from '../platform/testing/manual-clock.ts'
import { testSeals } from '../platform/testing/row-seals.ts'
import { MAX_IN_WALLET_MINOR } from './ref.ts'
import { PARTS } from './rules.ts'
import { type NewTransfer, openAccount, type Transferred, transfer } from './service.ts'

let database: TestDatabase
let deps: CommandDeps
beforeAll(async () => {
  // No customer orders here: transfers are all there is.
  database = await createTestDatabase({ checks: [], max: CALLERS, limits: PATIENT_LIMITS })
  deps = { pool: database.pool, clock: new ManualClock(), events: NO_EVENTS }
})
afterAll(() => database?.close())

const CALLERS = 10
const merchantId = 'ma_0000000001'
const shop = newUuid()
const LEDGER = { seals: testSeals() }
const SILENT = { name: 'ledger.test', silent: 'test_only' } as const
const FROM_OUTSIDE = { kind: 'deposits', holderId: null } as const
const SALES = { kind: 'sales', holderId: shop } as const

async function wallet(currency: Currency = 'USD', holderId = newUuid()): Promise<string> {
  const accountId = newUuid()
  const account = { merchantId, accountId, kind: 'wallet', holderId, currency } as const
  await command(deps, SILENT, (change) => openAccount(LEDGER, change, account))
  return accountId
}

async function move(given: Partial<NewTransfer>): Promise<Transferred | null> {
  const currency = given.currency ?? 'USD'
  const ids = { merchantId, transferId: newUuid(), reference: newUuid() }
  const ends = { from: FROM_OUTSIDE, to: FROM_OUTSIDE, amountMinor: 100n, purpose: 'deposit' as const }
  return command(deps, SILENT, (change) => transfer(LEDGER, change, { ...ids, ...ends, ...given, currency }))
}

const deposit = (accountId: string, amountMinor: bigint, more: Partial<NewTransfer> = {}) =>
  move({ to: { accountId }, amountMinor, ...more })
const pay = (accountId: string, amountMinor: bigint, more: Partial<NewTransfer> = {}) =>
  move({ from: { accountId }, to: SALES, amountMinor, purpose: 'order', ...more })

async function balance(accountId: string): Promise<bigint> {
  const { rows } = await database.pool.query<{ kept: bigint; summed: bigint }>(
    `select balance_minor as kept, coalesce((select sum(amount_minor) from ledger_entries where account_id = a.id), 0)::bigint as summed
     from ledger_accounts a where merchant_id = $1 and id = $2`,
    [merchantId, accountId],
  )
  expect(rows[0]?.summed).toBe(rows[0]?.kept)
  return rows[0]?.kept ?? -1n
}

async function countRows(accountId: string): Promise<number> {
  const { rows } = await database.pool.query('select 1 from ledger_entries where account_id = $1', [accountId])
  return rows.length
}

describe('a transfer', () => {
  test('moves an amount with two entries, and says what both have then', async () => {
    const id = await wallet()
    expect(await deposit(id, 1000n)).toMatchObject({ state: 'done', toMinor: 1000n })
    expect(await pay(id, 300n)).toMatchObject({ state: 'done', fromMinor: 700n })
    expect(await balance(id)).toBe(700n)
    const { rows } = await database.pool.query<{ sum: bigint; count: bigint }>(
      `select sum(amount_minor)::bigint as sum, count(*) as count from ledger_entries where transfer_id in
         (select transfer_id from ledger_entries where account_id = $1)`,
      [id],
    )
    expect(rows).toEqual([{ sum: 0n, count: 4n }])
  })

  test('of more than there is moves nothing', async () => {
    const id = await wallet()
    await deposit(id, 99n)
    expect(await pay(id, 100n)).toEqual({ state: 'insufficient' })
    expect([await balance(id), await countRows(id)]).toEqual([99n, 1])
  })

  test('from or to an account that is not there moves nothing', async () => {
    const id = await wallet()
    await deposit(id, 99n)
    expect(await pay(newUuid(), 1n)).toEqual({ state: 'no_account' })
    expect(await move({ from: { accountId: id }, to: { accountId: newUuid() }, amountMinor: 1n })).toEqual({
      state: 'no_account',
    })
    expect(await pay(id, 1n, { merchantId: 'ma_0000000002' })).toEqual({ state: 'no_account' })
    expect(await balance(id)).toBe(99n)
  })

  test('into a wallet of another currency moves nothing', async () => {
    const euros = await wallet('EUR')
    expect(await deposit(euros, 100n)).toEqual({ state: 'other_currency' })
    expect(await deposit(euros, 100n, { currency: 'EUR' })).toMatchObject({ state: 'done' })
    expect(await pay(euros, 100n)).toEqual({ state: 'other_currency' })
    expect(await balance(euros)).toBe(100n)
  })

  test('beyond what a wallet can hold moves nothing', async () => {
    const id = await wallet()
    expect(await deposit(id, MAX_IN_WALLET_MINOR)).toMatchObject({ state: 'done' })
    expect(await deposit(id, 1n)).toEqual({ state: 'over_limit' })
    expect(await balance(id)).toBe(MAX_IN_WALLET_MINOR)
  })

  test('with the reference of another one moves nothing; the same reference for another purpose is another', async () => {
    const [id, reference] = [await wallet(), newUuid()]
    await deposit(id, 50n, { reference })
    expect(await deposit(id, 60n, { reference })).toEqual({ state: 'repeated' })
    expect(await pay(id, 10n, { reference })).toMatchObject({ state: 'done', fromMinor: 40n })
  })

  test('that is rolled back has left nothing', async () => {
    const id = await wallet()
    const ends = { from: FROM_OUTSIDE, to: { accountId: id }, purpose: 'deposit', currency: 'USD' } as const
    const undone = { merchantId, transferId: newUuid(), reference: newUuid(), ...ends, amountMinor: 1n }
    await command(deps, SILENT, async (change) => {
      await transfer(LEDGER, change, undone)
      return rollback
    })
    expect([await balance(id), await countRows(id)]).toEqual([0n, 0])
  })

  test('moves an amount above zero, between two accounts', async () => {
    const id = await wallet()
    await expect(deposit(id, 0n)).rejects.toThrow('above zero')
    await expect(deposit(id, -1n)).rejects.toThrow('above zero')
    await expect(move({ from: { accountId: id }, to: { accountId: id } })).rejects.toThrow('another')
  })
})

test('no statement of the program changes or deletes what is in the books', async () => {
  await loadStatements()
  const books =
    /\b(?:update|delete\s+from|truncate)\s+ledger_(?:entries|transfers)\b|delete\s+from\s+ledger_accounts\b/i
  expect([...STATEMENTS.values()].filter(({ text }) => books.test(text))).toEqual([])
  const balances = [...STATEMENTS.values()].filter(({ text }) => /\bupdate\s+ledger_accounts\b/i.test(text))
  expect(balances.map(({ name }) => name)).toEqual(['ledger.insert_transfer'])
})

describe('the tables refuse', () => {
  const refused = async (text: string, values: unknown[], constraint: string) => {
    const error = await database.pool.query(text, values).then(
      () => null,
      (error: unknown) => error,
    )
    expect(violates(error, constraint), `${error}`).toBe(true)
  }

  test('a wallet below zero, or above the most', async () => {
    const id = await wallet()
    const set = 'update ledger_accounts set balance_minor = $2 where id = $1'
    await refused(set, [id, -1], 'ledger_accounts_balance_check')
    await refused(set, [id, MAX_IN_WALLET_MINOR + 1n], 'ledger_accounts_balance_check')
    await refused(
      'update ledger_accounts set may_be_negative = true where id = $1',
      [id],
      'ledger_accounts_wallet_check',
    )
  })

  test('an entry in another currency than its account or its transfer, or without either', async () => {
    const [dollars, euros] = [await wallet(), await wallet('EUR')]
    const transferId = newUuid()
    await deposit(dollars, 1n, { transferId })
    const enter = 'insert into ledger_entries values ($1, $2, $3, $4, 1)'
    await refused(enter, [merchantId, transferId, euros, 'USD'], 'ledger_entries_account_id_fkey')
    await refused(enter, [merchantId, transferId, euros, 'EUR'], 'ledger_entries_transfer_id_fkey')
    await refused(enter, [merchantId, newUuid(), dollars, 'USD'], 'ledger_entries_transfer_id_fkey')
  })

  test('a second account of a holder in a currency', async () => {
    const holderId = newUuid()
    await wallet('USD', holderId)
    const account = { merchantId, accountId: newUuid(), kind: 'wallet', holderId, currency: 'USD' } as const
    expect(await command(deps, SILENT, (change) => openAccount(LEDGER, change, account))).toBe(false)
  })
})

describe('at the same time', () => {
  test('64 payments from a wallet that can pay ten: ten', async () => {
    const id = await wallet()
    await deposit(id, 1_099n)
    const paid = await Promise.all(Array.from({ length: 64 }, () => pay(id, 100n)))
    expect(paid.filter((one) => one?.state === 'done')).toHaveLength(10)
    expect(paid.filter((one) => one?.state === 'insufficient')).toHaveLength(54)
    expect(await balance(id)).toBe(99n)
  })

  test('64 transfers with one reference: one', async () => {
    const [ids, reference] = [[await wallet(), await wallet()], newUuid()]
    const paid = await Promise.all(Array.from({ length: 64 }, (_, n) => deposit(ids[n % 2] ?? '', 5n, { reference })))
    expect(paid.filter((one) => one?.state === 'done')).toHaveLength(1)
    expect((await Promise.all(ids.map(balance))).sort()).toEqual([0n, 5n])
  })

  test('there and back between the same accounts: none waits for another for ever', async () => {
    const [one, other] = [await wallet(), await wallet()]
    for (const id of [one, other]) await deposit(id, 10_000n)
    let deadlocks = 0
    const counted = async (from: string, to: string) => {
      const pair = { from: { accountId: from }, to: { accountId: to }, amountMinor: 1n }
      // On a connection of its own, without the second try that a command gives itself.
      const client = await database.pool.connect()
      try {
        await client.query('begin')
        const ids = { merchantId, transferId: newUuid(), reference: newUuid() }
        const done = { ...ids, ...pair, purpose: 'order', currency: 'USD' } as const
        await transfer(LEDGER, { tx: client, at: deps.clock.now() }, done)
        await client.query('commit')
      } catch (error) {
        deadlocks += 1
        await client.query('rollback')
        throw error
      } finally {
        client.release()
      }
    }
    // No more than there are connections: the wait for one has a bound of its own.
    const caller = async (number: number) => {
      for (let n = number; n < number + 20; n += 1) await (n % 2 ? counted(one, other) : counted(other, one))
    }
    await Promise.all(Array.from({ length: CALLERS }, (_, number) => caller(number)))
    expect(deadlocks).toBe(0)
    expect(await Promise.all([one, other].map(balance))).toEqual([10_000n, 10_000n])
  })

  test('what all pay to is several rows: 200 payments to one shop in a new currency meet in none', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => wallet('SEK')))
    await Promise.all(ids.map((id) => deposit(id, 10_000n, { currency: 'SEK' })))
    const paid = await Promise.all(
      Array.from({ length: 200 }, (_, n) => pay(ids[n % 8] ?? '', 10n, { currency: 'SEK' })),
    )
    expect(paid.every((one) => one?.state === 'done')).toBe(true)
    const { rows } = await database.pool.query<{ part: number; balance: bigint }>(
      `select part, balance_minor as balance from ledger_accounts where holder_id = $1 and currency = 'SEK' order by part`,
      [shop],
    )
    expect(rows.length).toBeGreaterThan(PARTS / 2)
    expect(rows.length).toBeLessThanOrEqual(PARTS)
    expect(rows.reduce((sum, { balance }) => sum + balance, 0n)).toBe(2_000n)
  })
})
