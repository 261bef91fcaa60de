import { type Static, Type } from 'typebox'
import { CHECKOUT_WARNINGS, type CheckoutWarningCode } from '../states.ts'
import {
  AmountOrZero,
  CountryCode,
  CurrencyCode,
  dateTime,
  displayName,
  freeText,
  optionalFreeText,
  reference,
} from './common.ts'
import { about, nullable, oneOf, STRICT, text } from './schema.ts'

const SHOP_ID = 'shop_06gq2w9k5v8c3x1t7n4m0r2hzd'
const PRODUCT_ID = 'prod_06gq2w9k5v8c3x1t7n4m0r2hzd.mug'
const VARIANT_ID = 'var_06gq2w9k5v8c3x1t7n4m0r2hzd.mug-blue'
const QUOTE_ID = 'qte_06gq2w9k5v8c3x1t7n4m0r2hzd'
const money = (description: string) => text(description, '40.00')

const CatalogMerchant = Type.Object(
  {
    id: text('What `merchant` of a request names.', SHOP_ID),
    name: text('The name customers know.', 'Sandbox Shop'),
    url: text('Address of the shop.', 'https://shop.example'),
  },
  { title: 'CatalogMerchant', description: 'A merchant that can be bought from.' },
)

const CatalogVariant = Type.Object(
  {
    variant_id: text('What an item of a quote names.', VARIANT_ID),
    title: text('What sets it apart from the others.', 'Blue'),
    price: money('Price of one, without shipping and taxes.'),
    available: Type.Boolean({ description: 'Whether the merchant has it now. Only a quote says for sure.' }),
  },
  { title: 'CatalogVariant', description: 'A product in one of its forms: what is bought.' },
)

export const CatalogProduct = Type.Object(
  {
    product_id: text('The product.', PRODUCT_ID),
    title: text('Its name.', 'Stoneware mug'),
    description: text('What the merchant says of it; may be empty.', 'Holds 300 ml.'),
    image_url: nullable(text('A picture.', 'https://shop.example/mug.png'), 'Null where the merchant shows none.'),
    merchant: CatalogMerchant,
    price: money('Of the cheapest variant.'),
    currency: about('Of all prices of the product.', CurrencyCode),
    variants: Type.Array(CatalogVariant, { description: 'Its forms; at least one.' }),
  },
  { title: 'CatalogProduct', description: 'A product of a merchant that can be bought from.' },
)
export type CatalogProduct = Static<typeof CatalogProduct>

export const MAX_PRODUCTS = 100

export const SearchCatalogBody = Type.Object(
  {
    query: optionalFreeText(200, 'Words to look for, in at most 600 bytes of UTF-8. Without them: everything.', 'mug'),
    merchant: Type.Optional(reference(64, 'Only at this merchant, by its `id`. Without it: at all of them.', SHOP_ID)),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_PRODUCTS, default: 20, description: 'How many products at most.' }),
    ),
    cursor: Type.Optional(reference(32_768, '`next_cursor` of the page before, of the same search.')),
  },
  { ...STRICT, title: 'SearchCatalogRequest', description: 'What to look for.' },
)
export type SearchCatalogBody = Static<typeof SearchCatalogBody>

export const CatalogPage = Type.Object(
  {
    products: Type.Array(CatalogProduct, { description: 'May be fewer than `limit`, also where more follow.' }),
    next_cursor: Type.Optional(text('For the next page. Absent: this was the last one.')),
  },
  { title: 'CatalogPage', description: 'Products that were found.' },
)
export type CatalogPage = Static<typeof CatalogPage>

/** No rule on the form of an id: an id that is not one of ours is not found. */
export const ProductParams = Type.Object({ productId: text('The `product_id` of a search.', PRODUCT_ID) })

const QuoteItem = Type.Object(
  {
    variant_id: reference(255, 'The `variant_id` of a product of the merchant.', VARIANT_ID),
    quantity: Type.Integer({ minimum: 1, maximum: 1000, description: 'How many.', examples: [1] }),
  },
  { ...STRICT, title: 'QuoteItem', description: 'What is to be bought, and how much of it.' },
)

