// Guarantee: the credential of a purchase is in the clear at its shop, and nowhere else: in no log line, no answer, no event and no
// column, whatever the shop and its adapter do.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { paymentResult } from '../../../test/flows.ts'
import { LeakScan, type Needle, needle } from '../../../test/leak-scan.ts'
import { keepLog } from '../../../test/logged.ts'
import type { PayRequest } from '../port.ts'
import { approvedQuote, type Buying, LONG_LEASE, settle, startBuying } from './testing/quoted.ts'

const { log, lines: logged } = keepLog('debug')
let buying: Buying
beforeAll(async () => {
  buying = await startBuying({ env: LONG_LEASE, log })
})
afterAll(() => buying?.service.close())

const needles: Needle[] = []
const answers: string[] = []

/** What the shop was handed, in one text, as an adapter without care would put it into its errors. */
function handed({ credential }: PayRequest): string {
  const [token, cvv] = [credential.token.reveal(), credential.dynamicCvv.reveal()]
  needles.push(needle('token', token), needle('cvv', cvv))
  return `${token} "${cvv}"`
}

test('what the shop is handed is found nowhere', async () => {
  const { service, shop, acquirer } = buying
  const watched = async (sessionId: string) =>
    void answers.push(JSON.stringify((await paymentResult(service.merchant, sessionId)).body))
  // One that is paid, read while its credential exists.
  acquirer.charge = (request) => {
    handed(request)
    return acquirer.real(request)
  }
  const paid = await approvedQuote(buying)
  shop.on('pay', () => watched(paid.id))
  answers.push(JSON.stringify(await settle(buying, paid.id)))
  // One whose adapter says all it knows in an error, and one whose shop says it in its order id.
  shop.reset()
  acquirer.charge = async (request) => {
    throw new Error(`The request was ${handed(request)}`)
  }
  const thrown = await approvedQuote(buying)
  await service.runJobs()
  await watched(thrown.id)
  acquirer.charge = async (request) => {
    shop.orderId = handed(request)
    return { approved: true, authorizationCode: handed(request) }
  }
  await service.clock.advance(31)
  answers.push(JSON.stringify(await settle(buying, thrown.id)))
  // One that is open, with its credential sealed.
  shop.script('pay', 'in_progress')
  const open = await approvedQuote(buying)
  await service.runJobs()
  await watched(open.id)

  expect(needles.length).toBeGreaterThan(4)
  const scan = new LeakScan(needles)
  for (const line of logged) scan.text('log', line)
  for (const answer of answers) scan.text('answer', answer)
  expect(await scan.database(service.pool)).toBeGreaterThan(500)
  // The simulated network is another company's system: it knows what it minted, by a keyed hash.
  expect([...scan.found]).toEqual([])
  expect(logged.join('')).toContain('payment-result')
})
