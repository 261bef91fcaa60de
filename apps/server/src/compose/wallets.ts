import type { ShopService } from '../checkout/shops/service.ts'
import type { CommandDeps } from '../db/command.ts'
import { createLedgerService } from '../ledger/service.ts'
import { checkMayChange, type MerchantService } from '../merchants/service.ts'
import type { DerivedKeys } from '../platform/keys.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import { createWalletService } from '../wallets/accounts/service.ts'
import { createCartService } from '../wallets/carts/service.ts'
import { createWalletCustomerService } from '../wallets/customers/service.ts'
import { createOrderService, verifyOrders } from '../wallets/orders/service.ts'
import { createStoreService, type ShopFeed } from '../wallets/store/service.ts'
import type { Ground } from './ground.ts'

interface Sources {
  merchants: MerchantService
  shops: ShopService
}

/** What the wallet API shows and does. */
export function composeWallets(
  { config, pool, log }: Ground,
  common: CommandDeps,
  keys: DerivedKeys,
  seals: RowSeals,
  sources: Sources,
) {
  const { environment, cartDays, retentionDays } = config
  const deps = { ...common, environment, storedResponsesKey: keys.storedResponses, admit: checkMayChange, seals }
  const feed = environment === 'sandbox' ? shopFeed(sources) : null
  return {
    ledger: createLedgerService({ pool, seals, checks: [verifyOrders] }),
    stores: createStoreService({ ...common, log, feed }),
    walletCustomers: createWalletCustomerService({ ...deps, log }),
    wallets: createWalletService(deps),
    carts: createCartService({ ...deps, log, cartDays, retentionDays }),
    walletOrders: createOrderService(deps),
  }
}

/** The accounts of a sandbox sell what its shop sells, so that there is something to buy. */
function shopFeed({ merchants, shops }: Sources): ShopFeed {
  return {
    listAccounts: merchants.listActiveIds,
    async findShop() {
      const shop = await shops.findSandboxShop()
      if (shop === undefined) return undefined
      const { id: key, name } = shop
      return {
        ...{ key, name },
        async page(cursor) {
          const answer = await shops.search(shop, { query: null, limit: 100, cursor })
          return answer.outcome === 'ok' ? answer.value : null
        },
      }
    },
  }
}
