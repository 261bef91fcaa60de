import { type CreateCheckout, createShopService, type ShopDeps } from '../checkout/shops/service.ts'
import { shopPolicy } from '../platform/egress/policy.ts'
import { type Ground, outsidePolicy } from './ground.ts'

/** The shops that are bought at. */
export function composeShops(ground: Ground, { vault, seals }: Pick<ShopDeps, 'vault' | 'seals'>) {
  const { config, pool, clock, log } = ground
  const { environment, shopTimeoutMillis: timeoutMillis } = config
  const policy = outsidePolicy(ground, shopPolicy({ allowLoopback: config.checkoutAllowLoopback }))
  // The shop that a sandbox starts for itself is beside it, whatever others may be.
  const ownPolicy = environment === 'sandbox' ? outsidePolicy(ground, shopPolicy({ allowLoopback: true })) : policy
  const speak: CreateCheckout = async (adapter, { isOwn, ...shop }) => {
    // No verb asks a shop, and how to read their answers takes a while to load.
    const { createCheckout } = await import('../checkout/adapters/service.ts')
    return createCheckout(adapter, { ...shop, policy: isOwn ? ownPolicy : policy })
  }
  return createShopService({
    pool,
    clock,
    log,
    vault,
    seals,
    policy,
    createCheckout: ground.createCheckout ?? speak,
    timeoutMillis,
  })
}
