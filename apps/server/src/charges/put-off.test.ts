// Guarantee: a charge whose card was made is looked at when the card lapses, and not before, however often workers look
// for what is due; and no step between its opening and its end moves what is indexed.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dbRow } from '../../test/flows.ts'
import { PATIENT, startTestService, type TestService } from '../../test/service.ts'
import { newOwner } from '../mandates/testing/standing.ts'
import { addSeconds } from '../platform/clock.ts'
import { charge, chargeable, livingFor, reportCharge } from './testing/standing.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ env: PATIENT })
})
afterAll(() => service?.close())

const charged = async (mandateId: string): Promise<string> =>
  (await charge(service.merchant, mandateId, livingFor(30))).body.transactionId
const rowOf = (id: string) =>
  dbRow(service, 'select status, work_due_at, lease_until, lapses_at, attempts from charges where id = $1', [id])
const putOff = async () => (await service.job('charges.put_off_waiting').run()).taken
const reconcile = async () => (await service.job('charges.reconcile').run()).taken

test('it is put off once, when the lease of its mint would have ended, and taken when it lapses', async () => {
  const id = await charged(await chargeable(service, await newOwner(service)))
  const made = await rowOf(id)
  expect(made).toMatchObject({ status: 'awaiting_result', lease_until: null, attempts: 0 })
  expect(made.work_due_at.getTime()).toBeLessThan(made.lapses_at.getTime())
  expect(await putOff()).toBe(0)
  await service.clock.advance(61)
  expect(await reconcile()).toBe(0)
  expect(await putOff()).toBe(1)
  expect((await rowOf(id)).work_due_at).toEqual(made.lapses_at)
  expect([await putOff(), await reconcile()]).toEqual([0, 0])
  await service.clock.advance(30 * 60)
  expect(await reconcile()).toBe(1)
})

test('each that waits is put off once, for every merchant, also by many at the same moment', async () => {
  const other = await service.addMerchant()
  const theirs = await chargeable(service, await newOwner(service, other))
  const mine = await chargeable(service, await newOwner(service))
  for (let made = 0; made < 3; made += 1) await charged(mine)
  await charge(other, theirs, livingFor(30))
  await service.clock.advance(61)
  const moved = await Promise.all(Array.from({ length: 8 }, putOff))
  expect(moved.reduce((sum, one) => sum + one, 0)).toBe(4)
})

test('reported before that: nothing that is indexed has changed until its end', async () => {
  const mandateId = await chargeable(service, await newOwner(service))
  const id = await charged(mandateId)
  const { work_due_at: due } = await rowOf(id)
  await service.pool.query(`
    create table due_times (id text, at timestamptz);
    create function note_due() returns trigger language plpgsql as
      $$ begin insert into due_times values (new.id, new.work_due_at); return null; end $$;
    create trigger noted after update on charges for each row execute function note_due()`)
  await reportCharge(service.merchant, mandateId, id)
  const { rows } = await service.pool.query('select at from due_times where id = $1', [id])
  expect(rows.map(({ at }) => at)).toEqual([due, null])
})

test('what was postponed meanwhile is asked again, and not put off', async () => {
  const mandateId = await chargeable(service, await newOwner(service))
  const id = await charged(mandateId)
  const now = service.clock.now()
  await service.pool.query(
    `update charges set status = 'minting', credential_sealed = null, credential_key_id = null, lapses_at = null,
       work_due_at = $2, attempts = 3 where id = $1`,
    [id, addSeconds(now, -1)],
  )
  expect(await putOff()).toBe(0)
  expect(await reconcile()).toBe(1)
})
