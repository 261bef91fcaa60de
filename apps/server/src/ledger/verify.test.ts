// Guarantee: a cent that was changed, added or taken away in the tables is found and named, at any time, and what is right is never
// called wrong.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.ts'
import { type CommandDeps, command } from '../db/command.ts'
import { STATEMENTS } from '../db/statement.ts'
import { NO_EVENTS } from '../db/testing/no-events.ts'
import { PATIENT_LIMITS } from '../db/testing/patient-limits.ts'
import { newUuid } from '../platform/ids.ts'
import { ManualClock } from '../platform/testing/manual-clock.ts'
import { testSeals } from '../platform/testing/row-seals.ts'
import { sealedTransfer } from './seal.ts'
import { createLedgerService, openAccount, type Problem, type Read, transfer } from './service.ts'

let database: TestDatabase
let deps: CommandDeps
beforeAll(async () => {
  // No customer orders here: transfers are all there is.
  database = await createTestDatabase({ checks: [], limits: PATIENT_LIMITS })
  deps = { pool: database.pool, clock: new ManualClock(), events: NO_EVENTS }
})
afterAll(() => database?.close())

const SILENT = { name: 'ledger.test', silent: 'test_only' } as const
const [MERCHANT, OTHER] = ['ma_0000000001', 'ma_0000000002']
const shop = newUuid()
const NIL = '00000000-0000-0000-0000-000000000000'

async function wallet(merchantId: string): Promise<string> {
  const account = { merchantId, accountId: newUuid(), kind: 'wallet', holderId: newUuid(), currency: 'USD' } as const
  await command(deps, SILENT, (change) => openAccount({ seals }, change, account))
  return account.accountId
}

async function move(merchantId: string, accountId: string, amountMinor: bigint): Promise<string> {
  const ids = { merchantId, transferId: newUuid(), reference: newUuid(), currency: 'USD' } as const
  const ends =
    amountMinor > 0n
      ? ({ purpose: 'deposit', from: { kind: 'deposits', holderId: null }, to: { accountId }, amountMinor } as const)
      : ({
          purpose: 'order',
          from: { accountId },
          to: { kind: 'sales', holderId: shop },
          amountMinor: -amountMinor,
        } as const)
  expect(await command(deps, SILENT, (change) => transfer({ seals }, change, { ...ids, ...ends }))).toMatchObject({
    state: 'done',
  })
  return ids.transferId
}

const seals = testSeals()
const verify = () => createLedgerService({ pool: database.pool, seals, checks: [] }).verify()

let account: string
let paid: string
beforeAll(async () => {
  account = await wallet(MERCHANT)
  await move(MERCHANT, account, 10_000n)
  paid = await move(MERCHANT, account, -2_550n)
  await move(OTHER, await wallet(OTHER), 700n)
})

test('books in order: what there is, by currency and kind', async () => {
  expect(await verify()).toEqual({
    merchants: 2,
    accounts: 5,
    transfers: 3,
    entries: 6,
    balances: { USD: { wallet: '81.50', deposits: '-107.00', sales: '25.50' } },
    problemCount: 0,
    problems: [],
  })
})

const NOT_AS_OPENED = 'is not what it was opened as, or not the customer’s whose it was'

