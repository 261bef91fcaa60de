import { afterAll, beforeAll, expect, test } from 'vitest'
import { dumpSchema } from '../../../../scripts/schema-dump.ts'
import { approvedSession, CARDS, expectError, report, waitingSession } from '../../test/flows.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { newOwner } from '../mandates/testing/standing.ts'
import { carrying } from './testing/carried.ts'
import { charge, chargeable, reportCharge } from './testing/charge.ts'

// Guarantee: migration 0053 carries the work of charges from its table into their rows, and has a way back.

let service: TestService
let mandateId: string
let [live, paid, bought, unsaid, minting] = ['', '', '', '', '']
const make = async () => (await charge(service.merchant, mandateId, { amount: '1.00' })).body.transactionId as string

beforeAll(async () => {
  service = await startTestService()
  const owner = await newOwner(service)
  mandateId = await chargeable(service, owner)
  ;[live, paid, bought] = [await make(), await make(), await make()]
  await reportCharge(service.merchant, mandateId, paid)
  // Reported, and the network has said nothing: it is tried again.
  const silent = await waitingSession(service.merchant, CARDS.confirmationFailsOnce)
  expectError(await report(service.merchant, silent.id, silent.approved), 502, 'NETWORK_CONFIRMATION_FAILED')
  const unminted = await approvedSession(service.merchant, CARDS.mintRequestLost)
  await buy()
  ;[{ id: minting }] = await rows('select id from charges where opened_by = $1', [unminted.id])
  ;[{ id: unsaid }] = await rows('select id from charges where opened_by = $1', [silent.id])
})
afterAll(() => service?.close())

/** A charge that is paid for a purchase has no work: its purchase has. */
const buy = () =>
  rows(`update charges set quote_id = 'quo_1', work_due_at = null, attempts = null where id = $1`, [bought])

const { rows, goForward, goBack, expectNoWayBackBesideLater } = carrying(() => service, '0053_work_of_charges')
const charges = () => rows('select * from charges order by id')
const openWork = (id: string) =>
  rows(`select due_at, attempts, lease_until from open_work where kind = 'charge' and id = $1`, [id])
const workOf = (id: string) =>
  rows('select work_due_at as due_at, attempts, lease_until from charges where id = $1', [id])

test('the table of before has the work of each charge that waits; the way forward leaves each as it was, and nobody holds it', async () => {
  const [before, schema] = [await charges(), await dumpSchema(service.pool)]
  const [dueOfLive, dueOfUnsaid, dueOfMinting] = [await workOf(live), await workOf(unsaid), await workOf(minting)]
  expect([dueOfLive, dueOfUnsaid, dueOfMinting]).toMatchObject([
    [{ attempts: 0 }],
    [{ attempts: 1, lease_until: null }],
    [{ attempts: 1, lease_until: null }],
  ])
  await rows(`update charges set lease_until = work_due_at where id = $1`, [live])
  await goBack()
  const fences = await rows(`select lease_fence from open_work where kind = 'charge' order by id`)
  expect(await openWork(live)).toEqual(dueOfLive)
  expect(await openWork(unsaid)).toEqual(dueOfUnsaid)
  expect(await openWork(minting)).toEqual(dueOfMinting)
  for (const id of [paid, bought]) expect(await openWork(id)).toEqual([])
  await goForward()
  const after = await charges()
  const plain = ({ lease_fence: _, ...row }: (typeof before)[number]) => row
  expect(after.map(plain)).toEqual(before.map(plain))
  expect(await dumpSchema(service.pool)).toBe(schema)
  // A holder from before writes nothing any more, either way.
  const waiting = (all: typeof before) => all.filter(({ attempts }) => attempts !== null)
  for (const [place, { lease_fence: fence }] of waiting(before).entries()) {
    expect(BigInt(fences[place].lease_fence)).toBeGreaterThan(BigInt(fence))
    expect(BigInt(waiting(after)[place].lease_fence)).toBeGreaterThan(BigInt(fences[place].lease_fence))
  }
})

test('what was in hand is free, and keeps when it is due and how often it was tried', async () => {
  const due = await workOf(live)
  await goBack()
  await rows(`update open_work set attempts = 7, lease_until = now() + interval '1 hour' where id = $1`, [live])
  await goForward()
  expect(await workOf(live)).toEqual([{ ...due[0], attempts: 7, lease_until: null }])
  await rows('update charges set attempts = 0 where id = $1', [live])
})

test('of rows that were edited: a charge that waits without work is looked at now, and what waits for nothing has none', async () => {
  const due = await workOf(live)
  const add = (kind: string, id: string) =>
    rows(
      `insert into open_work (merchant_id, kind, id, due_at, attempts, lease_fence) values ($1, $2, $3, '2000-01-01', 9, 1)`,
      [service.merchant.merchantId, kind, id],
    )
  // Left there by an editor of the database, and gone before what there is to do is written.
  await add('charge', paid)
  await rows('update charges set attempts = null where id = $1', [unsaid])
  await goBack()
  expect([await openWork(paid), await openWork(unsaid)]).toEqual([[], []])
  await rows('delete from open_work where id = $1', [live])
  await rows('update open_work set attempts = -3 where id = $1', [minting])
  for (const id of [paid, 'txn_nothing']) await add('charge', id)
  await add('mail', live)
  await goForward()
  expect(await workOf(minting)).toMatchObject([{ attempts: 0 }])
  expect(await workOf(live)).toEqual([{ due_at: expect.any(Date), attempts: 0, lease_until: null }])
  expect(Number((await workOf(live))[0].due_at)).toBeLessThan(Number(due[0].due_at))
  expect(await workOf(paid)).toEqual([{ due_at: null, attempts: null, lease_until: null }])
  expect(await rows(`select id from open_work where kind = 'charge'`)).toEqual([])
  expect(await rows('delete from open_work where id = $1 returning kind', [live])).toEqual([{ kind: 'mail' }])
  await rows('update charges set work_due_at = $2 where id = $1', [live, due[0].due_at])
})

test('work that was carried is done', async () => {
  await goBack()
  const [{ reloptions }] = await rows(`select reloptions from pg_class where oid = 'charges'::regclass`)
  expect(reloptions).toBeNull()
  const indexes = await rows(
    `select pg_get_indexdef(indexrelid) as text from pg_index where indrelid = 'open_work'::regclass`,
  )
  expect(indexes.map(({ text }) => text.split('USING btree ')[1]).toSorted()).toEqual([
    '(kind, due_at) WHERE (attempts >= 0)',
    '(kind, merchant_id, due_at) WHERE (attempts >= 0)',
    '(merchant_id, kind, id)',
  ])
  await goForward()
  await service.clock.advance(2)
  await service.runJobs()
  expect(await rows('select status from charges where id = any ($1) order by status', [[unsaid, minting]])).toEqual([
    { status: 'awaiting_result' },
    { status: 'completed' },
  ])
  await service.clock.advance(86_400)
  await service.runJobs()
  expect(await rows('select status, failure_code from charges where id = $1', [live])).toEqual([
    { status: 'failed', failure_code: 'CREDENTIAL_LAPSED' },
  ])
})

test('there is no way back beside a later migration', async () => {
  await expectNoWayBackBesideLater()
})
