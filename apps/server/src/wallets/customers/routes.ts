import { PageQuery } from '@mintmark/contract/wire/wallet/common'
import * as wireOf from '@mintmark/contract/wire/wallet/customers'
import { shownBy } from '../../db/respond-once.ts'
import { MAX_COUNTED, pageOf, rangeOf } from '../../http/page.ts'
import { type Route, route } from '../../http/route.ts'
import { accountSuspended } from '../../merchants/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import { WALLET_CHANGE, WALLET_READ } from '../credential.ts'
import { sandboxOnly } from '../errors.ts'
import { customerDecided, customerExists, customerNotFound } from './errors.ts'
import {
  ADDED_EXAMPLE,
  ADDRESS_EXAMPLE,
  CUSTOMER_EXAMPLE,
  NEW_ADDRESS_EXAMPLE,
  NEW_CUSTOMER_EXAMPLE,
} from './examples.ts'
import type { WalletCustomerService } from './service.ts'
import * as wire from './wire.ts'

export interface CustomerRouteDeps {
  walletCustomers: WalletCustomerService
  clock: Clock
}

export function walletCustomerRoutes(deps: CustomerRouteDeps): Route[] {
  return [createRoute(deps), listRoute(deps), getRoute(deps), ...addressRoutes(deps), ...checkRoutes(deps)]
}

const tag = 'Customers'
const path = '/v1/customers'
const params = wireOf.WalletCustomerParams

function createRoute({ walletCustomers, clock }: CustomerRouteDeps): Route {
  return route({
    ...WALLET_CHANGE,
    method: 'POST',
    path,
    operationId: 'createCustomer',
    summary: 'Create a customer',
    description:
      'The customer is `pending`, and has a wallet in USD from the start. One customer an email address; a taken one is 409 ' +
      '`CUSTOMER_EXISTS`, and the list finds its customer by `email`.',
    tag,
    status: 201,
    body: wireOf.CreateWalletCustomerBody,
    check: wire.customerProblems(() => clock.now()),
    response: wireOf.WalletCustomer,
    example: { body: NEW_CUSTOMER_EXAMPLE, response: CUSTOMER_EXAMPLE },
    errors: [accountSuspended, customerExists],
    handler: ({ caller, body, once }) =>
      walletCustomers.create(caller.merchantId, wire.fromWireCustomer(body), shownBy(once, wire.toWireCustomer)),
  })
}

function listRoute({ walletCustomers }: CustomerRouteDeps): Route {
  return route({
    ...WALLET_READ,
    path,
    operationId: 'listCustomers',
    summary: 'List customers',
    description:
      'Newest first. Where pages end, `before` with the last customer leads on. With `email`, the one customer of that address: whom a ' +
      '`CUSTOMER_EXISTS` is about.',
    tag,
    query: wireOf.ListWalletCustomersQuery,
    isPaged: true,
    response: wireOf.WalletCustomerList,
    example: { response: { count: 1, data: [CUSTOMER_EXAMPLE] } },
    errors: [],
    async handler({ caller, query: { before, email, ...page } }) {
      const range = { ...rangeOf(page), most: MAX_COUNTED }
      const { rows, counted } = await walletCustomers.list(caller.merchantId, range, { before, email })
      return pageOf(wire.toWireCustomers(rows), range, counted)
    },
  })
}

function getRoute({ walletCustomers }: CustomerRouteDeps): Route {
  return route({
    ...WALLET_READ,
    path: `${path}/:customerId`,
    operationId: 'getCustomer',
    summary: 'Read a customer',
    description: 'As the customer is now.',
    tag,
    params,
    response: wireOf.WalletCustomer,
    example: { response: CUSTOMER_EXAMPLE },
    errors: [customerNotFound],
    handler: async ({ caller: { merchantId }, params: { customerId } }) =>
      wire.toWireCustomer(await walletCustomers.find({ merchantId, customerId })),
  })
}

function addressRoutes({ walletCustomers }: CustomerRouteDeps): Route[] {
  const addresses = { path: `${path}/:customerId/address`, tag, params, errors: [customerNotFound] } as const
  return [
    route({
      ...WALLET_CHANGE,
      ...addresses,
      errors: [accountSuspended, customerNotFound],
      method: 'POST',
      operationId: 'addAddress',
      summary: 'Add an address',
      description: 'Where orders of the customer may go. It is never changed: an order names it.',
      status: 201,
      body: wireOf.CreateAddressBody,
      response: wireOf.CreatedAddress,
      example: { body: NEW_ADDRESS_EXAMPLE, response: ADDED_EXAMPLE },
      handler: ({ caller: { merchantId }, params: { customerId }, body, once }) =>
        walletCustomers.addAddress(
          { merchantId, customerId },
          wire.fromWireAddress(body),
          shownBy(once, wire.toWireAdded),
        ),
    }),
    route({
      ...WALLET_READ,
      ...addresses,
      operationId: 'listAddresses',
      summary: 'List addresses',
      description: 'Those of one customer, newest first.',
      query: PageQuery,
      isPaged: true,
      response: wireOf.WalletAddressList,
      example: { response: [ADDRESS_EXAMPLE] },
      async handler({ caller: { merchantId }, params: { customerId }, query }) {
        const range = rangeOf(query)
        const customer = { merchantId, customerId }
        const { rows, counted } = await walletCustomers.listAddresses(customer, { ...range, most: MAX_COUNTED })
        return pageOf(rows.map(wire.toWireAddress), range, counted)
      },
    }),
  ]
}

/** In production they are there and refuse: what checks customers there is not this API. */
function checkRoutes({ walletCustomers }: CustomerRouteDeps): Route[] {
  const helper = {
    ...WALLET_CHANGE,
    method: 'POST',
    tag: 'Test helpers',
    status: 200,
    params,
    response: wireOf.WalletCustomer,
    errors: [accountSuspended, customerNotFound, customerDecided, sandboxOnly],
  } as const
  const at = '/v1/test_helpers/customers/:customerId'
  return [
    route({
      ...helper,
      path: `${at}/verify`,
      operationId: 'verifyCustomer',
      summary: 'Verify a customer',
      description: 'Plays the check of a customer, who passes it. Sandbox only.',
      example: { response: { ...CUSTOMER_EXAMPLE, status: 'verified' } },
      handler: ({ caller: { merchantId }, params: { customerId }, once }) =>
        walletCustomers.verify({ merchantId, customerId }, shownBy(once, wire.toWireCustomer)),
    }),
    route({
      ...helper,
      path: `${at}/reject`,
      operationId: 'rejectCustomer',
      summary: 'Reject a customer',
      description:
        'Plays the check of a customer, who does not pass it: no deposits and no orders from now on. Sandbox only.',
      example: { response: { ...CUSTOMER_EXAMPLE, status: 'rejected' } },
      handler: ({ caller: { merchantId }, params: { customerId }, once }) =>
        walletCustomers.reject({ merchantId, customerId }, shownBy(once, wire.toWireCustomer)),
    }),
  ]
}