describe('finds', () => {
  /** What is found while an edit is there, which is undone afterwards. Foreign keys and checks are silent, as for who edits a file. */
  async function foundAfter(edit: string, undo: string, values: unknown[]): Promise<Problem[]> {
    await inSilence((client) => client.query(edit, values))
    const { problems, problemCount } = await verify()
    await inSilence((client) => client.query(undo, values))
    expect(problemCount).toBe(problems.length)
    expect((await verify()).problems).toEqual([])
    return problems
  }

  async function inSilence(work: (client: PoolClient) => Promise<unknown>): Promise<void> {
    const client = await database.pool.connect()
    try {
      await client.query('set session_replication_role = replica')
      await work(client)
    } finally {
      client.release(true)
    }
  }

  test('a balance that was raised by a cent', async () => {
    const set = (sign: string) => `update ledger_accounts set balance_minor = balance_minor ${sign} 1 where id = $1`
    expect(await foundAfter(set('+'), set('-'), [account])).toEqual([
      {
        merchantId: MERCHANT,
        where: `account ${account} (wallet, USD)`,
        what: 'has 7451, and its entries sum to 7450',
      },
    ])
  })

  test('an entry that was changed: its transfer does not sum to zero, its account is not explained', async () => {
    const set = (sign: string) =>
      `update ledger_entries set amount_minor = amount_minor ${sign} 1 where transfer_id = $1 and amount_minor < 0`
    expect((await foundAfter(set('+'), set('-'), [paid])).map(({ what }) => what)).toEqual([
      'has 7450, and its entries sum to 7451',
      'has entries that sum to 1',
    ])
  })

  test('an entry that was deleted', async () => {
    const undo = `insert into ledger_entries
      select merchant_id, transfer_id, $2, currency, -amount_minor from ledger_entries where transfer_id = $1`
    const values = [paid, account]
    const found = await foundAfter(
      'delete from ledger_entries where transfer_id = $1 and account_id = $2',
      undo,
      values,
    )
    expect(found.map(({ what }) => what)).toEqual(['has 7450, and its entries sum to 10000', 'has 1 entries'])
  })

  test('money that two entries made: each of them is right, and neither has a transfer', async () => {
    const transferId = newUuid()
    const add = `with added as (
        insert into ledger_entries select merchant_id, $1::uuid, id, currency, case kind when 'wallet' then 500 else -500 end
        from ledger_accounts where id = $2 or (kind = 'deposits' and merchant_id = '${MERCHANT}') returning *)
      update ledger_accounts a set balance_minor = balance_minor + amount_minor from added where a.id = added.account_id`
    const undo = `with gone as (delete from ledger_entries where transfer_id = $1 and $2::uuid is not null returning *)
      update ledger_accounts a set balance_minor = balance_minor - amount_minor from gone where a.id = gone.account_id`
    const found = await foundAfter(add, undo, [transferId, account])
    expect(found.map(({ what }) => what)).toEqual(Array(2).fill('has no transfer in its currency'))
    expect(found.every(({ where }) => where.startsWith(`entry of transfer ${transferId} and account `))).toBe(true)
  })

  test('a transfer that was deleted', async () => {
    const { rows } = await database.pool.query('select reference, seal from ledger_transfers where id = $1', [paid])
    const [{ reference, seal }] = rows
    const undo = `insert into ledger_transfers
      values ('${MERCHANT}', $1, 'USD', 'order', '${reference}', now(), '\\x${seal.toString('hex')}')`
    const found = await foundAfter('delete from ledger_transfers where id = $1', undo, [paid])
    expect(found.map(({ what }) => what)).toEqual(Array(2).fill('has no transfer in its currency'))
  })

  test('a transfer without entries', async () => {
    const id = newUuid()
    const add = `insert into ledger_transfers values ('${OTHER}', $1, 'USD', 'order', gen_random_uuid(), now(), '')`
    expect(await foundAfter(add, 'delete from ledger_transfers where id = $1', [id])).toEqual([
      { merchantId: OTHER, where: `transfer ${id} (USD)`, what: 'has 0 entries' },
    ])
  })

  test('an account that was deleted, and one whose currency was changed', async () => {
    const move = (from: string, to: string) => `update ledger_accounts set id = '${to}' where id = '${from}' and $1`
    const elsewhere = newUuid()
    const gone = await foundAfter(move(account, elsewhere), move(elsewhere, account), [true])
    expect(gone.map(({ what }) => what)).toEqual([
      'has 7450, and its entries sum to 0',
      NOT_AS_OPENED,
      'has no account in its currency',
      'has no account in its currency',
    ])
    const set = (currency: string) => `update ledger_accounts set currency = '${currency}' where id = $1`
    const changed = await foundAfter(set('EUR'), set('USD'), [account])
    expect(changed.map(({ what }) => what)).toEqual([NOT_AS_OPENED, ...Array(2).fill('has no account in its currency')])
  })

  describe('money that was made up, consistent in all three tables', () => {
    const UNSEALED = 'is not one that this program has made: its seal does not fit what it moves'
    /** What an editor of rows would write, who has looked at how the program does it. */
    const made = (seal: string) => `with parties as (
        select id, case kind when 'wallet' then 500 else -500 end as minor from ledger_accounts
        where id = $2 or (kind = 'deposits' and merchant_id = '${MERCHANT}')
      ), made as (
        insert into ledger_transfers values ('${MERCHANT}', $1, 'USD', 'deposit', $1, now(), ${seal})
      ), entered as (
        insert into ledger_entries select '${MERCHANT}', $1, id, 'USD', minor from parties
      ) update ledger_accounts a set balance_minor = balance_minor + minor from parties where a.id = parties.id`
    const undo = `with gone as (delete from ledger_entries where transfer_id = $1 and $2::uuid is not null returning *), transfer as (
        delete from ledger_transfers where id = $1
      ) update ledger_accounts a set balance_minor = balance_minor - amount_minor from gone where a.id = gone.account_id`

    test.each([
      ['without a seal', `''`],
      ['with any bytes for one', `decode(repeat('ab', 32), 'hex')`],
      [
        'with the seal of another deposit',
        `(select seal from ledger_transfers where merchant_id = '${OTHER}' limit 1)`,
      ],
    ])('%s', async (_how, seal) => {
      const transferId = newUuid()
      expect(await foundAfter(made(seal), undo, [transferId, account])).toEqual([
        { merchantId: MERCHANT, where: `transfer ${transferId} (USD)`, what: UNSEALED },
      ])
    })

    test('a deposit that was raised, with its entries and both balances', async () => {
      const by = (minor: number) => `with entered as (
          update ledger_entries set amount_minor = amount_minor + sign(amount_minor)::int * ${minor}
          where transfer_id = (select id from ledger_transfers where merchant_id = '${MERCHANT}' and purpose = 'deposit' order by id limit 1)
          returning account_id, sign(amount_minor)::int * ${minor} as minor
        ) update ledger_accounts a set balance_minor = balance_minor + minor from entered where a.id = account_id and $1`
      expect((await foundAfter(by(100), by(-100), [true])).map(({ what }) => what)).toEqual([UNSEALED])
    })

    test('a wallet that was given to another customer', async () => {
      const { rows } = await database.pool.query('select holder_id from ledger_accounts where id = $1', [account])
      const give = (to: string) => `update ledger_accounts set holder_id = '${to}' where id = $1`
      const found = await foundAfter(give(newUuid()), give(rows[0].holder_id), [account])
      expect(found).toEqual([{ merchantId: MERCHANT, where: `account ${account} (wallet, USD)`, what: NOT_AS_OPENED }])
    })

    test('a payment that was moved to another wallet', async () => {
      const thief = await wallet(MERCHANT)
      await move(MERCHANT, thief, 5_000n)
      const to = (from: string, wallet: string) => `with entered as (
          update ledger_entries set account_id = '${wallet}' where transfer_id = $1 and account_id = '${from}' returning amount_minor
        ) update ledger_accounts a set balance_minor = balance_minor + case id when '${wallet}' then amount_minor else -amount_minor end
          from entered where a.id in ('${from}', '${wallet}')`
      const found = await foundAfter(to(account, thief), to(thief, account), [paid])
      expect(found.map(({ what }) => what)).toEqual([UNSEALED])
    })
  })

  test('a wallet below zero', async () => {
    const id = await wallet(OTHER)
    await inSilence(async (client) => {
      await client.query('alter table ledger_accounts drop constraint ledger_accounts_balance_check')
    })
    const set = (minor: number) => `update ledger_accounts set balance_minor = ${minor} where id = $1`
    expect((await foundAfter(set(-1), set(0), [id])).map(({ what }) => what)).toEqual([
      'has -1, and its entries sum to 0',
      'is below zero: -1',
    ])
  })
})

