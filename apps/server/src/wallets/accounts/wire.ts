import type * as wireOf from '@mintmark/contract/wire/wallet/wallets'
import { amountFromMinor, type Money } from '../../platform/money.ts'
import type { Wallet } from './service.ts'

function toWireWallet({ id, currency, balanceMinor, createdAt, updatedAt }: Wallet): wireOf.Wallet {
  const balance = { currency, amount: amountFromMinor(balanceMinor) }
  return { wallet_id: id, balance, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() }
}

export function toWireWallets(wallets: readonly Wallet[]): wireOf.WalletList {
  return { count: wallets.length, data: wallets.map(toWireWallet) }
}

export function toWireWalletOf(customerId: string, wallet: Wallet): wireOf.WalletOfCustomer {
  return { ...toWireWallet(wallet), customer_id: customerId.toLowerCase() }
}

export function toWireDeposited({ currency, minor }: Money): wireOf.Deposited {
  return { wallet_balance: { currency, amount: amountFromMinor(minor) } }
}
