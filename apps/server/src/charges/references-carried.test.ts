import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../test/service.ts'
import { newOwner } from '../mandates/testing/standing.ts'
import { carrying } from './testing/carried.ts'
import { charge, chargeable, outcomeOf, reportCharge } from './testing/charge.ts'

// Guarantee: migration 0052 carries the references of charges from their table into their rows, and has a way back.

let service: TestService
let mandateId: string
let otherId: string
const make = (reference: string, amount = '1.00') => charge(service.merchant, mandateId, { reference, amount })
const decline = async (reference: string) =>
  reportCharge(service.merchant, mandateId, (await make(reference)).body.transactionId, 'DECLINED')

beforeAll(async () => {
  service = await startTestService()
  const owner = await newOwner(service)
  mandateId = await chargeable(service, owner)
  otherId = await chargeable(service, owner)
  await reportCharge(service.merchant, mandateId, (await make('paid')).body.transactionId)
  // Two failed charges with one reference.
  await decline('declined')
  await decline('declined')
  await decline('again')
  expect(outcomeOf(await make('again'))).toBe('awaiting_result')
  expect(outcomeOf(await make('beyond', '1000.00'))).toBe('THRESHOLD_EXCEEDED')
  expect(outcomeOf(await charge(service.merchant, mandateId, { amount: '1.00' }))).toBe('awaiting_result')
})
afterAll(() => service?.close())

const { rows, goForward, goBack, expectNoWayBackBesideLater } = carrying(() => service, '0052_references_of_charges')
const charges = () => rows('select * from charges order by id')
const holders = () =>
  rows('select reference, id from charges where reference is not null and not reference_freed order by reference')

test('the table of before names who holds a reference; the way forward leaves each row as it was', async () => {
  const [before, held] = [await charges(), await holders()]
  expect(held.map(({ reference }) => reference)).toEqual(['again', 'paid'])
  await goBack()
  expect(await rows('select reference, charge_id as id from charge_references order by reference')).toEqual(held)
  await expect(rows('insert into charge_references select * from charge_references')).rejects.toThrow('pkey')
  await goForward()
  expect(await charges()).toEqual(before)
  expect((await make('paid')).body).toMatchObject({ status: 'completed' })
  expect((await make('again')).body).toMatchObject({ status: 'awaiting_result', deduplicated: true })
})

test.each<[string, string, readonly string[]]>([
  [
    'a charge without a reference got one that another holds',
    `reference = 'paid' where reference is null`,
    ['again', 'paid'],
  ],
  ['a charge got the reference that another holds', `reference = 'paid' where reference = 'again'`, ['paid']],
  ['a charge was moved to another mandate', `standing_mandate_id = $2 where reference = 'paid'`, ['again']],
])('rows that were edited do not keep it from being applied: %s', async (_how, edit, held) => {
  const before = await charges()
  await goBack()
  await rows(
    `insert into charge_references select merchant_id, $1, 'nothing', 'txn_nothing' from charge_references limit 1`,
    [otherId],
  )
  await rows(
    `update charges set ${edit} and standing_mandate_id = $1`,
    edit.includes('$2') ? [mandateId, otherId] : [mandateId],
  )
  await goForward()
  expect((await holders()).map(({ reference }) => reference)).toEqual(held)
  for (const { id, reference, reference_freed, standing_mandate_id } of before) {
    await rows('update charges set reference = $2, reference_freed = $3, standing_mandate_id = $4 where id = $1', [
      ...[id, reference, reference_freed, standing_mandate_id],
    ])
  }
})

test('a charge of a checkout that was given a reference by hand does not keep anybody from going back', async () => {
  const ofCheckouts = 'where standing_mandate_id is null'
  expect(await rows(`update charges set reference = 'mine' ${ofCheckouts} returning 1`)).not.toEqual([])
  await goBack()
  expect(await rows('select reference from charge_references order by 1')).toEqual([
    { reference: 'again' },
    { reference: 'paid' },
  ])
  await goForward()
  await rows(`update charges set reference = null, reference_freed = false ${ofCheckouts}`)
})

test('there is no way back beside a later migration', async () => {
  await expectNoWayBackBesideLater()
  expect(await holders()).toHaveLength(2)
})
