// Guarantee: a reader that saves the cursor after each page misses no event, whatever fails in between, and its key
// goes to the service alone.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type EventPage, events, type FeedOptions, type MintmarkEvent, type RetryNotice } from './index.ts'

/** A feed as the service's: no cursor for a page that is not full, and cursors that stay good. */
const feed: string[] = []
/** Answers that come before those of the feed. */
let failures: ((request: IncomingMessage, response: ServerResponse) => void)[] = []
let requests: IncomingMessage[] = []
const server = createServer((request, response) => {
  requests.push(request)
  const failure = failures.shift()
  if (failure !== undefined) return failure(request, response)
  const query = new URL(request.url ?? '', 'http://x').searchParams
  const [after, limit] = [Number(query.get('cursor')), Number(query.get('limit') ?? 50)]
  const ids = feed.slice(after, after + limit)
  const next_cursor = ids.length === limit ? String(after + limit) : null
  response.end(JSON.stringify({ data: ids.map((id) => ({ id })), next_cursor }))
})
let options: FeedOptions
beforeEach(async () => {
  feed.length = 0
  ;[failures, requests] = [[], []]
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  options = { apiUrl: `http://127.0.0.1:${port}/`, secretKey: 'sk_test_1', limit: 2, backoffMillis: 1, pollMillis: 5 }
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const ids = (page: EventPage | undefined) => page?.events.map(({ id }) => id)
async function all(changes: Partial<FeedOptions> = {}): Promise<EventPage[]> {
  const pages: EventPage[] = []
  for await (const page of events({ ...options, ...changes })) pages.push(page)
  return pages
}
const answer =
  (status: number, headers: Record<string, string> = {}, body = '{"error":{"code":"X_1","message":"No."}}') =>
  (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, { 'x-response-id': 'r-1', ...headers }).end(body)
  }

describe('pages', () => {
  test('come in order, with the cursor to save, until it is caught up', async () => {
    feed.push('a', 'b', 'c', 'd', 'e')
    const pages = await all()
    expect(pages.map((page) => [ids(page), page.cursor, page.caughtUp])).toEqual([
      [['a', 'b'], '2', false],
      [['c', 'd'], '4', false],
      [['e'], '4', true],
    ])
    expect(requests[0]?.headers.authorization).toBe('Bearer sk_test_1')
  })

  test('nothing is one empty page, with the cursor that was given', async () => {
    expect(await all()).toEqual([{ events: [], cursor: '0', caughtUp: true }])
    expect(await all({ cursor: '7' })).toEqual([{ events: [], cursor: '7', caughtUp: true }])
  })

  test('the last cursor stays good: what came meanwhile follows it, and the newest may come again', async () => {
    feed.push('a', 'b', 'c')
    const cursor = (await all()).at(-1)?.cursor ?? ''
    feed.push('d', 'e')
    expect((await all({ cursor })).map(ids)).toEqual([['c', 'd'], ['e']])
  })

  test('filters are sent as the API names them', async () => {
    const from = new Date('2026-11-01T00:00:00Z')
    await all({ type: 'card.deleted', resourceId: 'card_1', from, to: new Date('2026-11-02T00:00:00Z') })
    const { searchParams } = new URL(requests[0]?.url ?? '', 'http://x')
    expect(Object.fromEntries(searchParams)).toEqual({
      cursor: '0',
      type: 'card.deleted',
      resource_id: 'card_1',
      from: '2026-11-01T00:00:00.000Z',
      to: '2026-11-02T00:00:00.000Z',
      limit: '2',
    })
  })
})

test('a filter may leave pages empty that are not the last: the reader goes on behind them', async () => {
  const page = (data: object[], next_cursor: string | null) => answer(200, {}, JSON.stringify({ data, next_cursor }))
  failures = [page([], 'c1'), page([], 'c2'), page([{ id: 'a' }], 'c3'), page([], 'c4'), page([], null)]
  const pages = await all({ type: 'card.deleted' })
  expect(pages.map((one) => [ids(one), one.cursor, one.caughtUp])).toEqual([
    [['a'], 'c3', false],
    [[], 'c4', true],
  ])
  const cursors = requests.map(({ url }) => new URL(url ?? '', 'http://x').searchParams.get('cursor'))
  expect(cursors).toEqual(['0', 'c1', 'c2', 'c3', 'c4'])
})

test('a reader that dies at any point, and begins with the cursor it saved, misses nothing', async () => {
  for (let at = 0; at < 9; at += 1) feed.push(`e${at}`)
  for (let dies = 0; dies < 8; dies += 1) {
    const seen = new Set<string>()
    let [cursor, steps] = ['0', 0]
    const read = async () => {
      for await (const page of events({ ...options, cursor })) {
        for (const { id } of page.events) {
          if (steps++ === dies) return
          seen.add(id)
        }
        cursor = page.cursor
      }
    }
    await read()
    await read()
    expect([...seen]).toEqual(feed)
  }
})

test('following goes on after it caught up, gives each event once, and ends with the signal', async () => {
  feed.push('a', 'b', 'c')
  const controller = new AbortController()
  const seen: MintmarkEvent['id'][] = []
  let caughtUp = 0
  const reading = (async () => {
    for await (const page of events({ ...options, follow: true, signal: controller.signal })) {
      seen.push(...(ids(page) ?? []))
      if (page.caughtUp) caughtUp += 1
      if (seen.length < 8) feed.push(`n${seen.length}`)
      if (seen.length >= 8) controller.abort(new Error('Enough.'))
    }
  })()
  await expect(reading).rejects.toThrow('Enough.')
  expect(seen).toEqual(feed.slice(0, seen.length))
  expect(new Set(seen).size).toBe(seen.length)
  expect(caughtUp).toBeGreaterThan(0)
})

describe('a call that fails', () => {
  test.each([500, 502, 503, 504, 429])('with %i is repeated', async (status) => {
    feed.push('a')
    failures = [answer(status), answer(status, {}, '<html>')]
    const notices: RetryNotice[] = []
    expect((await all({ onRetry: (notice) => notices.push(notice) })).map(ids)).toEqual([['a']])
    expect(notices.map(({ attempt, status: seen }) => [attempt, seen])).toEqual([
      [1, status],
      [2, status],
    ])
  })

  test.each([
    ['in seconds', () => '60'],
    ['as a date', () => new Date(Date.now() + 60_000).toUTCString()],
  ])('waits as long as Retry-After says, %s', async (_name, value) => {
    failures = [answer(503, { 'retry-after': value() })]
    const controller = new AbortController()
    const waits: number[] = []
    const onRetry = ({ waitMillis }: RetryNotice) => {
      waits.push(waitMillis)
      controller.abort(new Error('Known.'))
    }
    await expect(all({ signal: controller.signal, onRetry })).rejects.toThrow('Known.')
    // A date has whole seconds, and some pass on a busy machine.
    expect(waits[0]).toBeGreaterThan(10_000)
    expect(waits[0]).toBeLessThanOrEqual(60_000)
  })

  test('with no answer is repeated; the pauses grow', async () => {
    feed.push('a')
    failures = Array.from({ length: 4 }, () => (request: IncomingMessage) => request.socket.destroy())
    const waits: number[] = []
    expect((await all({ onRetry: ({ waitMillis }) => waits.push(waitMillis) })).map(ids)).toEqual([['a']])
    expect(waits).toHaveLength(4)
    expect(waits[3]).toBeGreaterThan(2 * (waits[0] ?? 0))
  })

  test('is given up after the retries', async () => {
    failures = Array.from({ length: 3 }, () => answer(503))
    await expect(all({ retries: 2 })).rejects.toMatchObject({ status: 503, code: 'X_1', responseId: 'r-1' })
    expect(requests).toHaveLength(3)
  })

  test.each([400, 401, 403, 404])('with %i is not repeated', async (status) => {
    failures = [answer(status)]
    await expect(all()).rejects.toMatchObject({
      name: 'MintmarkApiError',
      status,
      message: expect.stringContaining(`answered ${status} X_1: No.`),
    })
    expect(requests).toHaveLength(1)
  })

  test('says of each field what is wrong with it', async () => {
    const details = {
      cursor: 'must be 0, or a next_cursor of this account',
      limit: 'must be a whole number from 1 to 100',
    }
    const message = 'The request is not valid: cursor, limit.'
    failures = [answer(400, {}, JSON.stringify({ error: { code: 'VAL_2001', message, details } }))]
    await expect(all()).rejects.toMatchObject({
      details,
      message: expect.stringMatching(
        /400 VAL_2001: The request is not valid: cursor, limit\. cursor must be 0, .+\. limit must be .+\.$/,
      ),
    })
    for (const error of [{ code: 'X' }, { code: 'X', details: 'text' }, { code: 'X', details: { a: 1 } }]) {
      failures = [answer(400, {}, JSON.stringify({ error }))]
      await expect(all()).rejects.toMatchObject({ details: {} })
    }
  })

  test('a redirect is not followed: the key stays with the service', async () => {
    failures = [answer(302, { location: '/elsewhere' })]
    await expect(all()).rejects.toMatchObject({ status: 302 })
    expect(requests).toHaveLength(1)
  })

  test.each(['{"data":{}}', '{"data":[]}', 'null', '<html>'])(
    'an answer that is no page is named: %s',
    async (body) => {
      failures = [answer(200, {}, body)]
      await expect(all()).rejects.toThrow(/main API/)
      expect(requests).toHaveLength(1)
    },
  )

  test('an answer that breaks off is repeated', async () => {
    feed.push('a')
    failures = [
      (_request, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"data":[')
        setTimeout(() => response.destroy(), 20)
      },
    ]
    expect((await all()).map(ids)).toEqual([['a']])
  })

  test('no server there: the error says where, and never the key', async () => {
    const apiUrl = 'http://127.0.0.1:9'
    const failed = await all({ apiUrl, retries: 0 }).catch((error: unknown) => error)
    expect(failed).toMatchObject({ status: null, message: expect.stringContaining(apiUrl) })
    expect(JSON.stringify(failed) + String(failed)).not.toContain('sk_test_1')
  })

  const KEY = 'sk_test_of_the_tests'
  test.each<[string, Partial<FeedOptions>, RegExp]>([
    ['a key of two lines', { secretKey: `${KEY}\n${KEY}` }, /^secretKey is no secret key/],
    ['a key with a sign that no header has', { secretKey: `${KEY}…` }, /^secretKey is no secret key/],
    ['no key', { secretKey: process.env.NOT_SET as string }, /^secretKey is no secret key.* environment variable/],
    ['an address without its scheme', { apiUrl: 'localhost:4000' }, /^apiUrl is no address.* http:\/\/localhost:4000/],
    ['an address with a password', { apiUrl: `http://me:${KEY}@127.0.0.1:9` }, /^apiUrl is no address/],
    ['no address', { apiUrl: process.env.NOT_SET as string }, /^apiUrl is no address/],
    ['an address with a query', { apiUrl: 'http://127.0.0.1:9?a=1' }, /^apiUrl is no address/],
    ['a time that is a text', { from: '2026-11-20T00:00:00Z' as unknown as Date }, /^from is no time.* Date/],
    ['a time that does not exist', { to: new Date('tomorrow') }, /^to is no time/],
  ])('%s is said at once, without the value, and is not repeated', async (_name, changes, words) => {
    const notices: RetryNotice[] = []
    const onRetry = (notice: RetryNotice) => notices.push(notice)
    const failed = await all({ ...changes, onRetry }).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(TypeError)
    expect((failed as Error).message).toMatch(words)
    expect(inspect(failed)).not.toContain(KEY)
    expect([notices, requests]).toEqual([[], []])
  })

  test('an address may be a URL', async () => {
    feed.push('a')
    expect((await all({ apiUrl: new URL(String(options.apiUrl)) })).map(ids)).toEqual([['a']])
  })

  test('a number of retries that is none is none', async () => {
    failures = [answer(503), answer(503)]
    await expect(all({ retries: Number(process.env.NOT_SET) })).rejects.toMatchObject({ status: 503 })
    expect(requests).toHaveLength(1)
  })

  test('a port that no fetch asks is said to be one', async () => {
    await expect(all({ apiUrl: 'http://127.0.0.1:1', retries: 0 })).rejects.toThrow(/bad port/)
  })

  test('a line end behind the key is none of it', async () => {
    await all({ secretKey: 'sk_test_1\n' })
    expect(requests[0]?.headers.authorization).toBe('Bearer sk_test_1')
  })

  test('a signal ends a long pause', async () => {
    failures = [answer(503, { 'retry-after': '500' })]
    const controller = new AbortController()
    const reading = all({ signal: controller.signal, onRetry: () => controller.abort(new Error('Stop.')) })
    await expect(reading).rejects.toThrow('Stop.')
  })
})
