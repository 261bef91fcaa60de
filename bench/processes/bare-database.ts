import { randomBytes } from 'node:crypto'
import type { PoolClient } from 'pg'
import { type Connection, createPool } from '../../apps/server/src/db/pool.ts'
import { newId } from '../../apps/server/src/platform/ids.ts'
import { secret } from '../../apps/server/src/platform/secret.ts'
import { type NewPayment, newPayment } from '../../apps/server/src/sessions/create.ts'
import { newLaunch } from '../../apps/server/src/sessions/launch.ts'
import { fromWireCreate } from '../../apps/server/src/sessions/purchase.ts'
import { findPayment, insertPlainPayment } from '../../apps/server/src/sessions/store.ts'
import { SESSION_BODY } from '../workload.ts'
import { serveTasks } from './tasks.ts'

/** The statements of one operation, as the service's own functions send them. */
export type DatabaseWork =
  | { readonly kind: 'create'; readonly merchantId: string }
  | { readonly kind: 'find'; readonly merchantId: string; readonly sessionIds: readonly string[] }

export interface DatabaseTask {
  readonly connection: Connection
  readonly work: DatabaseWork
  readonly seconds: number
  readonly connections: number
}

export interface DatabaseAnswer {
  readonly perSecond: number
  readonly cpuMicros: number
}

/** Sessions made before the clock starts; more are made on the way when the database is faster than that. */
const PREPARED_PER_SECOND = 6_000

/**
 * The ceiling of the database: as many clients as the service has callers, each asking again immediately. No HTTP, no
 * logic.
 */
serveTasks<DatabaseTask, DatabaseAnswer>(async ({ connection, work, seconds, connections }) => {
  const pool = createPool({ connection, max: connections, log: { warn: () => undefined } })
  try {
    const clients = await Promise.all(Array.from({ length: connections }, () => pool.connect()))
    const step = stepOf(work, seconds)
    // Every connection prepares the statement before it counts.
    await Promise.all(clients.map(step))
    const startedAt = performance.now()
    const endsAt = startedAt + seconds * 1000
    const cpu = process.cpuUsage()
    let done = 0
    const loop = async (client: PoolClient) => {
      while (performance.now() < endsAt) {
        await step(client)
        done += 1
      }
    }
    await Promise.all(clients.map(loop))
    const perSecond = done / ((performance.now() - startedAt) / 1000)
    const { user, system } = process.cpuUsage(cpu)
    for (const client of clients) client.release()
    return { perSecond, cpuMicros: (user + system) / done }
  } finally {
    await pool.end()
  }
})

function stepOf(work: DatabaseWork, seconds: number): (client: PoolClient) => Promise<void> {
  let next = 0
  if (work.kind === 'create') {
    const prepared = Array.from({ length: Math.ceil(PREPARED_PER_SECOND * seconds) }, () => paymentOf(work.merchantId))
    return async (client) => {
      const created = await insertPlainPayment(client, prepared[next++] ?? paymentOf(work.merchantId))
      if (created === undefined) throw new Error('The database refused a session.')
    }
  }
  const { merchantId, sessionIds } = work
  return async (client) => {
    const sessionId = sessionIds[next++ % sessionIds.length] ?? ''
    if ((await findPayment(client, { merchantId, sessionId })) === undefined) throw new Error('A session is missing.')
  }
}

const DEPS = { launchSecretsKey: secret(randomBytes(32)), lifetimeSeconds: 86_400 }

/** What the service would store for the benchmark's request body, made by the service's own code. */
function paymentOf(merchantId: string): NewPayment {
  const at = new Date()
  const request = fromWireCreate({ ...JSON.parse(SESSION_BODY), user_id: newId('customer') })
  if (request.mode !== 'custom') throw new Error('The benchmark buys by custom checkout.')
  return newPayment(DEPS, merchantId, request.purchase, newLaunch(), at)
}
