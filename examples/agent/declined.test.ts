// Guarantee: an agent that waits takes the first failure of a session for its end (ADR 0089): what would be approved in
// it afterwards, with another card, it would never hear of.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { Owner } from './owner.ts'
import type { Shop } from './shop.ts'
import { shopping } from './shopping.ts'

let server: Server | undefined
afterEach(() => server?.close())

/** A service in which the mandate that is asked for fails, and would be allowed at the next look. */
async function serviceThatReopens() {
  const results = ['failed', 'pending', 'completed']
  const asked: string[] = []
  server = createServer((request, response) => {
    const path = `${request.method} ${new URL(request.url ?? '', 'http://localhost').pathname}`
    asked.push(path)
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answerTo(path, results)))
  }).listen(0, '127.0.0.1')
  await new Promise((listening) => server?.once('listening', listening))
  return { apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

function answerTo(path: string, results: string[]): object {
  if (path.endsWith('/links')) return { link_id: 'lk_1', link_url: 'http://127.0.0.1/links/lk_1' }
  if (path.includes('/links/')) return { link_id: 'lk_1', status: 'linked', agent_id: 'aa_1' }
  if (path.endsWith('/me')) return { owner: 'Ann', limits: [] }
  if (path.endsWith('/sessions/agent')) {
    return { session_id: 'sess_1', payment_url: 'http://127.0.0.1/s', mandate_id: 'mdt_1', approval: { sentence: '…' } }
  }
  return { session_id: 'sess_1', status: results.shift() ?? 'completed', transactions: [] }
}

test('it ends with the first failure, and asks no more', async () => {
  const { apiUrl, asked } = await serviceThatReopens()
  const nobody = async () => {}
  const owner: Owner = { link: nobody, approve: nobody, decide: nobody }
  const shop = { name: 'Sandbox Shop', url: 'https://sandbox-shop.example', country: 'US' } as Shop
  await expect(shopping({ apiUrl, owner, shop, say: () => {} })).rejects.toThrow('The mandate is failed.')
  expect(asked.filter((path) => path.startsWith('GET') && path.includes('sess_1'))).toHaveLength(1)
})
