import {
  CURRENCIES,
  INTEGRATION_TYPES,
  LINE_ITEM_STATUSES,
  MERCHANT_SCOPES,
  PAYMENT_FAILURES,
  type PaymentFailure,
  PRODUCT_STATUSES,
  RECURRING_FREQUENCIES,
  REPORTED_OUTCOMES,
  SESSION_STATUSES,
  TRANSACTION_STATUSES,
} from '@mintmark/contract'
import { type Static, type TSchema, Type } from 'typebox'
import type { StoredProduct } from '../charges/service.ts'
import { AMOUNT_PATTERN, amountFromMinor } from '../platform/money.ts'
import type { WireCredential } from '../vault/service.ts'
import { LINE_ITEM_STATUS_OF, TRANSACTION_STATUS_OF } from './rules.ts'
import type { SessionRow } from './store.ts'

const strict = { additionalProperties: false } as const

export const Amount = Type.String({
  pattern: AMOUNT_PATTERN,
  'x-message': 'must be a decimal string with up to 12 integer digits and up to 2 decimals, such as "40.00"',
  examples: ['40.00'],
})
const Country = Type.String({ pattern: '^[A-Z]{2}$', 'x-message': 'must be 2 uppercase letters (ISO 3166-1)' })
const HttpsUrl = Type.String({ format: 'https-url', maxLength: 2048 })
const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength, format: 'clean-text' })
const OneOf = <T extends string>(values: readonly T[]) => Type.Unsafe<T>({ type: 'string', enum: [...values] })

/** Exactly one entry: the older form that clients in the field still send. */
const single = <Item extends TSchema>(item: Item) => Type.Array(item, { minItems: 1, maxItems: 1 })

const Product = Type.Object(
  {
    description: Text(500),
    unit_price: Amount,
    product_id: Type.Optional(Text(50)),
    quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
  },
  strict,
)

export const CustomPurchase = Type.Object(
  {
    merchant_details: Type.Object(
      {
        name: Text(255),
        url: HttpsUrl,
        country_code_iso2: Country,
        category_code: Type.Optional(Text(10)),
        category: Type.Optional(Text(100)),
      },
      strict,
    ),
    product_details: Type.Array(Product, { minItems: 1, maxItems: 500 }),
    effective_until_minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 527_040, default: 15 })),
  },
  { ...strict, description: 'Merchant and products of the purchase.' },
)

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
    strict,
  ),
])

const MandateSetup = Type.Object(
  {
    intent: Type.Optional(OneOf(['mandate_setup', 'checkout'])),
    recurring_frequency: OneOf(RECURRING_FREQUENCIES),
    merchant_scope: Type.Optional(OneOf(MERCHANT_SCOPES)),
    valid_until: Type.Optional(Type.String({ format: 'date-time' })),
    max_charges: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
  },
  strict,
)

export const CreateSessionBody = Type.Object(
  {
    user_id: Text(255),
    user_email: Type.String({ format: 'email', maxLength: 320 }),
    total_amount: Amount,
    currency: Type.Unsafe<(typeof CURRENCIES)[number]>({
      type: 'string',
      enum: [...CURRENCIES],
      'x-message': 'must be one of the supported currencies, 3 uppercase letters',
    }),
    purchase_context: PurchaseContext,
    user_phone: Type.Optional(Text(50)),
    user_country_code_iso2: Type.Optional(Country),
    external_order_ref: Type.Optional(Text(255)),
    description: Type.Optional(Type.String({ maxLength: 1000, format: 'clean-text' })),
    integration_type: Type.Optional(OneOf(INTEGRATION_TYPES)),
    callback_url: Type.Optional(HttpsUrl),
    card: Type.Optional(
      Type.Object(
        { card_id: Type.Optional(Text(64)), vault_ref_id: Type.Optional(Type.String({ format: 'uuid' })) },
        { ...strict, minProperties: 1, 'x-message': 'must have card_id or vault_ref_id' },
      ),
    ),
    mandate_setup: Type.Optional(MandateSetup),
    sandbox_simulation: Type.Optional(
      Type.Object(
        {
          stage: Type.Unsafe<'payment'>({ type: 'string', enum: ['payment'] }),
          outcome: Type.Unsafe<'success'>({ type: 'string', enum: ['success'] }),
        },
        strict,
      ),
    ),
  },
  strict,
)
export type CreateSessionBody = Static<typeof CreateSessionBody>
export type CustomPurchase = Static<typeof CustomPurchase>

