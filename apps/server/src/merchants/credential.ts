import { type CheckedCredential, checkedBy, credential } from '../http/credential.ts'
import { limit } from '../http/limit.ts'
import type { MerchantCaller } from './authentication.ts'
import { invalidAuthorization, invalidKey } from './errors.ts'
import type { MerchantService } from './service.ts'

/** A merchant's secret key. */
export const secretKey = credential<MerchantCaller>('secret_key', {
  scheme: {
    type: 'http',
    scheme: 'bearer',
    description: 'A secret key: `sk_test_…` in sandbox, `sk_live_…` in production.',
  },
  header: 'authorization',
  errors: { missing: invalidAuthorization, invalid: invalidKey },
  logFields: ({ merchantId }) => ({ merchant_id: merchantId }),
})

/** How a host checks the keys of merchants. */
export function merchantCredentials(merchants: Pick<MerchantService, 'authenticateKey'>): CheckedCredential[] {
  return [checkedBy(secretKey, { check: ({ headers }) => merchants.authenticateKey(headers.authorization, 'secret') })]
}

export const perMerchant = limit('merchant', {
  points: 30_000,
  windowSeconds: 60,
  by: ({ merchantId }: { merchantId: string }) => merchantId,
  withoutStore: 'pass',
  meaning: 'Calls to the main API.',
  countedBy: 'merchant',
})
