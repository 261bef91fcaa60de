// Guarantee: an event that is there is found, on whichever page of the feed it is; and a connection that breaks is said
// to be one.
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { Terminal } from './terminal.ts'
import { trigger } from './trigger.ts'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

type Pages = (query: URLSearchParams, response: ServerResponse) => void

/** A service where a session can be created and revoked, and the feed is as it is told. */
async function run(pages: Pages): Promise<string[]> {
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    request.resume()
    if (pathname === '/v1/events') pages(searchParams, response)
    else response.end(JSON.stringify({ session_id: 'sess_1' }))
  })
  const listening = server
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  const lines: string[] = []
  const terminal: Terminal = {
    env: {
      MINTMARK_API_URL: `http://127.0.0.1:${(listening.address() as AddressInfo).port}`,
      MINTMARK_SECRET_KEY: 'sk_test_1',
    },
    say: (line) => lines.push(line),
    paint: (_style, text) => text,
    stopped: new AbortController().signal,
  }
  await trigger('session.revoked', terminal)
  return lines
}

test('goes on where an empty page of the feed leads', async () => {
  const asked: (string | null)[] = []
  const lines = await run((query, response) => {
    asked.push(query.get('cursor'))
    const found = query.get('cursor') === 'second'
    const next = { first: 'second' }[query.get('cursor') ?? ''] ?? 'first'
    const page = found ? { data: [{ id: 'evt_1' }], next_cursor: null } : { data: [], next_cursor: next }
    if (asked.length > 20) response.writeHead(503).end('{}')
    else response.end(JSON.stringify(page))
  })
  expect(lines.at(-1)).toBe('session.revoked  evt_1')
  expect(asked).toEqual([null, 'first', 'second'])
})

test('says that there was no answer when the connection breaks in the middle of one', async () => {
  const broken = run((_query, response) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('{', () => response.destroy())
  })
  await expect(broken).rejects.toThrow(/^No answer from http:\/\/127\.0\.0\.1:\d+ \(.+\)\. Start the service/)
})
