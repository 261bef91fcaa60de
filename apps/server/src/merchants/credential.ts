import { type CheckedCredential, checkedBy, credential } from '../http/credential.ts'
import { limit } from '../http/limit.ts'
import { PublicError } from '../platform/errors.ts'
import type { MerchantCaller } from './authentication.ts'
import { invalidAuthorization, invalidKey, originNotAllowed, unauthorized } from './errors.ts'
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
  tenantOf: ({ merchantId }) => merchantId,
})

/** A caller with a publishable key, which everyone can read in the page that has it. */
export type BrowserCaller = MerchantCaller & { isBrowser: true }
/** The caller of a row that takes either key. */
export type KeyOrBrowserCaller = MerchantCaller | BrowserCaller

/** A merchant's publishable key, from a page of the merchant's. */
export const publishableKey = credential<BrowserCaller>('publishable_key', {
  ...secretKey,
  scheme: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A publishable key: `pk_test_…` in sandbox, `pk_live_…` in production. From a page on one of the allowed origins of the account.',
  },
  isOfPage: true,
  applies: ({ authorization }) => /^bearer +pk_/i.test(authorization ?? ''),
})

/** How a host checks the keys of merchants. */
export function merchantCredentials(
  merchants: Pick<MerchantService, 'authenticateKey' | 'hasOrigin'>,
): CheckedCredential[] {
  return [
    checkedBy(secretKey, { check: ({ headers }) => merchants.authenticateKey(headers.authorization, 'secret') }),
    checkedBy(publishableKey, {
      async check({ headers: { authorization, origin } }) {
        const caller = await merchants.authenticateKey(authorization, 'publishable')
        if (!(await merchants.hasOrigin(caller, origin))) throw originNotAllowed()
        return { ...caller, isBrowser: true as const }
      },
    }),
  ]
}

/** A merchant's key of the wallet API. */
export const walletKey = credential<MerchantCaller>('wallet_key', {
  scheme: {
    type: 'apiKey',
    in: 'header',
    name: 'Api-Key',
    description:
      'A wallet API key: `wk_test_…` in sandbox, `wk_live_…` in production. Keys of the main API open nothing here.',
  },
  header: 'api-key',
  errors: { missing: unauthorized, invalid: unauthorized },
  tenantOf: ({ merchantId }) => merchantId,
})

/** How the host of the wallet API checks its keys. */
export function walletCredentials(merchants: Pick<MerchantService, 'resolveKey'>): CheckedCredential[] {
  return [
    checkedBy(walletKey, {
      async check({ headers }) {
        const given = headers[walletKey.header]
        if (typeof given !== 'string') throw unauthorized()
        return merchants.resolveKey(given.trim(), 'wallet').catch((error: unknown) => {
          const isRefused = error instanceof PublicError && error.status === unauthorized.status
          throw isRefused ? unauthorized({ message: error.message }) : error
        })
      },
    }),
  ]
}

export const perWalletMerchant = limit('wallet', {
  points: 30_000,
  windowSeconds: 60,
  by: ({ merchantId }: { merchantId: string }) => merchantId,
  withoutStore: 'pass',
  meaning: 'Calls to the wallet API.',
  countedBy: 'merchant',
})

export const perMerchant = limit('merchant', {
  points: 30_000,
  windowSeconds: 60,
  // The agents of all owners are of one account.
  by: ({ merchantId, agentId }: { merchantId: string; agentId?: string }) => agentId ?? merchantId,
  withoutStore: 'pass',
  meaning: 'Calls to the main API.',
  countedBy: 'merchant, or agent where an agent calls what a merchant may',
})
