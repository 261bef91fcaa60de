import { type Static, Type } from 'typebox'
import { CART_STATUSES, MAX_CART_LINES, MAX_PIECES } from '../../stores.ts'
import { CurrencyCode, dateTime } from '../common.ts'
import { about, nullable, oneOf, STRICT, text } from '../schema.ts'
import { behind, PAGE, uuid } from './common.ts'
import { price } from './stores.ts'

const customerId = uuid('The `id` of the customer.')
export const CustomerCartsParams = Type.Object({ customerId })
export const NewCartParams = Type.Object({ customerId, merchantId: uuid('The `merchant_id` of the merchant.') })
export const CustomerCartParams = Type.Object({ customerId, cartId: uuid('The `cart_id` of the cart.') })
export const CartParams = Type.Object({ cartId: uuid('The `cart_id` of the cart.') })
export const CartPageQuery = Type.Object({ ...PAGE, before: behind('cart') }, STRICT)

const qty = Type.Integer({ minimum: 1, maximum: MAX_PIECES, description: 'How many pieces.', examples: [2] })
const CartItem = Type.Object(
  { product_id: uuid('A product of the merchant.'), qty },
  { ...STRICT, title: 'CartItem', description: 'So many pieces of a product.' },
)

export const CreateCartBody = Type.Array(CartItem, {
  minItems: 1,
  maxItems: MAX_CART_LINES,
  title: 'CreateCartRequest',
  description: 'What is put in. Each product once.',
})
export type CreateCartBody = Static<typeof CreateCartBody>

export const UpdateCartBody = Type.Object(
  {
    add: Type.Optional(
      Type.Array(CartItem, {
        minItems: 1,
        maxItems: MAX_CART_LINES,
        description: 'What is put in, beside what is there. Each product once.',
      }),
    ),
    remove: Type.Optional(
      Type.Array(uuid('A product in the cart.'), {
        minItems: 1,
        maxItems: MAX_CART_LINES,
        description:
          'What is taken out, before anything is put in: a product in both begins anew, which sets its quantity. What is not in the cart is passed over.',
      }),
    ),
  },
  {
    ...STRICT,
    minProperties: 1,
    title: 'UpdateCartRequest',
    description: 'What is taken out, and what is put in.',
  },
)
export type UpdateCartBody = Static<typeof UpdateCartBody>

const STATUS = {
  status: oneOf(CART_STATUSES, {
    description: '`open`: it may be changed and ordered. `ordered` and `abandoned` are for ever.',
  }),
}
const TIMES = { created_at: dateTime('When it was made.'), updated_at: dateTime('Of the last change.') }
const cart_id = uuid('Names the cart.')
const merchant_id = uuid('Where everything in it is sold.')
const CART = { cart_id, customer_id: uuid('Whose it is.'), merchant_id }
const SUM = {
  total_amount: price('What all of it costs.'),
  currency: about('Of the merchant’s prices; of an ordered cart, that of the order.', CurrencyCode),
}

export const CreatedCart = Type.Object(
  {
    ...CART,
    items: Type.Array(Type.Object({ product_id: uuid('The product.'), qty }, { description: 'Pieces of a product.' }), {
      description: 'What is in it.',
    }),
    ...SUM,
    ...STATUS,
    ...TIMES,
  },
  { title: 'CreatedCart', description: 'A new cart.' },
)
export type CreatedCart = Static<typeof CreatedCart>

export const ListedCart = Type.Object(
  { cart_id, merchant_id, ...STATUS, ...TIMES },
  { title: 'CartInList', description: 'A cart without what is in it.' },
)
export type ListedCart = Static<typeof ListedCart>

export const CartList = Type.Object(
  {
    count: Type.Integer({ minimum: 0, description: 'How many are on this page.' }),
    carts: Type.Array(ListedCart, { description: 'Newest first.' }),
  },
  { title: 'CartList', description: 'One page of carts.' },
)
export type CartList = Static<typeof CartList>

const CartProduct = Type.Object(
  {
    product_id: uuid('The product.'),
    name: text('What it is called.', 'Green tea, 100 g'),
    description: text('What is said of it; may be empty.', 'First flush.'),
    price: price('Of one piece: today’s, and in an ordered cart what was paid.'),
    currency: CurrencyCode,
    quantity: Type.Integer({ minimum: 1, description: 'How many pieces.' }),
    item_total: price('Of all its pieces.'),
    image_url: nullable(text('An address.', 'https://tea.example/green.jpg'), 'Its first picture; null: it has none.'),
  },
  { title: 'CartProduct', description: 'Pieces of a product in a cart.' },
)

export const Cart = Type.Object(
  {
    ...CART,
    products: Type.Array(CartProduct, { description: 'In the order in which they were put in.' }),
    ...SUM,
    ...STATUS,
    ...TIMES,
  },
  { title: 'Cart', description: 'A cart with what is in it.' },
)
export type Cart = Static<typeof Cart>
