import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '@mintmark/embedded-postgres'
import { migrate } from '../apps/server/src/db/migrate.ts'
import { closePool, createPool } from '../apps/server/src/db/pool.ts'
import { checkKey } from '../apps/server/src/network/stripe/key.ts'
import { runJourneys } from '../apps/server/src/network/stripe/testing/journeys.ts'
import { startStripeStandIn } from '../apps/server/src/network/stripe/testing/stand-in.ts'
import { PUBLIC_AND_LOOPBACK } from '../apps/server/src/platform/egress/policy.ts'
import { secret } from '../apps/server/src/platform/secret.ts'
import { compare, hasDifference, tableOf } from './try-network/compare.ts'

// STRIPE_TEST_KEY=sk_test_… npm run try-network -- stripe
//
// The journeys of the adapter at Stripe's test mode, beside the same ones at the stand-in that the tests run against.
// Nothing but test data is made, and what is made is ended. Issuing has to be switched on in the dashboard of the key.

const [network = ''] = process.argv.slice(2)
if (network !== 'stripe') throw new Error('Which network? npm run try-network -- stripe')
const given = process.env.STRIPE_TEST_KEY
if (given === undefined) throw new Error('STRIPE_TEST_KEY is missing: a secret key of test mode, sk_test_…')
const key = secret(given)
// Refuses a live key before anything is asked.
checkKey(key, 'sandbox')
const apiUrl = process.env.STRIPE_API_URL ?? 'https://api.stripe.com'
const currency = (process.env.STRIPE_CURRENCY ?? 'USD') as 'USD'

const home = await mkdtemp(join(tmpdir(), 'mintmark-try-'))
const server = await startEmbedded({ home, settings: { fsync: 'off' } })
const pool = createPool({ connection: server.connection, log: { warn: console.warn } })
const standIn = await startStripeStandIn()
try {
  await migrate(pool)
  const policy = { ...PUBLIC_AND_LOOPBACK, bodyBytes: 4_194_304 }
  const run = (url: string, patienceMillis: number) =>
    runJourneys({ pool, currency, patienceMillis, access: { key, apiUrl: url, policy } })
  const [expected, found] = [await run(standIn.url, 0), await run(apiUrl, 20_000)]
  const rows = compare(expected, found)
  console.log(tableOf(rows))
  if (hasDifference(rows)) process.exitCode = 1
} finally {
  await standIn.close()
  await closePool(pool)
  await server.stop()
  await rm(home, { recursive: true, force: true })
}
