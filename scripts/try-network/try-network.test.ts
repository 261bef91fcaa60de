// Guarantee: the journeys that are tried at Stripe's test mode pass at the stand-in whole, a difference is shown, and a
// live key is refused before anything is asked.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { runJourneys } from '../../apps/server/src/network/stripe/testing/journeys.ts'
import { startStripeStandIn } from '../../apps/server/src/network/stripe/testing/stand-in.ts'
import { KEY } from '../../apps/server/src/network/stripe/testing/subject.ts'
import { PUBLIC_AND_LOOPBACK } from '../../apps/server/src/platform/egress/policy.ts'
import { secret } from '../../apps/server/src/platform/secret.ts'
import { createTestDatabase } from '../../apps/server/test/database.ts'
import { compare, hasDifference, tableOf } from './compare.ts'

const run = promisify(execFile)
const SCRIPT = fileURLToPath(new URL('../try-network.ts', import.meta.url))

test('the journeys at the stand-in, beside themselves and beside a provider that differs', async () => {
  const database = await createTestDatabase()
  const standIn = await startStripeStandIn()
  try {
    const access = { key: secret(KEY), apiUrl: standIn.url, policy: { ...PUBLIC_AND_LOOPBACK, bodyBytes: 1_048_576 } }
    const steps = await runJourneys({ pool: database.pool, access, currency: 'USD', patienceMillis: 0 })
    expect(steps.map(({ name, outcome }) => [name, outcome])).toEqual([
      ['enrol', 'ok'],
      ['mandate', 'ok'],
      ['charge', 'ok ok ok ok'],
      ['a payment above the limit', 'approved false'],
      ['a payment', 'approved true'],
      ['capture', 'authorized 4000, captured 4000, declined 4001'],
      ['refund', 'authorized 4000, captured 4000, declined 4001, refunded 1000'],
      ['part capture', 'authorized 4000, captured 1500, reversed 2500'],
      ['reversal', 'authorized 4000, reversed 4000'],
      ['lapse', 'released'],
      ['cancel', 'ok'],
      ['a payment behind the end', 'approved false'],
      ['the list of events', 'tells of the payments'],
      ['clean up', 'ok'],
    ])
    expect(standIn.books.cards().filter(({ status }) => status === 'active')).toEqual([])
    expect(hasDifference(compare(steps, steps))).toBe(false)
    const other = steps.map((step) =>
      step.name === 'reversal'
        ? { ...step, outcome: 'authorized 4000', shape: { ...step.shape, amount: 'string' } }
        : step,
    )
    const rows = compare(steps, other)
    expect(hasDifference(rows)).toBe(true)
    expect(tableOf(rows)).toMatch(/^x +reversal .+\n(?:.+\n)*reversal: amount: number, not string$/m)
  } finally {
    await standIn.close()
    await database.close()
  }
})

test.each([
  ['sk_live_000000', /live mode/],
  ['', /must be a secret or a restricted key/],
])('the key %s ends it', async (key, message) => {
  const tried = run(process.execPath, [SCRIPT, 'stripe'], { env: { ...process.env, STRIPE_TEST_KEY: key } })
  await expect(tried).rejects.toThrow(message)
})
