// Guarantee: a sandbox has its shop beside it, which comes back when it dies, forgets nothing, and never outlives the service.
import { execFileSync } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { walletCaller } from '../service.ts'
import { callerOf, eventually, freePorts, type Program, preparedHome, readDevFile, startProgram } from './program.ts'

const SHOP = 'sandbox-shop/server.ts'
const QUOTE = '/api/quotes/qte_1'
const BASKET = { items: [{ variant_id: 'stoneware-mug.oat', quantity: 2 }] }

interface ShopCaller {
  program: Program
  home: string
  port: number
}

async function start(home: string, env: Record<string, string> = {}): Promise<ShopCaller> {
  const port = await freePorts()
  const program = startProgram(['all'], {
    home,
    port,
    env: {
      SANDBOX_SHOP: 'on',
      SANDBOX_SHOP_PORT: String(port + 5),
      SHOP_TIMEOUT_MS: '8000',
      LOG_LEVEL: 'warn',
      ...env,
    },
  })
  await program.ready()
  return { program, home, port: port + 5 }
}

async function ask({ home, port }: ShopCaller, path: string, body?: unknown) {
  const key = (await readFile(join(home, 'shop.key'))).toString('base64url')
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body === undefined ? 'GET' : 'PUT',
    headers: { authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

const eventuallyAsk = (shop: ShopCaller, path: string, body?: unknown) =>
  eventually(() => ask(shop, path, body).catch(() => undefined))

/** The shops that run on this machine as children of this program. */
function shopsOf(pid: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  const rows = lines.map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
  return rows.flatMap((row) =>
    row !== null && Number(row[2]) === pid && row[3]?.includes(SHOP) ? [Number(row[1])] : [],
  )
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('the shop comes back when it dies, ends with the service however that ends, and forgets nothing', async () => {
  const home = await preparedHome()
  const first = await start(home)
  expect(first.program.output()).toContain(`Sandbox shop   http://127.0.0.1:${first.port}`)
  const quote = await eventuallyAsk(first, QUOTE, BASKET)
  expect(quote).toMatchObject({ status: 200, body: { ref: 'qte_1', total: '36.00' } })
  expect((await stat(join(home, 'shop.key'))).mode & 0o777).toBe(0o600)
  expect((await stat(join(home, 'shop'))).mode & 0o777).toBe(0o700)

  const pid = await eventually(async () => shopsOf(first.program.pid)[0])
  process.kill(pid, 'SIGKILL')
  const another = await eventually(async () => shopsOf(first.program.pid).find((one) => one !== pid))
  expect((await eventuallyAsk(first, QUOTE)).body).toEqual(quote.body)
  expect((await fetch(`${first.program.apiUrl}/ready`)).status).toBe(200)

  // The channel to the service breaks, and nothing else tells the shop.
  await first.program.stop('SIGKILL')
  await eventually(async () => !isAlive(another) || undefined)

  const second = await start(home)
  expect((await eventuallyAsk(second, QUOTE)).body).toEqual(quote.body)
  const [last] = shopsOf(second.program.pid)
  expect(await second.program.stop()).toEqual({ code: 0, signal: null })
  expect(isAlive(last ?? 0)).toBe(false)
})

test('what it sells is found in both APIs, and quoted, from the moment that the service is ready', async () => {
  const shop = await start(await preparedHome())
  const dev = await readDevFile(shop.home)
  const merchant = callerOf(shop.program.apiUrl, dev.secret_key)
  const { status, body } = await merchant.post('/v1/catalog/search', { query: 'stoneware mug' })
  expect(status).toBe(200)
  const [product] = body.products
  const wallet = walletCaller(shop.program.walletUrl, dev.wallet_api_key)
  const stores = await wallet.get('/v1/merchants/category/general')
  expect(stores.body).toMatchObject({ data: { merchants: [{ name: 'Sandbox Shop' }] } })
  expect(product).toMatchObject({ title: 'Stoneware mug', price: '18.00', merchant: { name: 'Sandbox Shop' } })
  expect((await fetch(product.image_url)).headers.get('content-type')).toBe('image/svg+xml')
  const items = [{ variant_id: product.variants[0].variant_id, quantity: 2 }]
  const quote = await merchant.post('/v1/quotes', { merchant: product.merchant.id, items })
  expect([quote.status, quote.body.total_amount]).toEqual([201, '36.00'])
  expect(await shop.program.stop()).toEqual({ code: 0, signal: null })
})

test('a port that is taken keeps the shop away, and nothing else', async () => {
  const { program } = await start(await preparedHome(), { SANDBOX_SHOP_PORT: String(await freePorts()) })
  const taken = await start(await preparedHome(), { SANDBOX_SHOP_PORT: String(program.port) })
  await eventually(
    async () => taken.program.output().includes('the sandbox shop ended and is started again') || undefined,
  )
  expect((await fetch(`${taken.program.apiUrl}/ready`)).status).toBe(200)
  expect(await taken.program.stop()).toEqual({ code: 0, signal: null })
})

test('switched off, there is none', async () => {
  const home = await preparedHome()
  const { program } = await start(home, { SANDBOX_SHOP: 'off' })
  expect(program.output()).not.toContain('Sandbox shop')
  expect(shopsOf(program.pid)).toEqual([])
  await expect(stat(join(home, 'shop.key'))).rejects.toThrow('ENOENT')
  await program.stop()
})
