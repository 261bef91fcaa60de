import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startShop } from '../../../examples/sandbox-shop/server.ts'
import type { Shop } from '../src/checkout/shops/service.ts'
import { secret } from '../src/platform/secret.ts'
import type { TestService } from './service.ts'

/** What a service shows at the shop. */
export const SHOP_KEY = secret('key-of-the-sandbox-shop')

const NOBODY = { apiUrl: 'http://127.0.0.1:9', merchant: { secretKey: 'none' } }

export interface TestShop {
  url: string
  close(): Promise<void>
}

/** The sandbox's shop. `service`: whose network takes its cards; without one it answers and sells nothing. */
export async function openTestShop(
  service: { apiUrl: string; merchant: { secretKey: string } } = NOBODY,
  options: { slowMillis?: number } = {},
): Promise<TestShop> {
  const home = await mkdtemp(join(tmpdir(), 'mintmark-shop-'))
  const acquirer = { url: service.apiUrl, key: service.merchant.secretKey }
  const shop = await startShop({ home, key: SHOP_KEY.reveal(), acquirer, ...options })
  return {
    url: shop.url,
    async close() {
      await shop.close()
      await rm(home, { recursive: true })
    },
  }
}

/** The shop as the service knows it, the way `npm start` does it. */
export const addTestShop = ({ app }: Pick<TestService, 'app'>, { url }: TestShop, key = SHOP_KEY): Promise<Shop> =>
  app.shops.ensureSandboxShop(
    {
      ...{ name: 'Sandbox Shop', url: 'https://sandbox-shop.example', country: 'US' },
      ...{ adapter: 'native', baseUrl: url },
    },
    key,
  )
