import { Type } from 'typebox'
import type { TestDatabase } from '../../../test/database.ts'
import { open } from '../credential.ts'
import { createDoor, type DoorOptions } from '../door.ts'
import { createReadiness, healthRoutes } from '../health.ts'
import { byAddress, limit } from '../limit.ts'
import { type Route, route } from '../route.ts'
import { countingLimiter, perShop, silentLog, startToyHost, toyKey } from './toy-host.ts'

export const PLACES = 2
/** Longer than a test has. */
export const FOREVER_MILLIS = 600_000

const anyone = limit<null>('anyone', {
  points: 100_000,
  windowSeconds: 60,
  withoutStore: 'pass',
  by: byAddress,
  meaning: 'Toys.',
  countedBy: 'address',
})

/** A host with rows whose handler is given, and the health checks. */
export async function hostWith(
  database: TestDatabase,
  handler: () => Promise<unknown>,
  deadlineMillis = FOREVER_MILLIS,
  limiter = countingLimiter(),
  options: Partial<DoorOptions> = { waiting: 0 },
) {
  const warnings: string[] = []
  const log = { ...silentLog(), warn: (message: string) => warnings.push(message) }
  // Its clock stands still unless a test moves it: on a busy machine no request is slow, and no wait is over.
  // Toys are open to everybody, who may take all places.
  const patient = { places: PLACES, strangersShare: 1, deadlineMillis, monotonicMillis: () => 0 }
  const door = createDoor({ ...patient, log: log as never, ...options })
  const work = {
    method: 'POST',
    summary: 'Work',
    tag: 'Work',
    auth: open('A toy.'),
    limit: anyone,
    body: Type.Object({}),
    status: 200,
    response: Type.Object({ ok: Type.Boolean() }),
    errors: [],
    handler: async () => {
      await handler()
      return { ok: true }
    },
  } as const
  const { body: _, ...bodiless } = work
  const rows = [
    route({ ...work, path: '/work', operationId: 'work' }),
    route({ ...work, path: '/begin', operationId: 'begin', begins: true }),
    route({ ...work, path: '/go-on', operationId: 'goOn', auth: [toyKey], limit: perShop, goesOn: true }),
    route({ ...bodiless, method: 'GET', path: '/look', operationId: 'look' }),
  ]
  const readiness = createReadiness({
    connection: database.connection,
    pool: database.pool,
    failingJobs: () => [],
    pingMillis: FOREVER_MILLIS,
  })
  const routes: Route[] = [...rows, ...healthRoutes(readiness)]
  const host = await startToyHost({ routes, door, limiter, onClose: readiness.close })
  const post = (path = '/work') => fetch(host.baseUrl + path, { method: 'POST', body: '{}', headers: JSON_TYPE })
  return { ...host, door, post, warnings }
}
export const JSON_TYPE = { 'content-type': 'application/json' }
