import type { CommandDeps } from '../db/command.ts'
import type { DerivedKeys } from '../platform/keys.ts'
import { createWalletCustomerService } from '../wallets/customers/service.ts'
import type { Ground } from './ground.ts'

/** What the wallet API shows and does. */
export function composeWallets({ config }: Ground, common: CommandDeps, keys: DerivedKeys) {
  const deps = { ...common, environment: config.environment, storedResponsesKey: keys.storedResponses }
  return { walletCustomers: createWalletCustomerService(deps) }
}
