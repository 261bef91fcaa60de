import { PageQuery } from '@mintmark/contract/wire/wallet/common'
import { WalletCustomerParams } from '@mintmark/contract/wire/wallet/customers'
import * as wireOf from '@mintmark/contract/wire/wallet/wallets'
import { shownBy } from '../../db/respond-once.ts'
import { pageOf, rangeOf } from '../../http/page.ts'
import { type Route, route } from '../../http/route.ts'
import { accountSuspended } from '../../merchants/errors.ts'
import { minorFromAmount } from '../../platform/money.ts'
import { WALLET_CHANGE, WALLET_READ } from '../credential.ts'
import { customerNotFound, customerRejected } from '../customers/errors.ts'
import { sandboxOnly } from '../errors.ts'
import { walletNotFound } from './errors.ts'
import type { WalletService } from './service.ts'
import * as wire from './wire.ts'

export interface WalletRouteDeps {
  wallets: WalletService
}

export function walletRoutes(deps: WalletRouteDeps): Route[] {
  return [listRoute(deps), findRoute(deps), depositRoute(deps)]
}

const WALLETS = '/v1/customers/:customerId/wallets'
const tag = 'Wallets'

function listRoute({ wallets }: WalletRouteDeps): Route {
  return route({
    ...WALLET_READ,
    path: WALLETS,
    operationId: 'listWallets',
    summary: 'List wallets',
    description: 'Those of one customer, with what is in them. A customer has one in USD from the start.',
    tag,
    params: WalletCustomerParams,
    query: PageQuery,
    isPaged: true,
    response: wireOf.WalletList,
    example: { response: { count: 1, data: [WALLET_EXAMPLE] } },
    errors: [customerNotFound],
    async handler({ caller: { merchantId }, params: { customerId }, query }) {
      const range = rangeOf(query)
      // As many as there are currencies, at most.
      const all = await wallets.list({ merchantId, customerId })
      const page = all.slice(range.offset, range.offset + range.limit)
      return pageOf(wire.toWireWallets(page), range, all.length)
    },
  })
}

function findRoute({ wallets }: WalletRouteDeps): Route {
  return route({
    ...WALLET_READ,
    path: `${WALLETS}/:walletId`,
    operationId: 'getWallet',
    summary: 'Read a wallet',
    description: 'With what is in it now.',
    tag,
    params: wireOf.CustomerWalletParams,
    response: wireOf.WalletOfCustomer,
    example: { response: { ...WALLET_EXAMPLE, customer_id: CUSTOMER_ID } },
    errors: [customerNotFound, walletNotFound],
    async handler({ caller: { merchantId }, params: { customerId, walletId } }) {
      return wire.toWireWalletOf(customerId, await wallets.find({ merchantId, customerId, walletId }))
    },
  })
}

function depositRoute({ wallets }: WalletRouteDeps): Route {
  return route({
    ...WALLET_CHANGE,
    method: 'POST',
    path: `${WALLETS}/:walletId/deposit`,
    operationId: 'depositToWallet',
    summary: 'Put money into a wallet',
    description:
      'Play money, in the sandbox only; in production it is 403 `OPERATION_NOT_ALLOWED`. A wallet holds 999999999999.99 at most.',
    tag,
    status: 200,
    params: wireOf.CustomerWalletParams,
    body: wireOf.DepositBody,
    response: wireOf.Deposited,
    example: {
      body: { amount: '100.00' },
      response: { wallet_balance: { currency: 'USD', amount: '100.00' } },
    },
    errors: [accountSuspended, customerNotFound, walletNotFound, customerRejected, sandboxOnly],
    handler: ({ caller: { merchantId }, params: { customerId, walletId }, body, once }) =>
      wallets.deposit(
        { merchantId, customerId, walletId },
        minorFromAmount(body.amount),
        shownBy(once, wire.toWireDeposited),
      ),
  })
}

const CUSTOMER_ID = '019aa660-7400-7b44-8e0d-5a3c9b1f2d60'
const WALLET_EXAMPLE = {
  wallet_id: '019aa660-7400-7d0a-b3f1-0c8e2f6a9d13',
  balance: { currency: 'USD', amount: '100.00' },
  created_at: '2026-11-21T12:00:00.000Z',
  updated_at: '2026-11-21T12:04:00.000Z',
} as const
