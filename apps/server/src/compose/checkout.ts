import { createCheckout } from '../checkout/adapters/service.ts'
import { createQuoteService } from '../checkout/quotes/service.ts'
import { type CreateCheckout, createShopService, type ShopDeps } from '../checkout/shops/service.ts'
import { shopPolicy } from '../platform/egress/policy.ts'
import type { Ground } from './ground.ts'

/** What asks shops. */
export function composeCheckout(ground: Ground, { vault, seals }: Pick<ShopDeps, 'vault' | 'seals'>) {
  const { config, pool, clock, log } = ground
  const { environment, shopTimeoutMillis: timeoutMillis } = config
  const policy = shopPolicy({ allowLoopback: config.checkoutAllowLoopback })
  // The shop that a sandbox starts for itself is beside it, whatever others may be.
  const ownPolicy = environment === 'sandbox' ? shopPolicy({ allowLoopback: true }) : policy
  const speak: CreateCheckout = (adapter, { isOwn, ...shop }) =>
    createCheckout(adapter, { ...shop, policy: isOwn ? ownPolicy : policy })
  const shops = createShopService({
    pool,
    clock,
    log,
    vault,
    seals,
    policy,
    createCheckout: ground.createCheckout ?? speak,
    timeoutMillis,
  })
  return { shops, quotes: createQuoteService({ pool, clock, seals, shops }) }
}