test('what other features know is asked of each merchant', async () => {
  async function* odd(_read: unknown, merchantId: string) {
    yield { merchantId, where: 'a row', what: 'is odd' }
  }
  const { problems } = await createLedgerService({ pool: database.pool, seals, checks: [odd] }).verify()
  expect(problems.map(({ merchantId }) => merchantId)).toEqual([MERCHANT, OTHER])
})

test('more than fits into a page', async () => {
  const merchantId = 'ma_0000000003'
  const id = await wallet(merchantId)
  await move(merchantId, id, 1n)
  // As 2,500 deposits of a cent each would have made them.
  await database.pool.query(
    `with transfers as (
       insert into ledger_transfers
       select '${merchantId}', gen_random_uuid(), 'USD', 'deposit', gen_random_uuid(), now(), '' from generate_series(1, 2500) returning id
     ), entries as (
       insert into ledger_entries select merchant_id, t.id, a.id, a.currency, case a.kind when 'wallet' then 1 else -1 end
       from transfers t, ledger_accounts a where merchant_id = '${merchantId}'
     ) update ledger_accounts set balance_minor = balance_minor + case kind when 'wallet' then 2500 else -2500 end
     where merchant_id = '${merchantId}'`,
  )
  const made = `select t.id, t.reference, max(e.account_id::text) filter (where amount_minor < 0) as payer
    from ledger_transfers t join ledger_entries e on e.transfer_id = t.id where t.merchant_id = '${merchantId}' and seal = '' group by 1, 2`
  const { rows } = await database.pool.query(made)
  const cent = { merchantId, currency: 'USD', purpose: 'deposit', payeeId: id, amountMinor: 1n }
  const sealed = rows.map(({ id: transferId, reference, payer: payerId }) =>
    seals.seal(sealedTransfer({ ...cent, transferId, reference, payerId })),
  )
  await database.pool.query(
    'update ledger_transfers t set seal = given.seal from unnest($1::uuid[], $2::bytea[]) given (id, seal) where t.id = given.id',
    [rows.map(({ id }) => id), sealed],
  )
  const { transfers, entries, problems } = await verify()
  expect({ transfers, entries, problems }).toEqual({ transfers: 2505, entries: 5010, problems: [] })
})

