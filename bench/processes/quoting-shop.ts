import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serveTasks } from './tasks.ts'

export type ShopTask = Record<never, never>

/**
 * A shop that answers every request for a quote immediately, with the same prices: what is measured is not the shop.
 */
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { items = [] } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { items?: { variant_id: string }[] }
  const ref = request.url?.split('/').at(-1) ?? ''
  const lines = items.map(({ variant_id }) => ({
    ...{ product_id: 'mug', variant_id, title: 'Stoneware mug', quantity: 1, unit_price: '18.00', total: '18.00' },
  }))
  const totals = { items: '18.00', shipping: '4.95', tax: '1.15', discount: '0.00', total: '24.10' }
  const expires_at = new Date(Date.now() + 3_600_000).toISOString()
  const body = JSON.stringify({ ref, currency: 'USD', lines, ...totals, warnings: [], expires_at })
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body)
})

serveTasks<ShopTask, { url: string }>(async () => {
  if (!server.listening) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
})
