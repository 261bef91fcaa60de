import type { Currency } from '@mintmark/contract'
import type { Change } from '../../db/command.ts'
import { type AccountDeps, openAccount } from '../../ledger/service.ts'
import { newUuid } from '../../platform/ids.ts'

interface NewWallet {
  merchantId: string
  customerId: string
  currency: Currency
}

/**
 * A customer's wallet in a currency, empty, in the transaction that makes the customer. Once: there is one a currency.
 */
export async function openWallet(
  deps: AccountDeps,
  change: Change,
  { merchantId, customerId, currency }: NewWallet,
): Promise<string> {
  const walletId = newUuid()
  const account = { merchantId, accountId: walletId, kind: 'wallet', holderId: customerId, currency } as const
  if (!(await openAccount(deps, change, account))) throw new Error('The customer has a wallet in this currency.')
  return walletId
}
