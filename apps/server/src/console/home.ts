import type { Need } from '@mintmark/contract/console'
import { addSeconds } from '../platform/clock.ts'
import type { ConsoleCaller, ConsoleDeps } from './deps.ts'
import * as store from './payments-store.ts'
import { failuresOf, moneyByCurrency } from './rules.ts'

const DAY = 24 * 60 * 60
/** The network answers within seconds, or is asked again: what is open for longer waits for a person. */
const LONG_SECONDS = 60 * 60
const MAX_COUNTED = 10_000

/** What stands on the first screen. */
export async function home(deps: ConsoleDeps, { merchantId }: ConsoleCaller) {
  const { pool, clock, webhooks } = deps
  const at = clock.now()
  const times = { at, since: addSeconds(at, -DAY), longAgo: addSeconds(at, -LONG_SECONDS) }
  const [first, counted, endpoints] = await Promise.all([
    store.findFirst(pool, { merchantId }),
    store.countPayments(pool, { merchantId, most: MAX_COUNTED, ...times }),
    webhooks.list(merchantId),
  ])
  const sum = (pick: (row: (typeof counted)[number]) => number) => counted.reduce((all, row) => all + pick(row), 0)
  const ofTheDay = counted.filter(({ count }) => count > 0)
  const paused = endpoints.filter(({ incidentId }) => incidentId !== null)
  const unverified = endpoints.filter(({ verifiedAt }) => verifiedAt === null)
  const needs: { need: Need; count: number; id: string | null }[] = [
    { need: 'endpoint_paused', count: paused.length, id: paused[0]?.id ?? null },
    { need: 'endpoint_unverified', count: unverified.length, id: unverified[0]?.id ?? null },
    { need: 'report_overdue', count: sum((row) => row.overdueCount), id: null },
    { need: 'outcome_unknown', count: sum((row) => row.unknownCount), id: null },
  ]
  return {
    first,
    money: moneyByCurrency(ofTheDay),
    countedAll: sum((row) => row.count) < MAX_COUNTED,
    failures: failuresOf(ofTheDay),
    needs: needs.filter(({ count }) => count > 0),
  }
}
export type Home = Awaited<ReturnType<typeof home>>
