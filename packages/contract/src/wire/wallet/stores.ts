import { type Static, Type } from 'typebox'
import { STORE_CATEGORY_CODES } from '../../stores.ts'
import { CurrencyCode, dateTime } from '../common.ts'
import { about, nullable, oneOf, STRICT, text } from '../schema.ts'
import { behind, PAGE, uuid } from './common.ts'

const categoryCode = (description: string) => oneOf(STORE_CATEGORY_CODES, { description })
/** In a path: what is no code of ours has nothing under it. */
const anyCategory = Type.String({ description: 'A category code, such as `food`.', examples: ['food'] })
const count = Type.Integer({ minimum: 0, description: 'How many are on this page.' })
const url = (description: string) => nullable(text('An address.', 'https://tea.example/logo.png'), description)

export const CategoryParams = Type.Object({ categoryCode: anyCategory })
export const StoreProductsParams = Type.Object({
  merchantId: uuid('The `merchant_id` of the merchant.'),
  categoryCode: anyCategory,
})
export const ProductParams = Type.Object({ productId: uuid('The `product_id` of the product.') })
export const StorePageQuery = Type.Object({ ...PAGE, after: behind('merchant') }, STRICT)
export const ProductPageQuery = Type.Object({ ...PAGE, after: behind('product') }, STRICT)

const STORE = {
  merchant_id: uuid('Names the merchant.'),
  name: text('What it calls itself.', 'Tea House'),
  category_code: categoryCode('What it mainly sells. It is found under the categories of all that it sells, too.'),
  description: text('What it says of itself; may be empty.', 'Tea from the leaf.'),
  logo_url: url('Its picture; null: it has none.'),
}
export const Store = Type.Object(STORE, { title: 'Merchant', description: 'A merchant that customers buy from.' })
export type Store = Static<typeof Store>

export const StoreList = Type.Object(
  { count, merchants: Type.Array(Store, { description: 'In the order in which they came.' }) },
  { title: 'MerchantList', description: 'One page of merchants.' },
)
export type StoreList = Static<typeof StoreList>

export const price = (description: string) => text(`${description} A decimal string.`, '12.50')

const PRODUCT = {
  product_id: uuid('Names the product; carts hold it.'),
  name: text('What it is called.', 'Green tea, 100 g'),
  description: text('What is said of it; may be empty.', 'First flush.'),
  price: price('The price of one piece, today.'),
  currency: about('The currency of all prices of its merchant.', CurrencyCode),
  inventory: Type.Integer({ minimum: 0, description: 'How many there are now. A cart keeps none of them back.' }),
  image_url: url('Its first picture; null: it has none.'),
}
export const StoreProduct = Type.Object(PRODUCT, { title: 'Product', description: 'What a merchant sells.' })
export type StoreProduct = Static<typeof StoreProduct>

export const StoreProductList = Type.Object(
  {
    count,
    merchant_id: uuid('The merchant whose products they are.'),
    category_code: text('The category, as it was asked for.', 'food'),
    products: Type.Array(StoreProduct, { description: 'In the order of the catalog.' }),
  },
  { title: 'ProductList', description: 'One page of what a merchant sells of a category.' },
)
export type StoreProductList = Static<typeof StoreProductList>

export const ProductDetails = Type.Object(
  {
    ...PRODUCT,
    category: categoryCode('What it is.'),
    merchant: about('The merchant that sells it.', Store),
    images: Type.Array(text('An address.', 'https://tea.example/green.jpg'), { description: 'All its pictures.' }),
    created_at: dateTime('When it was first sold.'),
    updated_at: dateTime('When it was last changed, but for its stock.'),
  },
  { title: 'ProductDetails', description: 'A product with its merchant.' },
)
export type ProductDetails = Static<typeof ProductDetails>
