// Guarantee: what our rows and the network say differently of payments is found, wherever it was changed by hand; what
// agrees never is.
import { Command } from 'commander'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PATIENT, startTestService, type TestMerchant, type TestService } from '../../test/service.ts'
import { addNetworkCommands } from '../commands/network.ts'
import { newOwner } from '../mandates/testing/standing.ts'
import { addSeconds } from '../platform/clock.ts'
import { lapsing } from './testing/lapse.ts'
import { paidAt } from './testing/observed.ts'

let service: TestService
let merchant: TestMerchant
let at: ReturnType<typeof lapsing>
const before = process.exitCode
beforeAll(async () => {
  service = await startTestService({ env: PATIENT })
  merchant = service.merchant
  at = lapsing([service], merchant, await newOwner(service))
})
afterAll(async () => {
  process.exitCode = before
  await service?.close()
})

const hour = (offset: number) => addSeconds(service.clock.now(), offset * 3_600)
const reconcile = () => service.app.charges.reconcile({ from: hour(-1), to: hour(1) })
async function captured(amount?: string) {
  const { made, txn } = await at.charged()
  await (await paidAt(service, merchant, made))('captured', amount)
  await service.runJobs()
  return txn
}

test('rows that agree, and rows that were changed by hand', async () => {
  const [whole, part] = [await captured(), await captured('10.00')]
  expect(await reconcile()).toMatchObject({ charges: 2, facts: 5, unheard: 0, differences: [] })
  const { merchantId } = merchant
  const changes: [string, unknown[], object[]][] = [
    [
      'update charges set counted_minor = 2500 where id = $1',
      [part],
      [{ what: 'counted', here: '25.00', network: '10.00' }],
    ],
    [
      "update charges set status = 'failed', failure_code = 'PAYMENT_FAILED', counted_minor = 2500 where id = $1",
      [whole],
      [{ what: 'status', here: 'failed', network: 'completed' }],
    ],
    [
      "update network_facts set amount_minor = 1 where charge_id = $1 and kind = 'captured'",
      [part],
      [{ what: expect.stringMatching(/^fact /), here: 'captured 0.01 USD', network: 'captured 10.00 USD' }],
    ],
    [
      "delete from network_facts where charge_id = $1 and kind = 'authorized'",
      [whole],
      [{ what: expect.stringMatching(/^fact /), here: null, network: 'authorized 25.00 USD' }],
    ],
    [
      "delete from simnet.settlements where charge_id = $1 and kind = 'reversed'",
      [part],
      expect.arrayContaining([
        expect.objectContaining({ what: expect.stringMatching(/^fact /), here: 'reversed 15.00 USD', network: null }),
      ]),
    ],
  ]
  for (const [sql, values, expected] of changes) {
    // Each by itself: the rows are as they were afterwards.
    const saved = await service.pool.query('select to_jsonb(c) as row from charges c where id = any($1)', [
      [whole, part],
    ])
    const facts = await service.pool.query('select * from network_facts')
    const settlements = await service.pool.query('select * from simnet.settlements')
    expect((await service.pool.query(sql, values)).rowCount).toBeGreaterThan(0)
    const { differences } = await reconcile()
    expect(differences).toMatchObject(expected)
    expect(differences.every((one) => one.merchantId === merchantId)).toBe(true)
    for (const { row } of saved.rows) {
      await service.pool.query('update charges set status = $2, failure_code = $3, counted_minor = $4 where id = $1', [
        row.id,
        row.status,
        row.failure_code,
        row.counted_minor,
      ])
    }
    await restore('network_facts', facts.rows)
    await restore('simnet.settlements', settlements.rows)
    expect((await reconcile()).differences).toEqual([])
  }
})

async function restore(table: string, rows: object[]) {
  await service.pool.query(`delete from ${table}`)
  for (const row of rows) {
    await service.pool.query(`insert into ${table} select * from jsonb_populate_record(null::${table}, $1)`, [
      JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? value.toString() : value)),
    ])
  }
}

test('the verb ends with 1 where there is a difference, as JSON and as a table', async () => {
  const run = async (...words: string[]) => {
    process.exitCode = before
    const said: unknown[] = []
    const program = new Command('mintmark')
    const network = program.command('network')
    addNetworkCommands(
      network,
      async (work) => void said.push(await work(service.app)),
      (text) => void said.push(text),
    )
    await program.parseAsync(['network', 'reconcile', ...words], { from: 'user' })
    return { said, code: process.exitCode }
  }
  const from = hour(-1).toISOString()
  expect(await run('--from', from)).toMatchObject({ code: before, said: [{ differences: [] }] })
  const txn = await captured()
  await service.pool.query('update charges set counted_minor = 1 where id = $1', [txn])
  const { code, said } = await run('--from', from, '--table')
  expect(code).toBe(1)
  expect(said[0]).toMatch(/^merchantId +chargeId +what +here +network\n.+counted +0\.01 +25\.00$/)
  await expect(run('--from', 'yesterday')).rejects.toThrow(/--from must be a day/)
  await expect(run()).rejects.toThrow(/--from/)
})
