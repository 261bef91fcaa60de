import type { CommandDeps } from '../db/command.ts'
import { checkMayChange } from '../merchants/service.ts'
import type { DerivedKeys } from '../platform/keys.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import { createWalletService } from '../wallets/accounts/service.ts'
import { createCartService } from '../wallets/carts/service.ts'
import { createWalletCustomerService } from '../wallets/customers/service.ts'
import { createOrderService } from '../wallets/orders/service.ts'
import type { Ground } from './ground.ts'

/** What the wallet API does, beside what its merchants sell. */
export function composeWallets({ config, log }: Ground, common: CommandDeps, keys: DerivedKeys, seals: RowSeals) {
  const { environment, cartDays, retentionDays } = config
  const deps = { ...common, environment, storedResponsesKey: keys.storedResponses, checkMayChange, seals }
  return {
    walletCustomers: createWalletCustomerService(deps),
    wallets: createWalletService(deps),
    carts: createCartService({ ...deps, log, cartDays, retentionDays }),
    walletOrders: createOrderService(deps),
  }
}
