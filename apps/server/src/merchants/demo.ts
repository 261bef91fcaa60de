import { merchantIdFrom } from '../platform/ids.ts'
import type { Secret } from '../platform/secret.ts'
import { hashKey } from './api-keys.ts'
import type { Merchant } from './rules.ts'

/**
 * The operator's own account, whose customers the owners of agents are. Its id is of the deployment's key as well:
 * every process knows it without asking.
 */
export function operatorMerchant(apiKeysKey: Secret<Buffer>): Merchant {
  return {
    id: merchantIdFrom(hashKey(apiKeysKey, "the operator's own merchant")),
    name: 'Mintmark',
    status: 'active',
    allowedOrigins: [],
    networkProfile: 'simulator',
    sessionAllowance: null,
  }
}

/**
 * The account a sandbox makes for itself on its first start. Its id comes from the deployment's key instead of chance:
 * the primary key then lets one of several first starts make it, and it cannot be guessed from outside.
 */
export function demoMerchant(apiKeysKey: Secret<Buffer>): Merchant {
  return {
    id: merchantIdFrom(hashKey(apiKeysKey, 'the demo merchant')),
    name: 'Demo Shop',
    status: 'active',
    allowedOrigins: ['http://localhost:*', 'http://127.0.0.1:*'],
    networkProfile: 'simulator',
    sessionAllowance: null,
  }
}
