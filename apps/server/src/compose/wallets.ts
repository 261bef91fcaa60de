import type { CommandDeps } from '../db/command.ts'
import { createLedgerService } from '../ledger/service.ts'
import type { DerivedKeys } from '../platform/keys.ts'
import { createWalletService } from '../wallets/accounts/service.ts'
import { createCartService } from '../wallets/carts/service.ts'
import { createWalletCustomerService } from '../wallets/customers/service.ts'
import { createOrderService, verifyOrders } from '../wallets/orders/service.ts'
import { createStoreService } from '../wallets/store/service.ts'
import type { Ground } from './ground.ts'

/** What the wallet API shows and does. */
export function composeWallets({ config, pool, log }: Ground, common: CommandDeps, keys: DerivedKeys) {
  const { environment, cartDays } = config
  const deps = { ...common, environment, storedResponsesKey: keys.storedResponses }
  return {
    ledger: createLedgerService({ pool, checks: [verifyOrders] }),
    stores: createStoreService(common),
    walletCustomers: createWalletCustomerService(deps),
    wallets: createWalletService(deps),
    carts: createCartService({ ...deps, log, cartDays }),
    walletOrders: createOrderService(deps),
  }
}
