import type { EventSink } from '../command.ts'

/** For services that capture no event: one that is captured after all fails its command. */
export const NO_EVENTS: EventSink = {
  prepare: () => {
    throw new Error('An event was captured.')
  },
  append: () => Promise.reject(new Error('An event was captured.')),
}
