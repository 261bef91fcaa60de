import type { ShopService } from '../checkout/shops/service.ts'
import type { CommandDeps } from '../db/command.ts'
import type { MerchantService } from '../merchants/service.ts'
import { createStoreService, type ShopFeed } from '../wallets/store/service.ts'
import type { Ground } from './ground.ts'

interface Sources {
  merchants: MerchantService
  shops: ShopService
}

/** What merchants of the wallet API sell. */
export function composeStores({ config, log }: Ground, common: CommandDeps, sources: Sources) {
  const feed = config.environment === 'sandbox' ? shopFeed(sources, config.sandboxShop === 'on') : null
  return createStoreService({ ...common, log, feed })
}

interface FeedSources {
  merchants: Pick<MerchantService, 'listActiveIds'>
  shops: Pick<ShopService, 'findSandboxShop' | 'search'>
}

const NOTHING = { products: [], nextCursor: null }

/**
 * The accounts of a sandbox sell what its shop sells, so that there is something to buy. A shop that is switched off or
 * disabled sells nothing: what is there of it is withdrawn.
 */
export function shopFeed({ merchants, shops }: FeedSources, isOn: boolean): ShopFeed {
  return {
    listAccounts: merchants.listActiveIds,
    async findShop() {
      const shop = await shops.findSandboxShop()
      if (shop === undefined) return undefined
      const { id: key, name, status } = shop
      const isOpen = isOn && status === 'active'
      return {
        ...{ key, name },
        async page(cursor) {
          if (!isOpen) return NOTHING
          const answer = await shops.search(shop, { query: null, limit: 100, cursor })
          return answer.outcome === 'ok' ? answer.value : null
        },
      }
    },
  }
}
