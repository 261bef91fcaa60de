import { byAddress, limit } from '../http/limit.ts'
import type { KeyOrBrowserCaller } from '../merchants/credential.ts'

const REFUSED_ENTRIES = {
  windowSeconds: 900,
  // They stand between an attacker and card data.
  withoutStore: 'refuse',
  meaning:
    'Refused card entries and wrong codes. From half of it on each try waits, up to three seconds; beyond eight that wait in a process it is refused.',
} as const

// The same counters at every door that a number can come through: a shop that lets visitors enter cards must not be
// where stolen numbers are tried, whichever door they take.

export const refusedOfCustomer = limit('refused_entries_customer', {
  ...REFUSED_ENTRIES,
  points: 20,
  by: ({ merchantId, customerId }: { merchantId: string; customerId: string }) => `${merchantId}:${customerId}`,
  countedBy: 'customer',
})
export const refusedOfAddress = limit('refused_entries_address', {
  ...REFUSED_ENTRIES,
  points: 60,
  by: byAddress,
  countedBy: 'client address',
})
export const refusedOfMerchant = limit('refused_entries_merchant', {
  ...REFUSED_ENTRIES,
  points: 2_000,
  by: ({ merchantId }: { merchantId: string }) => merchantId,
  countedBy: 'merchant',
})

export const perVaultEntry = limit('vault_entry', {
  points: 600,
  windowSeconds: 60,
  by: (caller: KeyOrBrowserCaller, request) => ('isBrowser' in caller ? byAddress(caller, request) : caller.merchantId),
  // It bounds what strangers may store with a key that everyone can read.
  withoutStore: 'refuse',
  meaning: 'Cards put in the vault. Refused when the counter cannot be read.',
  countedBy: 'client address with a publishable key, merchant with a secret key',
})
