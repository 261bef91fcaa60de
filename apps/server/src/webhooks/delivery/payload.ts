import { dayOf } from '../../db/partitions.ts'
import { eventTime } from '../../events/ref.ts'
import { bodyOf } from '../../events/service.ts'
import type { DeliveryDeps } from './deps.ts'
import { findEvent } from './payload-store.ts'

/** The body of an event, the same bytes each time. The feed keeps them longer than a delivery may need them. */
export async function findEventBody(
  { pool }: Pick<DeliveryDeps, 'pool'>,
  { merchantId, eventId }: { merchantId: string; eventId: string },
): Promise<string> {
  const at = eventTime(eventId)
  const event = at && (await findEvent(pool, { merchantId, eventId, at, day: dayOf(at) }))
  if (event === undefined) throw new Error('The event of a delivery is not kept any more.')
  return bodyOf(event)
}
