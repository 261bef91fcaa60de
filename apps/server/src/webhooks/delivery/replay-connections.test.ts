// Guarantee: a replay uses one connection of the pool: as many equal ones as there are connections, and more, stop no process.
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { atOnce, countBy } from '../../../test/flows.ts'
import { startTestService } from '../../../test/service.ts'
import { activeEndpoint, keyed, ON_THIS_MACHINE } from '../testing/endpoints.ts'

test('equal replays, more than there are connections, keep nobody waiting', async () => {
  const database = await createTestDatabase({ max: 2 })
  const { merchant, close } = await startTestService({ env: ON_THIS_MACHINE, database })
  const active = await activeEndpoint(merchant)
  try {
    const { body } = await merchant.post(`${active.path}/test`, { type: 'payment.succeeded', queued: true })
    const key = randomUUID()
    const replay = () => keyed(merchant, `/v1/webhook-deliveries/${body.delivery_id}/replay`, undefined, key)
    // Each that waits holds a connection; who is first has its own.
    expect(countBy(await atOnce(8, replay), ({ status }) => status)).toEqual({ 201: 8 })
  } finally {
    await active.receiver.close()
    await close()
    await database.close()
  }
})
