import { afterAll, beforeAll, beforeEach } from 'vitest'
import { answers } from '../../../../test/receivers/behaviours.ts'
import { type Receiver, startReceiver } from '../../../../test/receivers/receiver.ts'
import { forgetAllWork, makeWorkOfMerchantDue, workOfMerchant } from '../../../../test/rows/work.ts'
import { editEndpoint } from '../../testing/sealed.ts'
import { type Delivering, startDelivering } from './delivering.ts'

// For each test a merchant of its own with one endpoint, at a receiver and in a world that all tests of a file share.

export let world: Delivering
export let receiver: Receiver
export let merchantId: string
export let endpointId: string
/** What was said of incidents. */
export const told: string[] = []

/** Registers the hooks of a test file; what is exported beside it is of the test that runs. */
export function useOneEndpoint(): void {
  beforeAll(async () => {
    world = await startDelivering({
      incidentListeners: [
        async (_change, { incident: { reason, closedAt } }) =>
          void told.push(`${closedAt === null ? 'opened' : 'closed'} ${reason}`),
      ],
    })
    receiver = await startReceiver()
  })
  afterAll(async () => {
    await receiver?.close()
    await world?.close()
  })
  beforeEach(async () => {
    await forgetAllWork(world.pool)
    receiver.behave(answers(200))
    receiver.requests.length = 0
    told.length = 0
    merchantId = await world.addMerchant()
    endpointId = await world.addEndpoint(merchantId, receiver.url)
  })
}

export const own = () => `merchant_id = '${merchantId}'`
export const deliveries = () => world.rows('webhook_deliveries', `${own()} order by event_id`)
export const attempts = () => world.rows('webhook_attempts', `${own()} order by delivery_id, number`)
export const work = async () => (await workOfMerchant(world.pool, merchantId))[0]
export const endpoint = async () =>
  (await world.rows('webhook_endpoints', `${own()} and id = '${endpointId}'`))[0] ?? {}
export const incidents = () => world.rows('webhook_incidents', `${own()} order by opened_at`)
export const update = (set: string, id = endpointId) => editEndpoint(world.pool, id, set)
export const wakeUp = () => makeWorkOfMerchantDue(world.pool, merchantId, world.clock.now())
/** The pace of a merchant is not what these look at. */
export async function deliverAll(): Promise<void> {
  await world.deliver()
  for (let rounds = 0; rounds < 40; rounds += 1) {
    const open = await work()
    if (open === undefined || Number(open.due_at) > world.clock.now().getTime() + 1_500) return
    world.clock.advance(1.01)
    await world.deliver()
  }
}
