import { type Static, Type } from 'typebox'
import { ORDER_STATUSES } from '../../orders.ts'
import { Amount, CurrencyCode, dateTime } from '../common.ts'
import { about, oneOf, STRICT } from '../schema.ts'
import { behind, PAGE, uuid } from './common.ts'

export const OrderByWalletParams = Type.Object({
  customerId: uuid('The customer.'),
  cartId: uuid('An open cart of theirs.'),
  walletId: uuid('A wallet of theirs, in the currency of the cart.'),
})
export const OrderParams = Type.Object({ customerId: uuid('The customer.'), orderId: uuid('An order of theirs.') })

export const OrderPageQuery = Type.Object({ ...PAGE, before: behind('order') }, STRICT)

export const OrderBody = Type.Object(
  {
    address: Type.String({
      format: 'uuid',
      description: 'Where the goods go: an address of the customer.',
      examples: ['0193f0a2-7c1e-7b44-8e0d-5a3c9b1f2d61'],
    }),
    amount: Type.Optional(
      about(
        'What your customer was shown. If the cart costs another amount by now, nothing is paid: 409 `INVALID_STATE`.',
        Amount,
      ),
    ),
  },
  { ...STRICT, title: 'PlaceOrder', description: 'What an order needs beside its cart and its wallet.' },
)
export type OrderBody = Static<typeof OrderBody>

export const Order = Type.Object(
  {
    order_id: uuid('The order.'),
    cart_id: uuid('What was ordered.'),
    customer_id: uuid('The customer who ordered it.'),
    wallet_id: uuid('What it was paid from.'),
    status: oneOf(ORDER_STATUSES, { description: '`completed`: it is paid. Nothing of it is left to do.' }),
    amount: about('What was paid: the total of the cart.', Amount),
    currency: CurrencyCode,
    address_id: uuid('Where it goes.'),
    created_at: dateTime('When it was paid.'),
    updated_at: dateTime('The same: nothing of an order changes.'),
  },
  { title: 'Order', description: 'A cart that was paid from a wallet.' },
)
export type Order = Static<typeof Order>

export const OrderList = Type.Object(
  {
    count: Type.Integer({ minimum: 0, description: 'How many are on this page.' }),
    orders: Type.Array(Order, { description: 'The newest first.' }),
  },
  { title: 'OrderList', description: 'The orders of a customer.' },
)
export type OrderList = Static<typeof OrderList>
