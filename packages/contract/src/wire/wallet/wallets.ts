import { type Static, Type } from 'typebox'
import { Amount, AmountOrZero, CurrencyCode, dateTime } from '../common.ts'
import { about, STRICT } from '../schema.ts'
import { uuid } from './common.ts'

export const CustomerWalletParams = Type.Object({
  customerId: uuid('The customer.'),
  walletId: uuid('A wallet of theirs.'),
})

const WalletBalance = Type.Object(
  { currency: CurrencyCode, amount: AmountOrZero },
  { title: 'WalletBalance', description: 'What is in a wallet.' },
)

const WALLET = {
  wallet_id: uuid('The wallet.'),
  balance: WalletBalance,
  created_at: dateTime('When it was opened: with its customer.'),
  updated_at: dateTime('When its balance changed last.'),
}
export const Wallet = Type.Object(WALLET, {
  title: 'Wallet',
  description: 'What a customer has to spend, in one currency.',
})
export type Wallet = Static<typeof Wallet>

export const WalletOfCustomer = Type.Object(
  { ...WALLET, customer_id: uuid('The customer whose it is.') },
  { title: 'WalletOfCustomer', description: 'One wallet.' },
)
export type WalletOfCustomer = Static<typeof WalletOfCustomer>

export const WalletList = Type.Object(
  {
    count: Type.Integer({ minimum: 0, description: 'How many are on this page.' }),
    data: Type.Array(Wallet, { description: 'The oldest first.' }),
  },
  { title: 'WalletList', description: 'The wallets of a customer.' },
)
export type WalletList = Static<typeof WalletList>

export const DepositBody = Type.Object(
  { amount: about('How much to put in, in the currency of the wallet.', Amount) },
  { ...STRICT, title: 'Deposit', description: 'Money for a wallet.' },
)
export type DepositBody = Static<typeof DepositBody>

export const Deposited = Type.Object(
  { wallet_balance: about('What is in the wallet now.', WalletBalance) },
  { title: 'Deposited', description: 'What came of a deposit.' },
)
export type Deposited = Static<typeof Deposited>