test('no statement sums more than a thousand entries of an account, however many it has', async () => {
  const { text, parameters } = STATEMENTS.get('ledger.list_account_sums') ?? { text: '', parameters: [] }
  const values: Record<string, unknown> = { merchantId: 'ma_0000000003', after: NIL, limit: 1_000, most: 1_000 }
  const looked: number[] = []
  /** Where it looks, and as it looks. */
  async function* measuring(read: Read, merchantId: string) {
    if (merchantId !== values.merchantId) return
    const { rows } = await read((on) =>
      on.query(
        `explain (analyze, format json) ${text}`,
        parameters.map(({ name }) => values[name]),
      ),
    )
    looked.push(...rows[0]['QUERY PLAN'].flatMap(({ Plan }: { Plan: MeasuredNode }) => entriesLookedAt(Plan)))
    yield* []
  }
  await createLedgerService({ pool: database.pool, seals, checks: [measuring] }).verify()
  expect(looked).toEqual([1_000])
})

interface MeasuredNode {
  'Relation Name'?: string
  /** The rows of one round, which is for one account. */
  'Actual Rows': number
  Plans?: MeasuredNode[]
}

function entriesLookedAt({ 'Relation Name': table, 'Actual Rows': rows, Plans = [] }: MeasuredNode): number[] {
  return [...(table === 'ledger_entries' ? [Number(rows)] : []), ...Plans.flatMap(entriesLookedAt)]
}

test('the balances that are shown are of one moment, and nothing is wrong, whatever is paid meanwhile', async () => {
  const before = await verify()
  const asAnother = AsyncLocalStorage.snapshot()
  async function* paying(_read: unknown, merchantId: string) {
    // The accounts of the next merchant were not looked at yet.
    if (merchantId === MERCHANT) await asAnother(async () => move(OTHER, await wallet(OTHER), 5n))
    yield* []
  }
  const during = await createLedgerService({ pool: database.pool, seals, checks: [paying] }).verify()
  expect(during).toEqual({ ...before, accounts: during.accounts, transfers: during.transfers, entries: during.entries })
  expect((await verify()).entries).toBe(before.entries + 2)
})

test('no moment is kept for longer than a page: the server may clean up behind it', async () => {
  const held = async () => {
    const { rows } = await database.pool.query(
      // Autovacuum keeps moments of its own.
      `select 1 from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
         and backend_xmin is not null and pid <> pg_backend_pid()`,
    )
    return rows.length
  }
  const asAnother = AsyncLocalStorage.snapshot()
  const counts: number[] = []
  async function* looking() {
    counts.push(await asAnother(held))
    yield* []
  }
  await createLedgerService({ pool: database.pool, seals, checks: [looking] }).verify()
  expect(counts).toEqual(counts.map(() => 0))
  expect(counts.length).toBeGreaterThan(1)
})

test('while money moves', async () => {
  const ids = await Promise.all(Array.from({ length: 6 }, () => wallet(MERCHANT)))
  let isMoving = true
  let looks = 0
  const moving = Promise.all(
    ids.map(async (id) => {
      // However long a look takes, there are some while it moves.
      for (let n = 0; n < 40 || looks < 2; n += 1) {
        await move(MERCHANT, id, 5n)
        await move(MERCHANT, id, -3n)
      }
    }),
  ).finally(() => {
    isMoving = false
  })
  for (; isMoving; looks += 1) expect((await verify()).problems).toEqual([])
  await moving
  expect(looks).toBeGreaterThan(1)
})
