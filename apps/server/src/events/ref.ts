import { dayOf } from '../db/partitions.ts'
import { idTime, isOrderedId } from '../platform/ids.ts'

/** How others name an event. */
export interface EventRef {
  merchantId: string
  eventId: string
}

/** When an event was captured, which its id carries; undefined: it is not the id of an event. */
export function eventTime(id: string): Date | undefined {
  return isOrderedId('event', id) ? idTime('event', id) : undefined
}

/**
 * The value of `day` of an event: reading it by its id touches one partition. Undefined: it is not the id of an event.
 */
export function eventDay(id: string): string | undefined {
  const time = eventTime(id)
  return time && dayOf(time)
}