export const CreateSessionResponse = Type.Object({
  session_id: Type.String(),
  session_token: Type.String({ description: 'JWT for the client SDK; expires with the session.' }),
  iframe_url: Type.String({ description: 'The secure surface. Use exactly as returned, in an iframe or a tab.' }),
  order_id: Type.String(),
  expires_at: Type.String({ format: 'date-time' }),
})

/** No rule on the form of an id: whatever is not one of ours is not found. */
export const SessionParams = Type.Object({ sessionId: Type.String() })

const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()])
const ErrorFact = Type.Object({ code: Type.String(), message: Type.String() })

export const PaymentResult = Type.Object({
  session_id: Type.String(),
  order_id: Type.String(),
  status: OneOf(SESSION_STATUSES),
  transactions: Type.Array(
    Type.Object({
      txn_id: Type.String(),
      card_id: nullable(Type.String()),
      status: OneOf(TRANSACTION_STATUSES),
      line_items: Type.Array(
        Type.Object({
          txn_ref_id: Type.String(),
          merchant_name: Type.String(),
          merchant_url: Type.String(),
          total_amount: Type.String(),
          status: OneOf(LINE_ITEM_STATUSES),
          token: nullable(Type.String()),
          dynamic_cvv: nullable(Type.String()),
          expiry_month: nullable(Type.String()),
          expiry_year: nullable(Type.String()),
          products: Type.Array(
            Type.Object({
              product_ref_id: Type.String(),
              external_product_id: nullable(Type.String()),
              name: Type.String(),
              unit_price: Type.String(),
              quantity: Type.Integer(),
            }),
          ),
          error: Type.Optional(ErrorFact),
        }),
      ),
      error: Type.Optional(ErrorFact),
    }),
  ),
  error: Type.Optional(ErrorFact),
})

function errorFact(code: PaymentFailure | null): { error?: Static<typeof ErrorFact> } {
  return code === null ? {} : { error: { code, message: PAYMENT_FAILURES[code] } }
}

function toWireProduct(product: StoredProduct) {
  return {
    product_ref_id: product.ref,
    external_product_id: product.externalId,
    name: product.name,
    unit_price: product.unitPrice,
    quantity: product.quantity,
  }
}

/** A payment result as the merchant reads it; `credential` only while the session awaits its report. */
export function toWirePaymentResult(
  session: SessionRow,
  credential: WireCredential | null,
): Static<typeof PaymentResult> {
  const error = errorFact(session.failure_code)
  return {
    session_id: session.id,
    order_id: session.order_id,
    status: session.status,
    transactions: [
      {
        txn_id: session.charge_id,
        card_id: session.card_id,
        status: TRANSACTION_STATUS_OF[session.charge_status],
        line_items: [
          {
            txn_ref_id: session.line_item_id,
            merchant_name: session.payee_name,
            merchant_url: session.payee_url,
            total_amount: amountFromMinor(session.amount_minor),
            status: LINE_ITEM_STATUS_OF[session.charge_status],
            token: credential?.token ?? null,
            dynamic_cvv: credential?.dynamic_cvv ?? null,
            expiry_month: credential?.expiry_month ?? null,
            expiry_year: credential?.expiry_year ?? null,
            products: session.products.map(toWireProduct),
            ...error,
          },
        ],
        ...error,
      },
    ],
    ...error,
  }
}

export const ReportStatusBody = Type.Object(
  {
    txn_ref_id: Text(64),
    txn_status: OneOf(REPORTED_OUTCOMES),
    txn_type: Type.Optional(OneOf(['PURCHASE'])),
    authorization_code: Type.Optional(Text(128)),
    response_code: Type.Optional(Text(2)),
    amount_paid: Type.Optional(Amount),
    product_statuses: Type.Optional(
      Type.Array(
        Type.Object(
          {
            product_id: Type.Optional(Text(50)),
            product_ref_id: Type.Optional(Text(64)),
            status: OneOf(PRODUCT_STATUSES),
            amount_paid: Type.Optional(Amount),
          },
          strict,
        ),
        { maxItems: 500 },
      ),
    ),
  },
  strict,
)
export type ReportStatusBody = Static<typeof ReportStatusBody>

/** The confirmation field's name carries the network's brand. */
export function reportStatusResponse(confirmationField: string) {
  return Type.Object({
    status: Type.Unsafe<'confirmed'>({ type: 'string', enum: ['confirmed'] }),
    txn_ref_id: Type.String(),
    txn_status: OneOf(REPORTED_OUTCOMES),
    [confirmationField]: OneOf(['SUCCESS', 'FAILURE']),
  })
}

export const RevokeResponse = Type.Object({ success: Type.Boolean() })
