import type { EventResource } from '@mintmark/contract/wire/events'
import { pageOf } from '../ids.ts'

/** Where all of what an event is about stands; undefined: the console has no page of it yet. */
export function resourcePage(type: EventResource, id: string): string | undefined {
  return type === 'payment' || (type === 'session' && id.startsWith('sess_')) ? pageOf('payment', id) : undefined
}