/** The fields of an address of the secondary API. */
export const ShippingAddress = Type.Object(
  {
    name: displayName(100, 'Who receives it.', 'Ann Example'),
    address: freeText(200, 'Street, number, and apartment or unit.', '1 Main Street, Apt 4'),
    city: freeText(100, 'City.', 'Springfield'),
    state: optionalFreeText(100, 'State or province.', 'IL'),
    postal_code: freeText(20, 'Postal code.', '62701'),
    country: about('Country.', CountryCode),
    contact_information: Type.Optional(
      Type.Object(
        {
          phone: optionalFreeText(50, 'Phone number.', '+1 217 555 0100'),
          email: Type.Optional(
            Type.String({
              format: 'email',
              maxLength: 320,
              description: 'Email address.',
              examples: ['ann@example.com'],
            }),
          ),
        },
        { ...STRICT, title: 'ContactInformation', description: 'How the carrier reaches them.' },
      ),
    ),
  },
  {
    ...STRICT,
    title: 'ShippingAddress',
    description: 'Where to send it. The merchant is told, and prices shipping and taxes by it; it is not kept here.',
  },
)

export const CreateQuoteBody = Type.Object(
  {
    merchant: reference(64, 'The merchant, by its `id`.', SHOP_ID),
    items: Type.Array(QuoteItem, {
      minItems: 1,
      maxItems: 50,
      description: 'What is to be bought; each variant once.',
    }),
    shipping_address: Type.Optional(ShippingAddress),
    email: Type.Optional(
      Type.String({
        format: 'email',
        maxLength: 320,
        description: 'Where the merchant writes to about the order. It is told, and not kept here.',
        examples: ['ann@example.com'],
      }),
    ),
  },
  { ...STRICT, title: 'CreateQuoteRequest', description: 'What is to be bought, and where it is to be sent.' },
)
export type CreateQuoteBody = Static<typeof CreateQuoteBody>

const QuoteMerchant = Type.Object(
  {
    ...CatalogMerchant.properties,
    country_code_iso2: text('Where the merchant is.', 'US'),
  },
  { title: 'QuoteMerchant', description: 'Who sells it, and is paid.' },
)

const Breakdown = Type.Object(
  {
    items: about('Sum of the lines.', AmountOrZero),
    shipping: about('Shipping.', AmountOrZero),
    tax: about('Taxes.', AmountOrZero),
    discount: about('What is taken off, as a positive amount.', AmountOrZero),
  },
  { title: 'QuoteBreakdown', description: 'items + shipping + tax − discount = the total.' },
)

const QuoteLine = Type.Object(
  {
    product_id: text('The product.', PRODUCT_ID),
    variant_id: text('The variant.', VARIANT_ID),
    title: text('What is bought, as the cardholder reads it.', 'Stoneware mug, blue'),
    quantity: Type.Integer({ description: 'How many.' }),
    unit_price: money('Price of one.'),
    total: money('Price of all of them.'),
  },
  { title: 'QuoteLine', description: 'One line of the purchase.' },
)

const QuoteWarning = Type.Object(
  {
    code: oneOf(Object.keys(CHECKOUT_WARNINGS) as CheckoutWarningCode[], {
      title: 'QuoteWarningCode',
      description: 'Stable; branch on this.',
    }),
    message: text('For people; may change.'),
  },
  { title: 'QuoteWarning', description: 'What may be wrong, and keeps nothing from being bought.' },
)

export const Quote = Type.Object(
  {
    quote_id: text('What a session names.', QUOTE_ID),
    merchant: QuoteMerchant,
    total_amount: money('What the session must ask for.'),
    currency: about('Of all amounts of the quote.', CurrencyCode),
    breakdown: Breakdown,
    line_items: Type.Array(QuoteLine, { description: 'What is bought.' }),
    warnings: Type.Array(QuoteWarning, { description: 'None: empty.' }),
    expires_at: dateTime('Until then a session can be created from it.'),
  },
  { title: 'Quote', description: 'What a merchant wants for some of its products, for 15 minutes.' },
)
export type Quote = Static<typeof Quote>

/** No rule on the form of an id: an id that is not one of ours is not found. */
export const QuoteParams = Type.Object({ quoteId: text('The `quote_id` of the creation.', QUOTE_ID) })
