import type { Currency } from '@mintmark/contract'
import { MAX_AMOUNT_MINOR } from '../platform/money.ts'

/** What accounts are for. */
export const ACCOUNT_KINDS = ['wallet', 'sales', 'deposits'] as const
export type AccountKind = (typeof ACCOUNT_KINDS)[number]

/** What transfers are for. */
export const PURPOSES = ['deposit', 'order'] as const
export type Purpose = (typeof PURPOSES)[number]

/** An account of one merchant. */
export interface AccountRef {
  merchantId: string
  accountId: string
}

/** An account that many pay from or to: it is opened when it is first needed. */
export interface SharedAccount {
  merchantId: string
  kind: Exclude<AccountKind, 'wallet'>
  /** Null: the merchant's own. */
  holderId: string | null
  currency: Currency
}

/** The most that a wallet can hold: what an amount can say. A check of the table has it, too. */
export const MAX_IN_WALLET_MINOR = MAX_AMOUNT_MINOR
