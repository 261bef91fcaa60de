import { createCheckout } from '../checkout/adapters/service.ts'
import { createQuoteService } from '../checkout/quotes/service.ts'
import { createShopService } from '../checkout/shops/service.ts'
import type { CommandDeps } from '../db/command.ts'
import { shopPolicy } from '../platform/egress/policy.ts'
import type { Vault } from '../vault/service.ts'
import type { Ground } from './ground.ts'

/** The shops, and what is quoted there. */
export function composeCheckout(ground: Ground, common: CommandDeps & { vault: Vault }) {
  const { config, log } = ground
  const { environment, shopTimeoutMillis: timeoutMillis } = config
  const policy = shopPolicy({ allowLoopback: config.checkoutAllowLoopback })
  const shops = createShopService({
    ...common,
    ...{ environment, log, timeoutMillis },
    createCheckout: ground.createCheckout ?? ((adapter, shop) => createCheckout(adapter, { ...shop, policy })),
  })
  const quotes = createQuoteService({ ...common, shops })
  return { shops, quotes }
}
