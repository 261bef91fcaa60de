// Guarantee: a credential that the network minted and will tell no caller again is never minted a second time: the
// charge has failed, and what it took counts as spent, as it does at the network.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../test/service.ts'
import { newOwner, type Owner } from '../mandates/testing/standing.ts'
import { charge, chargeable, tally } from './testing/standing.ts'

let service: TestService
let owner: Owner
const mints: string[] = []
beforeAll(async () => {
  service = await startTestService({
    createNetwork: (own) => ({
      ...own,
      async mint({ chargeId }) {
        mints.push(chargeId)
        return { outcome: 'unknown', cause: 'timeout' }
      },
      inquire: async () => ({ outcome: 'ok', value: { state: 'lost' } }),
    }),
  })
  owner = await newOwner(service)
})
afterAll(() => service?.close())

test('the charge fails, its amount stays spent, and it is minted once', async () => {
  const { merchant } = service
  const mandateId = await chargeable(service, owner)
  const remaining = async () => (await merchant.get(`/v1/mandates/${mandateId}`)).body.remaining
  const [before, earlier] = [await remaining(), mints.length]
  const asked = charge(merchant, mandateId, { reference: 'lost-1' })
  await expect
    .poll(
      async () => {
        await service.runJobs()
        return remaining()
      },
      { timeout: 20_000 },
    )
    .not.toEqual(before)
  await asked
  await service.runJobs()
  const again = await charge(merchant, mandateId, { reference: 'lost-2' })
  const { service: own, charges } = await tally(service, mandateId)
  expect([again.status, own.count, charges.count]).toEqual([200, 2, 0])
  expect(mints.length - earlier).toBe(2)
})
