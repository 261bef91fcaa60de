// Guarantee: the catalog shows every product once, whatever the page, and only to who has the key.
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { FAILURES } from '../catalog/failures.ts'
import { PRODUCTS } from '../catalog/products.ts'
import { listen } from '../http/listen.ts'
import { startShop } from '../server.ts'
import { prepared, startTestShop, type TestShop } from '../testing/world.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await startTestShop()
})
afterAll(() => shop?.close())

describe('the catalog', () => {
  test.each([1, 7, 100])('pages of %i show every product once', async (limit) => {
    const seen: string[] = []
    let cursor = ''
    do {
      const page = (await shop.call('GET', `/api/products?limit=${limit}${cursor}`)).body
      seen.push(...page.products.map(({ id }: { id: string }) => id))
      cursor = page.next_cursor === undefined ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`
    } while (cursor !== '')
    expect(seen).toEqual(PRODUCTS.map(({ id }) => id))
    expect(new Set(seen).size).toBe(seen.length)
  })

  test('a search finds every word, in title, category or description, also across pages', async () => {
    const first = (await shop.call('GET', '/api/products?query=book%20books&limit=1')).body
    expect(first.products).toHaveLength(1)
    const all = (await shop.call('GET', '/api/products?query=LINEN%20shirt')).body
    expect(all.products.map(({ id }: { id: string }) => id)).toEqual(['linen-shirt'])
    expect((await shop.call('GET', '/api/products?query=no-such-thing')).body).toEqual({ products: [] })
  })

  test('a product has a price, variants, and a picture that the shop serves', async () => {
    const { body } = await shop.call('GET', '/api/products/linen-shirt')
    expect(body).toMatchObject({ id: 'linen-shirt', price: '78.00', currency: 'USD', category: 'Textiles' })
    expect(body.variants).toHaveLength(12)
    expect(body.variants[0]).toEqual({ id: 'linen-shirt.navy-s', title: 'Navy, S', price: '78.00', available: true })
    const picture = await fetch(body.image_url)
    expect(picture.headers.get('content-type')).toBe('image/svg+xml')
    expect(await picture.text()).toMatch(/^<svg/)
  })

  test('ids are unique, and of a form that fits in an address', () => {
    const ids = PRODUCTS.flatMap(({ id, variants }) => [id, ...variants.map((variant) => variant.id)])
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^[a-z0-9][a-z0-9.-]{1,60}$/)
  })

  test.each(['limit=0', 'limit=101', 'limit=x', 'cursor=xyz'])('%s is refused', async (query) => {
    expect(await shop.call('GET', `/api/products?${query}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request' } },
    })
  })

  test.each([
    ['no key', {}],
    ['another key', { authorization: 'Bearer wrong' }],
  ])('%s opens nothing', async (_what, headers) => {
    for (const path of ['/api/products', '/api/products/linen-shirt', '/api/quotes/a', '/api/nothing']) {
      const response = await fetch(shop.url + path, { headers })
      expect([path, response.status]).toEqual([path, 401])
    }
  })

  test('what is not there is not found, and what takes other methods says so', async () => {
    expect((await shop.call('GET', '/api/products/none')).status).toBe(404)
    expect((await shop.call('GET', '/api/nothing')).status).toBe(404)
    expect((await shop.call('DELETE', '/api/products')).status).toBe(405)
    expect((await fetch(`${shop.url}/pictures/none.svg`)).status).toBe(404)
  })
})

test('people see the catalog, and an order by its address; nothing on the pages comes from elsewhere', async () => {
  const page = await fetch(shop.url)
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
  const html = await page.text()
  for (const { id } of PRODUCTS) expect(html).toContain(`src="/pictures/${id}.svg"`)
  expect(html).toContain('Chef&#39;s knife')
  const { pay } = await prepared(shop, 'chef-knife.18-cm')
  const { order_id } = (await pay()).body
  const order = await (await fetch(`${shop.url}/orders/${order_id}`)).text()
  expect(order).toContain('1 × Chef&#39;s knife (18 cm)')
  expect(order).not.toContain('Lovelace')
  expect((await fetch(`${shop.url}/orders/ord_${'0'.repeat(24)}`)).status).toBe(404)
})

test('a page has its icon in it, and an address that leads nowhere is told to people in words', async () => {
  const page = await fetch(shop.url)
  expect(page.headers.get('content-security-policy')).toContain("img-src 'self' data:")
  expect(await page.text()).toContain('<link rel="icon" href="data:')
  const lost = await fetch(`${shop.url}/nothing`, { headers: { accept: 'text/html,*/*;q=0.8' } })
  expect([lost.status, lost.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(await lost.text()).toContain('There is nothing here')
  expect(await (await fetch(`${shop.url}/nothing`)).json()).toMatchObject({ error: { code: 'not_found' } })
})

test('what the shop did not foresee breaks the connection, and is said to whoever runs it', async () => {
  const defect = new Error('not foreseen')
  const said = vi.spyOn(console, 'error').mockReturnValue()
  const { url, close } = await listen(() => Promise.reject(defect), 0)
  await expect(fetch(`${url}/orders?secret=1`)).rejects.toThrow('fetch failed')
  expect(said.mock.calls).toEqual([['sandbox shop: GET /orders failed.', defect]])
  said.mockRestore()
  await close()
})

test('the README names every product that fails, in the words of the catalog', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  for (const { id, failure } of PRODUCTS) {
    if (failure !== undefined) expect(readme).toContain(`| \`${id}\` | ${FAILURES[failure]} |`)
  }
})

test('a shop without a key, which would let in everyone who shows none, does not open', async () => {
  const home = await mkdtemp(join(tmpdir(), 'mintmark-keyless-shop-'))
  const opened = startShop({ home, key: '', acquirer: { url: 'http://127.0.0.1:9', key: 'sk_test_1' } })
  await expect(opened).rejects.toThrow('SHOP_KEY')
  await opened.then((shop) => shop.close()).catch(() => {})
  await rm(home, { recursive: true, force: true })
})
