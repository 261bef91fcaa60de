import { bound } from '../../platform/bound.ts'
import type { DeliveryDeps } from './deps.ts'
import { sendAlone } from './direct.ts'
import { find, list } from './history.ts'
import { makePages, recover } from './recover.ts'
import { insertTest, replay } from './replay.ts'

export type { DeliveryDeps } from './deps.ts'
export { onNumbered } from './fan-out.ts'

/** What becomes of events on their way to the endpoints of merchants. */
export const createDeliveryService = (deps: DeliveryDeps) =>
  bound(deps, { list, find, replay, recover, insertTest, sendAlone, makePages })
export type DeliveryService = ReturnType<typeof createDeliveryService>
