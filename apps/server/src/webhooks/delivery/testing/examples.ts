import type { Pool } from 'pg'
import type { TestMerchant } from '../../../../test/service.ts'
import { dayOf } from '../../../db/partitions.ts'
import { newOrderedId } from '../../../platform/ids.ts'
import { addEndpoint } from './rows.ts'

interface Made {
  endpointId: string
  deliveryId: string
}

/** For the walk over all routes: a delivery of each merchant, whose event is a test. */
export function deliveryExamples(pool: Pool, { merchant, other }: Record<'merchant' | 'other', TestMerchant>) {
  let made: Promise<{ own: Made; theirs: Made }> | undefined
  const ids = () => {
    made ??= Promise.all([addDelivery(pool, merchant), addDelivery(pool, other)]).then(([own, theirs]) => ({
      own,
      theirs,
    }))
    return made
  }
  const nobodys: Made = { endpointId: 'we_nobodys', deliveryId: 'whd_nobodys' }
  const example = (name: keyof Made, body?: object) => async () => {
    const { own, theirs } = await ids()
    const parts = (of: Made) => ({ params: { [name]: of[name] }, ...(body && { body }) })
    return { own: parts(own), foreign: { theirs: parts(theirs), nobodys: parts(nobodys), status: 404 } }
  }
  return {
    listWebhookDeliveries: example('endpointId'),
    getWebhookDelivery: example('deliveryId'),
    replayWebhookDelivery: example('deliveryId'),
    recoverWebhookEndpoint: example('endpointId', { from: new Date().toISOString() }),
  }
}

async function addDelivery(pool: Pool, { merchantId }: TestMerchant): Promise<Made> {
  const at = new Date()
  const endpointId = await addEndpoint(pool, at, merchantId, 'https://shop.example/hooks', { place: 5 })
  const deliveryId = newOrderedId('delivery', at)
  await pool.query(
    `insert into webhook_deliveries (merchant_id, id, day, endpoint_id, revision, event_id, event_type, body, state, send_at,
       attempts, window_ends_at, created_at)
     values ($1, $2, $3, $4, 1, $5, 'payment.succeeded', '{"test":true}', 'queued', $6, 0, $6, $6)`,
    [merchantId, deliveryId, dayOf(at), endpointId, newOrderedId('event', at), at],
  )
  return { endpointId, deliveryId }
}
