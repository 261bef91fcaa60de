import { ID_PREFIXES } from '../platform/ids.ts'
import type { Secret } from '../platform/secret.ts'
import { hashKey } from './api-keys.ts'
import type { Merchant } from './store.ts'

const CHARACTERS = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * The account a sandbox makes for itself on its first start. Its id comes from the deployment's key instead of chance:
 * the primary key then lets one of several first starts make it, and nobody outside can guess it.
 */
export function demoMerchant(apiKeysKey: Secret<Buffer>): Merchant {
  const bytes = hashKey(apiKeysKey, 'the demo merchant').subarray(0, 26)
  return {
    id: ID_PREFIXES.merchant + Array.from(bytes, (byte) => CHARACTERS[byte & 31]).join(''),
    name: 'Demo Shop',
    status: 'active',
    allowedOrigins: ['http://localhost:*', 'http://127.0.0.1:*'],
    networkProfile: 'simulator',
    sessionAllowance: null,
  }
}
