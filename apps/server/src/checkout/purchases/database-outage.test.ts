// Guarantee: a database that is away for minutes while a shop is asked costs a purchase nothing but time: what the shop did meanwhile is
// found out from the shop, and done once.
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { withAdmin } from '../../../test/database.ts'
import { AT_REST, approvedQuote, type Buying, booksOf, LONG_LEASE, settle, startBuying } from './testing/quoted.ts'

let buying: Buying
beforeAll(async () => {
  buying = await startBuying({ env: LONG_LEASE })
})
afterAll(() => buying?.service.close())
beforeEach(() => buying.renew())

/** On a connection to the server that is not to the service's own database. */
function administer(...statements: string[]): Promise<void> {
  return withAdmin(inject('testServer').admin, async (client) => {
    for (const statement of statements) await client.query(statement)
  })
}

/** The database lets no connection in, and the service's own are ended. */
const takeAway = () => {
  const { database } = buying.service.database.connection
  return administer(
    `alter database ${database} with allow_connections false`,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}' and application_name = 'mintmark'`,
  )
}
const giveBack = () =>
  administer(`alter database ${buying.service.database.connection.database} with allow_connections true`)

const CASES = {
  'while it prepares': ({ shop }, cut) => shop.on('prepare', cut),
  'when it was paid': ({ acquirer }, cut) => {
    acquirer.charge = async (request) => {
      const answer = await acquirer.real(request)
      await cut()
      return answer
    }
  },
  'while it is asked what became of it': ({ shop }, cut) => {
    shop.script('pay', 'lost_after', 'ok')
    shop.on('inquire', cut)
  },
} satisfies Record<string, (buying: Buying, cut: () => Promise<void>) => void>

test.each(Object.entries(CASES))('the database goes away: %s', async (_when, arrange) => {
  const { service } = buying
  const { id, chargeId } = await approvedQuote(buying)
  let cuts = 0
  arrange(buying, async () => {
    cuts += 1
    if (cuts === 1) await takeAway()
  })
  try {
    const job = service.job('purchases.buy')
    for (let round = 0; round < 6 && cuts === 0; round += 1) {
      await job.run().catch(() => undefined)
      await job.settled?.()
      if (cuts === 0) await service.clock.advance(6)
    }
    expect(cuts).toBe(1)
    // The worker goes on asking, and nothing comes of it.
    for (let round = 0; round < 3; round += 1) await expect(job.run()).rejects.toThrow()
  } finally {
    await giveBack()
  }
  await service.clock.advance(300)
  await settle(buying, id)
  expect(await booksOf(buying, chargeId)).toEqual(AT_REST.paid)
})
