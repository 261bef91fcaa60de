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
import { Amount, Country, CurrencyCode, DateTime, HttpsUrl, typedText } from './common.ts'
import { nullable, oneOf, STRICT } from './schema.ts'

/** Exactly one entry: the older form that clients in the field still send. */
const single = <Item extends TSchema>(item: Item) => Type.Array(item, { minItems: 1, maxItems: 1 })

const Product = Type.Object(
  {
    description: typedText(500),
    unit_price: Amount,
    product_id: Type.Optional(typedText(50)),
    quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
  },
  STRICT,
)

export const CustomPurchase = Type.Object(
  {
    merchant_details: Type.Object(
      {
        name: typedText(255),
        url: HttpsUrl,
        country_code_iso2: Country,
        category_code: Type.Optional(typedText(10)),
        category: Type.Optional(typedText(100)),
      },
      STRICT,
    ),
    product_details: Type.Array(Product, { minItems: 1, maxItems: 500 }),
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

const MandateSetup = Type.Object(
  {
    intent: Type.Optional(oneOf(['mandate_setup', 'checkout'])),
    recurring_frequency: oneOf(RECURRING_FREQUENCIES),
    merchant_scope: Type.Optional(oneOf(MERCHANT_SCOPES)),
    valid_until: Type.Optional(DateTime),
    max_charges: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
  },
  STRICT,
)

const PreselectedCard = Type.Object(
  { card_id: Type.Optional(typedText(64)), vault_ref_id: Type.Optional(Type.String({ format: 'uuid' })) },
  { ...STRICT, minProperties: 1, 'x-message': 'must have card_id or vault_ref_id' },
)

export const CreateSessionBody = Type.Object(
  {
    user_id: typedText(255),
    user_email: Type.String({ format: 'email', maxLength: 320 }),
    total_amount: Amount,
    currency: CurrencyCode,
    purchase_context: PurchaseContext,
    user_phone: Type.Optional(typedText(50)),
    user_country_code_iso2: Type.Optional(Country),
    external_order_ref: Type.Optional(typedText(255)),
    description: Type.Optional(Type.String({ maxLength: 1000, format: 'clean-text' })),
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
    product_id: Type.Optional(typedText(50)),
    product_ref_id: Type.Optional(typedText(64)),
    status: oneOf(PRODUCT_STATUSES),
    amount_paid: Type.Optional(Amount),
  },
  STRICT,
)
export type ReportedProduct = Static<typeof ReportedProduct>

export const ReportStatusBody = Type.Object(
  {
    txn_ref_id: typedText(64),
    txn_status: oneOf(REPORTED_OUTCOMES),
    txn_type: Type.Optional(oneOf(['PURCHASE'])),
    authorization_code: Type.Optional(typedText(128)),
    response_code: Type.Optional(typedText(2)),
    amount_paid: Type.Optional(Amount),
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
