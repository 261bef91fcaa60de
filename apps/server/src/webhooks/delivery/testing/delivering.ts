import type { Pool } from 'pg'
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts'
import { CROWD_LIMITS, TEST_SEALS } from '../../../../test/service.ts'
import type { EventSink } from '../../../db/command.ts'
import { newWebhookSecret } from '../../../merchants/api-keys.ts'
import { PUBLIC_AND_LOOPBACK } from '../../../platform/egress/policy.ts'
import { send } from '../../../platform/egress/send.ts'
import { createLog } from '../../../platform/log.ts'
import type { Secret } from '../../../platform/secret.ts'
import { ManualClock } from '../../../platform/testing/manual-clock.ts'
import type { DeliveryDeps } from '../deps.ts'
import { deliverJob } from '../jobs.ts'
import { addEndpoint, addMerchant, publish } from './rows.ts'

/** Deliveries on a database of their own, without the rest of the service: endpoints and events are written as they are stored. */
export interface Delivering {
  database: TestDatabase
  pool: Pool
  clock: ManualClock
  deps: DeliveryDeps
  addMerchant(): Promise<string>
  addEndpoint(merchantId: string, url: string, changes?: Record<string, unknown>): Promise<string>
  /** Captures and numbers events, as the sequencer does. */
  publish(merchantId: string, count?: number, type?: string): Promise<string[]>
  /** Serves what is due until nothing is. */
  deliver(): Promise<void>
  rows(table: string, where?: string): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

const PATIENCE_MILLIS = 60_000
/** A busy machine must not look like a receiver that is silent, nor like a worker that was stopped. */
const PATIENT = { ...PUBLIC_AND_LOOPBACK, connectMillis: PATIENCE_MILLIS, totalMillis: PATIENCE_MILLIS }

export const SECRETS: readonly Secret[] = [newWebhookSecret()]
const NO_SINK: EventSink = {
  prepare: () => {
    throw new Error('No delivery captures an event.')
  },
  append: () => Promise.reject(new Error('No delivery captures an event.')),
}

export async function startDelivering(changes: Partial<DeliveryDeps> = {}): Promise<Delivering> {
  const database = await createTestDatabase({ max: 16, limits: CROWD_LIMITS })
  const { pool } = database
  const clock = new ManualClock()
  const deps: DeliveryDeps = {
    pool,
    clock,
    events: NO_SINK,
    log: createLog({ level: 'silent' }),
    seals: TEST_SEALS,
    leaseSeconds: 3,
    isOn: true,
    headerPrefix: 'Mintmark',
    send: ({ url, headers, body }) => send({ url, headers, body, method: 'POST', policy: PATIENT }),
    staleMillis: PATIENCE_MILLIS,
    openSecrets: async () => SECRETS,
    incidentListeners: [],
    ...changes,
  }
  const job = deliverJob(deps)
  return {
    database,
    pool,
    clock,
    deps,
    addMerchant: () => addMerchant(pool, deps.clock.now()),
    addEndpoint: (merchantId, url, more) => addEndpoint(pool, deps.clock.now(), merchantId, url, more),
    publish: (merchantId, count = 1, type = 'payment.succeeded') =>
      publish(pool, { merchantId, count, type, at: deps.clock.now() }),
    async deliver() {
      for (let taken = 1; taken > 0; ) {
        taken = (await job.run()).taken
        await job.settled?.()
      }
    },
    rows: async (table, where = 'true') => (await pool.query(`select * from ${table} where ${where}`)).rows,
    close: () => database.close(),
  }
}
