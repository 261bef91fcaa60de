import { dayOf } from '../../db/partitions.ts'
import { eventTime } from '../../events/ref.ts'
import { bodyOf } from '../../events/service.ts'
import type { DeliveryDeps } from './deps.ts'
import { findEvent } from './payload-store.ts'

interface EventRef {
  merchantId: string
  eventId: string
}

/**
 * The body of an event, the same bytes each time. Undefined: it is not kept any more. The feed keeps it as long as it
 * may be sent; the history of a replay goes on for longer than that.
 */
export async function findEventBody(
  { pool }: Pick<DeliveryDeps, 'pool'>,
  { merchantId, eventId }: EventRef,
): Promise<string | undefined> {
  const at = eventTime(eventId)
  const event = at && (await findEvent(pool, { merchantId, eventId, at, day: dayOf(at) }))
  return event && bodyOf(event)
}

/** The same of a delivery that may still be sent. */
export async function getEventBody(deps: Pick<DeliveryDeps, 'pool'>, ref: EventRef): Promise<string> {
  const body = await findEventBody(deps, ref)
  if (body === undefined) throw new Error('The event of a delivery that is to be sent is not kept any more.')
  return body
}
