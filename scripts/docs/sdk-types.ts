import type { Page } from './markdown.ts'
import { sdkApiTypes } from './sdk-api.ts'
import { sdkEventTypes } from './sdk-events.ts'

/** The files of the SDK that are types alone. They are not committed: what they are made from is. */
export function sdkTypes(): Page[] {
  return [sdkApiTypes(), sdkEventTypes()]
}
