import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { PUBLIC_AND_LOOPBACK, PUBLIC_ONLY } from './policy.ts'
import { send } from './send.ts'

// Guarantee: a request goes to the address that was checked, and what comes back is bounded and has a name.

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function listen(answer: RequestListener): Promise<string> {
  server = createServer(answer)
  const listening = server
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** As long as a test has: a busy machine is no server that says nothing. */
const PATIENT = { connectMillis: 300_000, totalMillis: 300_000 }
const post = (url: string, policy = PUBLIC_AND_LOOPBACK) =>
  send({
    ...{ url, method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' },
    policy: { ...policy, ...PATIENT },
  })

test('an answer comes back with its status, its Retry-After and its body', async () => {
  const url = await listen(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { host, connection, 'accept-encoding': encoding, 'content-type': type } = request.headers
    response.writeHead(503, { 'retry-after': '7' }).end(JSON.stringify({ body, host, connection, encoding, type }))
  })
  const outcome = await post(`${url}/hook?x=1`)
  expect(outcome).toMatchObject({ kind: 'answered', status: 503, headers: { retryAfter: '7' }, isComplete: true })
  if (outcome.kind !== 'answered') return
  expect(JSON.parse(outcome.body.toString())).toEqual({
    body: '{"a":1}',
    host: new URL(url).host,
    connection: 'close',
    encoding: 'identity',
    type: 'application/json',
  })
})

test('the same receiver is out of reach where only public addresses are allowed', async () => {
  let asked = 0
  const url = await listen((_request, response) => {
    asked += 1
    response.end()
  })
  const { port } = new URL(url)
  expect(await post(url, PUBLIC_ONLY)).toEqual({ kind: 'failed', category: 'forbidden_url', detail: 'SCHEME' })
  expect(await post(`https://127.0.0.1:${port}/`, PUBLIC_ONLY)).toMatchObject({ category: 'forbidden_url' })
  expect(await post('https://127.0.0.1/', PUBLIC_ONLY)).toMatchObject({ category: 'forbidden_address' })
  expect(asked).toBe(0)
})

test('what is encoded in a path stays encoded: no line of a request is the URL’s', async () => {
  const seen: unknown[] = []
  const url = await listen((request, response) => {
    seen.push(request.url, request.headers['x-evil'])
    response.end()
  })
  expect(await post(`${url}/a%0d%0aX-Evil:%201%0d%0a?b=%00%0a`)).toMatchObject({ kind: 'answered', status: 200 })
  expect(seen).toEqual(['/a%0d%0aX-Evil:%201%0d%0a?b=%00%0a', undefined])
})

test('without TLS only this machine is called, by an address or a name that is its own by definition', async () => {
  const refused = { kind: 'failed', category: 'forbidden_url', detail: 'SCHEME' }
  for (const host of ['example.com', 'localhost.example.com', 'localhost.', 'shop']) {
    expect(await post(`http://${host}/x`), host).toEqual(refused)
  }
  const url = await listen((_request, response) => response.end())
  const { port } = new URL(url)
  for (const host of ['127.0.0.1', 'localhost']) {
    expect(await post(`http://${host}:${port}/x`), host).toMatchObject({ kind: 'answered', status: 200 })
  }
})
