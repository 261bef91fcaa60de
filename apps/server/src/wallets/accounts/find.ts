import type { Currency, WalletCustomerStatus } from '@mintmark/contract'
import type { Pool } from 'pg'
import type { Queryable } from '../../db/statement.ts'
import { uuidOf } from '../../platform/ids.ts'
import { customerNotFound } from '../customers/errors.ts'
import type { WalletCustomerRef } from '../customers/ref.ts'
import { walletNotFound } from './errors.ts'
import type { WalletRef } from './ref.ts'
import * as store from './store.ts'

export interface Wallet {
  id: string
  currency: Currency
  balanceMinor: bigint
  createdAt: Date
  updatedAt: Date
}

interface Deps {
  pool: Pool
}

/** The wallets of a customer, the oldest first: one a currency. `CUSTOMER_NOT_FOUND`. */
export async function list({ pool }: Deps, ref: WalletCustomerRef): Promise<Wallet[]> {
  const customerId = uuidOf(ref.customerId)
  const rows = customerId && (await store.listWallets(pool, { merchantId: ref.merchantId, customerId }))
  if (!rows || rows.length === 0) throw customerNotFound()
  return rows.flatMap((row) => walletIn(row) ?? [])
}

/** `CUSTOMER_NOT_FOUND`, or `WALLET_NOT_FOUND` for none of the customer's. */
export async function find({ pool }: Deps, ref: WalletRef): Promise<Wallet> {
  return getWallet(pool, ref)
}

/** The same, with how its customer stands, read where the caller reads. */
export async function getWallet(
  on: Queryable,
  { merchantId, customerId, walletId }: WalletRef,
): Promise<Wallet & { customerStatus: WalletCustomerStatus }> {
  const ids = { customerId: uuidOf(customerId), walletId: uuidOf(walletId) ?? null }
  if (ids.customerId === undefined) throw customerNotFound()
  const found = await store.findWallet(on, { merchantId, customerId: ids.customerId, walletId: ids.walletId })
  if (found === undefined) throw customerNotFound()
  const wallet = walletIn(found)
  if (wallet === null) throw walletNotFound()
  return { ...wallet, customerStatus: found.customerStatus }
}

/** Null: the row says that there is none. */
function walletIn({ id, currency, balanceMinor, createdAt, updatedAt }: store.AccountColumns): Wallet | null {
  const isNone = id === null || currency === null || balanceMinor === null || createdAt === null || updatedAt === null
  return isNone ? null : { id, currency, balanceMinor, createdAt, updatedAt }
}
