import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newId } from '../../platform/ids.ts'
import { secret } from '../../platform/secret.ts'
import { newVirtualNumber } from './card-number.ts'
import { okValue, startTestNetwork, type TestNetwork } from './testing/test-network.ts'

vi.mock(import('./card-number.ts'), async (load) => {
  const actual = await load()
  return { ...actual, newVirtualNumber: vi.fn(actual.newVirtualNumber) }
})

let fixture: TestNetwork
beforeAll(async () => {
  fixture = await startTestNetwork()
})
afterAll(() => fixture.close())

test('a number that is in use is drawn again, and the allowance is taken once', async () => {
  const charge = await fixture.charge('success', { maxCharges: 2 })
  const first = okValue(await fixture.network.mint(charge))
  vi.mocked(newVirtualNumber).mockReturnValueOnce(secret(first.token.reveal()))
  const second = okValue(await fixture.network.mint({ ...charge, chargeId: newId('charge') }))
  expect(second.token.reveal()).not.toBe(first.token.reveal())
})

test('a mint that failed half-way leaves nothing, and its charge id may be asked again', async () => {
  const charge = await fixture.charge('success', { maxCharges: 1 })
  vi.mocked(newVirtualNumber).mockImplementationOnce(() => {
    throw new Error('No number.')
  })
  expect(await fixture.network.mint(charge)).toEqual({ outcome: 'unknown', cause: 'failed' })
  expect(okValue(await fixture.network.inquire(charge))).toEqual({ state: 'not_found' })
  expect((await fixture.network.mint(charge)).outcome).toBe('ok')
})
