import { WALLET_CUSTOMER_STATUSES } from '@mintmark/contract'
import { columns, oneOf, type RowOf } from '../../db/row.ts'
import { many, one } from '../../db/statement.ts'
import { ACCOUNT_OR_NONE, walletOf, walletsOf } from '../../ledger/fragments.ts'

const WALLET = { ...ACCOUNT_OR_NONE, customerStatus: oneOf(WALLET_CUSTOMER_STATUSES) }
/** All null: there is no account. */
export type AccountColumns = RowOf<typeof ACCOUNT_OR_NONE>

/** A wallet of a customer. None: there is no such customer. No `id`: the customer has no such wallet. */
export const findWallet = one(
  'wallets.find_wallet',
  `select ${columns(ACCOUNT_OR_NONE, 'wallet')}, customer.status as customer_status
   from wallet_customers customer left join ${walletOf('$walletId::uuid', 'customer.id')} wallet on true
   where customer.merchant_id = $merchantId and customer.id = $customerId::uuid`,
  WALLET,
)

/**
 * All wallets of a customer, the oldest first. No row: there is no such customer. A row without `id`: they have no
 * wallet.
 */
export const listWallets = many(
  'wallets.list_wallets',
  `select ${columns(ACCOUNT_OR_NONE, 'wallet')}
   from wallet_customers customer left join ${walletsOf('customer.id')} wallet on true
   where customer.merchant_id = $merchantId and customer.id = $customerId::uuid
   order by wallet.created_at, wallet.id`,
  ACCOUNT_OR_NONE,
)
