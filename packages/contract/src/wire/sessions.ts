import { type Static, type TSchema, Type } from 'typebox'
import {
  CONFIRMATIONS,
  type Confirmation,
  INTEGRATION_TYPES,
  LINE_ITEM_STATUSES,
  MERCHANT_SCOPES,
  PRODUCT_STATUSES,
  RECURRING_FREQUENCIES,
  REPORTED_OUTCOMES,
  type ReportedOutcome,
  SESSION_STATUSES,
  TRANSACTION_STATUSES,
} from '../states.ts'
import {
  Amount,
  AmountOrZero,
  CountryCode,
  CurrencyCode,
  DateTime,
  freeText,
  HttpsUrl,
  optionalFreeText,
  optionalReference,
  reference,
} from './common.ts'
import { nullable, oneOf, STRICT } from './schema.ts'

/** Exactly one entry: the older form that clients in the field still send. */
const single = <Item extends TSchema>(item: Item) => Type.Array(item, { minItems: 1, maxItems: 1 })

const Product = Type.Object(
  {
    description: freeText(500),
    unit_price: AmountOrZero,
    product_id: optionalReference(50),
    quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
  },
  STRICT,
)

const Summary = Type.Object(
  {
    subtotal: Type.Optional(AmountOrZero),
    shipping: Type.Optional(AmountOrZero),
    tax: Type.Optional(AmountOrZero),
    discount: Type.Optional(AmountOrZero),
  },
  STRICT,
)

export const CustomPurchase = Type.Object(
  {
    merchant_details: Type.Object(
      {
        name: freeText(255),
        statement_name: Type.Optional(
          Type.String({
            maxLength: 25,
            pattern: "^[A-Za-z0-9 .,'&()/-]*[A-Za-z0-9][A-Za-z0-9 .,'&()/-]*$",
            'x-message': "must hold a letter or digit, and only A-Z, a-z, 0-9, blanks and .,'&()/-",
          }),
        ),
        url: HttpsUrl,
        country_code_iso2: CountryCode,
        category_code: optionalReference(10),
        category: optionalFreeText(100),
      },
      STRICT,
    ),
    product_details: Type.Array(Product, { minItems: 1, maxItems: 500 }),
    summary: Type.Optional(Summary),
    effective_until_minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 527_040, default: 15 })),
  },
  { ...STRICT, description: 'Merchant and products of the purchase.' },
)
export type CustomPurchase = Static<typeof CustomPurchase>

const PurchaseContext = Type.Union([
  single(CustomPurchase),
  Type.Object(
    {
      quote: Type.Optional(Type.Boolean()),
      quote_id: Type.Optional(
        Type.String({ pattern: '^qte_[A-Za-z0-9_-]{1,128}$', 'x-message': 'must be a quote id (qte_…)' }),
      ),
      custom: Type.Optional(Type.Union([single(CustomPurchase), CustomPurchase])),
    },
    STRICT,
  ),
])

const StandingMandate = Type.Object(
  {
    intent: Type.Optional(
      Type.Unsafe<'mandate_setup'>({
        type: 'string',
        enum: ['mandate_setup'],
        'x-message': 'must be one of "mandate_setup", "checkout"',
      }),
    ),
    recurring_frequency: oneOf(RECURRING_FREQUENCIES),
    merchant_scope: Type.Optional(oneOf(MERCHANT_SCOPES)),
    valid_until: Type.Optional(DateTime),
    max_charges: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
    adjustable: Type.Optional(Type.Boolean({ default: false })),
  },
  STRICT,
)

/** Of a block that says checkout nothing else is looked at. */
const NoMandate = Type.Object({ intent: Type.Literal('checkout') }, { additionalProperties: true })

const MandateSetup = Type.Union([StandingMandate, NoMandate])

const PreselectedCard = Type.Object(
  { card_id: Type.Optional(reference(64)), vault_ref_id: Type.Optional(Type.String({ format: 'uuid' })) },
  { ...STRICT, minProperties: 1, 'x-message': 'must have card_id or vault_ref_id' },
)

