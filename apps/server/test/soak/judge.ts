import type { Pool } from 'pg'
import type { Receivers, Seen } from './receivers.ts'
import type { Account } from './service.ts'

/** What may not happen, and how often it did. */
export type Faults = Record<string, number>

/** A request that was claimed may leave this much later: a process that is stopped for longer sends nothing. */
const LATE_SECONDS = 2.5
const WINDOW_SECONDS = 3
const CLAIMS_A_SECOND = 5
/** Claims that an arrival within the window may stem from: those of the window, and of as long before it as one may be late. */
const MAX_IN_WINDOW = CLAIMS_A_SECOND * (WINDOW_SECONDS + LATE_SECONDS + 1)
const MAX_ATTEMPTS = 9

/** Compares what the receivers saw with what the feed says. */
export async function judge(
  pool: Pool,
  { seen, forged }: Receivers,
  accounts: readonly Account[],
  captured: readonly string[],
): Promise<{ faults: Faults; events: number; arrived: number; duplicates: number }> {
  const acknowledged = seen.filter((one) => one.acknowledged)
  const arrived = new Set(acknowledged.map(nameOf))
  const fed = (await Promise.all(accounts.map(readFeed))).flat()
  const known = new Set(fed.map(({ id }) => id))
  const wanted = fed.flatMap(({ account, id, type }) =>
    account.endpoints.filter(({ events }) => events.includes(type)).map((endpoint) => `${id} ${endpoint.id}`),
  )
  const expected = new Set(wanted)
  const { rows } = await pool.query<{ state: string; count: number }>(
    'select state, count(*)::int as count from webhook_deliveries group by state',
  )
  const faults = {
    'captured, not in the feed': captured.filter((id) => !known.has(id)).length,
    'lost on the way': wanted.filter((name) => !arrived.has(name)).length,
    'never asked for': [...arrived].filter((name) => !expected.has(name)).length,
    'not recorded as delivered': rows
      .filter(({ state }) => state !== 'delivered')
      .reduce((sum, { count }) => sum + count, 0),
    'with a bad signature': forged.length,
    ...pressure(seen),
  }
  return { faults, events: fed.length, arrived: wanted.length, duplicates: acknowledged.length - arrived.size }
}

/** Invariant I7, by the receivers' own clock. */
function pressure(seen: readonly Seen[]): Faults {
  const open = (one: Seen) => seen.filter(({ from, to }) => from <= one.from && one.from < to)
  const beside = (one: Seen, same: 'endpointId' | 'merchantId') =>
    open(one).filter((other) => other[same] === one[same])
  const tries = Map.groupBy(seen, ({ deliveryId }) => deliveryId)
  return {
    'more than one request at an endpoint': seen.filter((one) => beside(one, 'endpointId').length > 1).length,
    'more than two requests of an application': seen.filter((one) => beside(one, 'merchantId').length > 2).length,
    'more than five claims a second': [...Map.groupBy(seen, ({ merchantId }) => merchantId).values()].filter(isTooFast)
      .length,
    'more than nine attempts': [...tries.values()].filter(({ length }) => length > MAX_ATTEMPTS).length,
  }
}

function isTooFast(requests: readonly Seen[]): boolean {
  const starts = requests.map(({ from }) => from).sort((one, other) => one - other)
  return starts.some((start, index) => {
    const end = starts[index + MAX_IN_WINDOW]
    return end !== undefined && end - start < WINDOW_SECONDS * 1000
  })
}

interface Fed {
  account: Account
  id: string
  type: string
}

/** The feed of an account, as any reader pages through it. */
async function readFeed(account: Account): Promise<Fed[]> {
  const fed: Fed[] = []
  for (let cursor = '0'; ; ) {
    const page = (await account.call('GET', `/v1/events?limit=100&cursor=${cursor}`)) as unknown as {
      data: { id: string; type: string }[]
      next_cursor: string | null
    }
    fed.push(...page.data.map(({ id, type }) => ({ account, id, type })))
    if (page.next_cursor === null) return fed
    cursor = page.next_cursor
  }
}

function nameOf({ eventId, endpointId }: Seen): string {
  return `${eventId} ${endpointId}`
}
