import { startDatabaseClock } from '../../src/db/clock.ts'
import { type Connection, createPool } from '../../src/db/pool.ts'
import { startLoops } from '../../src/jobs/loop.ts'
import { startWakes } from '../../src/jobs/wake.ts'
import { newWebhookSecret } from '../../src/merchants/api-keys.ts'
import { PUBLIC_AND_LOOPBACK } from '../../src/platform/egress/policy.ts'
import { send } from '../../src/platform/egress/send.ts'
import { createLog } from '../../src/platform/log.ts'
import { deliverJob } from '../../src/webhooks/delivery/jobs.ts'

// One worker of the soak: it delivers until it is killed. Its argument is the connection, as JSON.

const connection = JSON.parse(process.argv[2] ?? '{}') as Connection
const log = createLog({ level: 'error' })
const pool = createPool({ connection, max: 5, log })
const clock = await startDatabaseClock(pool)
const secrets = [newWebhookSecret()]
const refuse = () => {
  throw new Error('No delivery captures an event.')
}
const job = deliverJob({
  pool,
  clock,
  log,
  events: { prepare: refuse, append: refuse },
  leaseSeconds: 3,
  isOn: true,
  headerPrefix: 'Mintmark',
  incidentListeners: [],
  send: (request) => send({ ...request, method: 'POST', policy: PUBLIC_AND_LOOPBACK }),
  openSecrets: async () => secrets,
})
const wakes = startWakes({ pool, connection, log, refreshClock: clock.refresh })
startLoops([job], { log, clock, wakes })
// It ends with the process that started it.
process.stdin.on('close', () => process.exit(1)).resume()