export const CreateSessionBody = Type.Object(
  {
    user_id: reference(255),
    user_email: Type.String({ format: 'email', maxLength: 320 }),
    total_amount: Amount,
    currency: CurrencyCode,
    purchase_context: PurchaseContext,
    user_phone: optionalFreeText(50),
    user_country_code_iso2: Type.Optional(CountryCode),
    external_order_ref: optionalReference(255),
    description: optionalFreeText(1000),
    integration_type: Type.Optional(oneOf(INTEGRATION_TYPES)),
    callback_url: Type.Optional(HttpsUrl),
    card: Type.Optional(PreselectedCard),
    mandate_setup: Type.Optional(MandateSetup),
    sandbox_simulation: Type.Optional(Type.Object({ stage: oneOf(['payment']), outcome: oneOf(['success']) }, STRICT)),
  },
  STRICT,
)
export type CreateSessionBody = Static<typeof CreateSessionBody>

export const CreateSessionResponse = Type.Object({
  session_id: Type.String(),
  session_token: Type.String({ description: 'JWT for the client SDK; expires with the session.' }),
  iframe_url: Type.String({ description: 'The secure surface. Use exactly as returned, in an iframe or a tab.' }),
  order_id: Type.String(),
  expires_at: DateTime,
})
export type CreateSessionResponse = Static<typeof CreateSessionResponse>

/** No rule on the form of an id: an id that is not one of ours is not found. */
export const SessionParams = Type.Object({ sessionId: Type.String() })

const ErrorFact = Type.Object({ code: Type.String(), message: Type.String() })
export type ErrorFact = Static<typeof ErrorFact>

const ResultProduct = Type.Object({
  product_ref_id: Type.String(),
  external_product_id: nullable(Type.String()),
  name: Type.String(),
  unit_price: Type.String(),
  quantity: Type.Integer(),
})
export type ResultProduct = Static<typeof ResultProduct>

const LineItem = Type.Object({
  txn_ref_id: Type.String(),
  merchant_name: Type.String(),
  merchant_url: Type.String(),
  total_amount: Type.String(),
  status: oneOf(LINE_ITEM_STATUSES),
  token: nullable(Type.String()),
  dynamic_cvv: nullable(Type.String()),
  expiry_month: nullable(Type.String()),
  expiry_year: nullable(Type.String()),
  products: Type.Array(ResultProduct),
  error: Type.Optional(ErrorFact),
})

export const PaymentResult = Type.Object({
  session_id: Type.String(),
  order_id: Type.String(),
  status: oneOf(SESSION_STATUSES),
  transactions: Type.Array(
    Type.Object({
      txn_id: Type.String(),
      card_id: nullable(Type.String()),
      status: oneOf(TRANSACTION_STATUSES),
      line_items: Type.Array(LineItem),
      error: Type.Optional(ErrorFact),
    }),
  ),
  error: Type.Optional(ErrorFact),
})
export type PaymentResult = Static<typeof PaymentResult>

const ReportedProduct = Type.Object(
  {
    product_id: optionalReference(50),
    product_ref_id: Type.Optional(reference(64)),
    status: oneOf(PRODUCT_STATUSES),
    amount_paid: Type.Optional(AmountOrZero),
  },
  STRICT,
)
export type ReportedProduct = Static<typeof ReportedProduct>

export const ReportStatusBody = Type.Object(
  {
    txn_ref_id: reference(64),
    txn_status: oneOf(REPORTED_OUTCOMES),
    txn_type: Type.Optional(oneOf(['PURCHASE'])),
    authorization_code: optionalReference(128),
    response_code: optionalReference(2),
    amount_paid: Type.Optional(AmountOrZero),
    product_statuses: Type.Optional(Type.Array(ReportedProduct, { maxItems: 500 })),
  },
  STRICT,
)
export type ReportStatusBody = Static<typeof ReportStatusBody>

/** The confirmation field's name carries the network's brand, which is known when the host is built. */
export interface ReportStatusResponse {
  status: 'confirmed'
  txn_ref_id: string
  txn_status: ReportedOutcome
  [confirmationField: `${string}_confirmation`]: Confirmation
}

export function reportStatusResponse(confirmationField: `${string}_confirmation`) {
  return Type.Unsafe<ReportStatusResponse>(
    Type.Object({
      status: oneOf(['confirmed']),
      txn_ref_id: Type.String(),
      txn_status: oneOf(REPORTED_OUTCOMES),
      [confirmationField]: oneOf(CONFIRMATIONS),
    }),
  )
}

export const RevokeResponse = Type.Object({ success: Type.Boolean() })
export type RevokeResponse = Static<typeof RevokeResponse>
