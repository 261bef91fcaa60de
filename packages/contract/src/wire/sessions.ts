import { type Static, type TSchema, Type } from 'typebox'
import {
  CONFIRMATIONS,
  type Confirmation,
  INTEGRATION_TYPES,
  MERCHANT_SCOPES,
  PRODUCT_STATUSES,
  RECURRING_FREQUENCIES,
  REPORTED_OUTCOMES,
  type ReportedOutcome,
} from '../states.ts'
import {
  Amount,
  AmountOrZero,
  CountryCode,
  CurrencyCode,
  dateTime,
  displayName,
  freeText,
  httpsUrl,
  LanguageTag,
  optionalFreeText,
  optionalReference,
  reference,
  userId,
} from './common.ts'
import { about, oneOf, STRICT, text } from './schema.ts'

/** Exactly one entry: the older form that clients in the field still send. */
export const single = <Item extends TSchema>(item: Item, description: string) =>
  Type.Array(item, { minItems: 1, maxItems: 1, description })

export const Product = Type.Object(
  {
    description: freeText(500, 'What is bought, as the cardholder reads it.', 'Stoneware mug'),
    unit_price: about('Price of one.', AmountOrZero),
    product_id: optionalReference(50, 'Your own id of the product; reports may name it.', 'sku-1'),
    quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1, description: 'How many.' })),
  },
  { ...STRICT, title: 'ProductDetails', description: 'One line of a purchase.' },
)

export const Summary = Type.Object(
  {
    subtotal: Type.Optional(about('Sum of the lines.', AmountOrZero)),
    shipping: Type.Optional(about('Shipping.', AmountOrZero)),
    tax: Type.Optional(about('Tax.', AmountOrZero)),
    discount: Type.Optional(about('What is taken off, as a positive amount.', AmountOrZero)),
  },
  {
    ...STRICT,
    title: 'PurchaseSummary',
    description: 'How the total comes about. Shown to the cardholder, and signed, when it is not the sum of the lines.',
  },
)

export const MerchantDetails = Type.Object(
  {
    name: displayName(
      255,
      'The name customers know, in any script. It is what the cardholder sees and signs.',
      'Tea House',
    ),
    statement_name: Type.Optional(
      Type.String({
        maxLength: 25,
        pattern: "^[ .,'&()/-]*[A-Za-z0-9][A-Za-z0-9 .,'&()/-]*$",
        'x-message': "must hold a letter or digit, and only A-Z, a-z, 0-9, blanks and .,'&()/-",
        description:
          'What the card network is told when `name` has nothing in it that networks carry. Without it, the host of `url`.',
        examples: ['TEA HOUSE'],
      }),
    ),
    url: httpsUrl('Address of the shop. The credential works at its host only.', 'https://tea.example'),
    country_code_iso2: about('Where the merchant is.', CountryCode),
    category_code: optionalReference(10, 'Merchant category code.', '5499'),
    category: optionalFreeText(100, 'The same in words.', 'Food'),
  },
  { ...STRICT, title: 'MerchantDetails', description: 'Who is paid.' },
)

export const CustomPurchase = Type.Object(
  {
    merchant_details: MerchantDetails,
    product_details: Type.Array(Product, { minItems: 1, maxItems: 500, description: 'What is bought.' }),
    summary: Type.Optional(Summary),
    effective_until_minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 527_040,
        default: 15,
        description:
          'How long the approval can be charged once it is given. The credential is printed to last that long.',
      }),
    ),
  },
  { ...STRICT, title: 'Purchase', description: 'Merchant and products of a purchase.' },
)
export type CustomPurchase = Static<typeof CustomPurchase>

const OneMode = Type.Object(
  {
    quote: Type.Optional(
      Type.Boolean({ default: false, description: 'True: the purchase is the one that a quote describes.' }),
    ),
    quote_id: Type.Optional(
      Type.String({
        pattern: '^qte_[A-Za-z0-9_-]{1,128}$',
        'x-message': 'must be a quote id (qte_…)',
        description: 'The quote. Only with `quote: true`.',
      }),
    ),
    custom: Type.Optional(
      Type.Union([CustomPurchase, single(CustomPurchase, 'An older form.')], {
        description: 'The purchase itself. Only without `quote`.',
      }),
    ),
  },
  { ...STRICT, description: 'Exactly one of two modes.' },
)

const PurchaseContext = Type.Union([OneMode, single(CustomPurchase, 'The older form.')], {
  title: 'PurchaseContext',
  description: 'What is bought: by quote, or described here.',
})

const StandingMandate = Type.Object(
  {
    intent: Type.Optional(
      Type.Unsafe<'mandate_setup'>({
        type: 'string',
        enum: ['mandate_setup'],
        default: 'mandate_setup',
        'x-message': 'must be one of "mandate_setup", "checkout"',
        description: 'That this session sets up a mandate.',
      }),
    ),
    recurring_frequency: oneOf(RECURRING_FREQUENCIES, {
      title: 'RecurringFrequency',
      description: 'How often the amount becomes available again.',
    }),
    merchant_scope: Type.Optional(
      oneOf(MERCHANT_SCOPES, {
        title: 'MerchantScope',
        default: 'listed',
        description: 'Which merchants may be paid: the one named here, or any.',
      }),
    ),
    valid_until: Type.Optional(
      dateTime('End of the mandate. Ignored for `one_time`, cut to 1, 2 or 5 years for weekly, monthly and yearly.'),
    ),
    max_charges: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        description: 'How many charges there may be at most. Ignored for `one_time`, which is for one.',
      }),
    ),
    adjustable: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Lets the cardholder lower the amount or the end, never raise them.',
      }),
    ),
  },
  {
    ...STRICT,
    title: 'MandateSetup',
    description: 'A standing mandate to be approved. The session issues no credential.',
  },
)

const NoMandate = Type.Object(
  { intent: Type.Literal('checkout', { description: 'That this session is an ordinary checkout.' }) },
  {
    additionalProperties: true,
    title: 'NoMandateSetup',
    description: 'An ordinary checkout: nothing else in the block is looked at.',
  },
)

export const MandateSetup = Type.Union([StandingMandate, NoMandate], {
  description: 'Makes the session authorize-only.',
})

const PreselectedCard = Type.Object(
  {
    card_id: Type.Optional(reference(64, 'An enrolled card of the customer. Wins over `vault_ref_id`.', 'card_1')),
    vault_ref_id: Type.Optional(Type.String({ format: 'uuid', description: 'A vault record of yours.' })),
  },
  {
    ...STRICT,
    minProperties: 1,
    'x-message': 'must have card_id or vault_ref_id',
    title: 'PreselectedCard',
    description: 'The card to begin with. Without it the cardholder chooses or enters one.',
  },
)

const SandboxSimulation = Type.Object(
  {
    stage: oneOf(['payment'], { description: 'What is simulated.' }),
    outcome: oneOf(['success'], { description: 'How it ends.' }),
  },
  { ...STRICT, title: 'SandboxSimulation', description: 'Sandbox and quote-backed sessions only.' },
)

export const CreateSessionBody = Type.Object(
  {
    user_id: userId('allowed'),
    user_email: Type.String({
      format: 'email',
      maxLength: 320,
      description: "The customer's email address; may be international (RFC 6531).",
      examples: ['ann@example.com'],
    }),
    total_amount: about('What the cardholder approves. It need not be the sum of the lines.', Amount),
    currency: about('Of all amounts of the session.', CurrencyCode),
    purchase_context: PurchaseContext,
    user_phone: optionalFreeText(50, "The customer's phone number.", '+49 30 123456'),
    user_country_code_iso2: Type.Optional(about("The customer's country.", CountryCode)),
    external_order_ref: optionalReference(255, 'Your own reference of the order; events carry it.', 'order-10042'),
    description: optionalFreeText(1000, 'What the purchase is for, as the cardholder reads it.', 'Order 10042'),
    integration_type: Type.Optional(
      oneOf(INTEGRATION_TYPES, {
        title: 'IntegrationType',
        default: 'full_checkout',
        description: 'Whether the page is opened as a tab (`full_checkout`) or framed by yours (`embedding`).',
      }),
    ),
    callback_url: Type.Optional(
      httpsUrl('Where a hosted page returns to, with `session_id` added.', 'https://shop.example/done'),
    ),
    locale: Type.Optional(LanguageTag),
    card: Type.Optional(PreselectedCard),
    mandate_setup: Type.Optional(MandateSetup),
    sandbox_simulation: Type.Optional(SandboxSimulation),
  },
  { ...STRICT, title: 'CreateSessionRequest', description: 'One purchase by one customer.' },
)
export type CreateSessionBody = Static<typeof CreateSessionBody>

export const sessionId = text('The session.', 'sess_01hzy6m3c9x0k4t8vq2w5n7p1r')
export const orderId = text('Our own id of the order.', 'ord_01hzy6m3c9x0k4t8vq2w5n7p1r')

/** What an answer adds for a session that sets up a mandate. */
export const AUTHORIZE_ONLY = {
  authorizeOnly: Type.Optional(
    Type.Literal(true, {
      description: 'That the session sets up a mandate, and issues no credential. Absent otherwise.',
    }),
  ),
  mandate_id: Type.Optional(
    Type.String({
      description: 'The mandate that is set up, `pending` until it is approved. Absent otherwise.',
      examples: ['mdt_06gq2w9k5v8c3x1t7n4m0r2hzd'],
    }),
  ),
}

export const CreateSessionResponse = Type.Object(
  {
    session_id: sessionId,
    session_token: text('JWT for the client SDK; expires with the session.'),
    iframe_url: text('The secure surface. Use exactly as returned, in an iframe or a tab.'),
    order_id: orderId,
    expires_at: dateTime('When the cardholder can no longer approve.'),
    ...AUTHORIZE_ONLY,
  },
  { title: 'Session', description: 'A new session, and where the cardholder approves it.' },
)
export type CreateSessionResponse = Static<typeof CreateSessionResponse>

/** No rule on the form of an id: an id that is not one of ours is not found. */
export const SessionParams = Type.Object({ sessionId: text('The `session_id` of the creation.') })

const ReportedProduct = Type.Object(
  {
    product_id: optionalReference(50, 'The product by your own id.', 'sku-1'),
    product_ref_id: Type.Optional(reference(64, 'The product by our reference. Both must mean the same one.')),
    status: oneOf(PRODUCT_STATUSES, { title: 'ProductStatus', description: 'What became of it.' }),
    amount_paid: Type.Optional(about('What was paid for it.', AmountOrZero)),
  },
  { ...STRICT, title: 'ReportedProduct', description: 'What became of one product; recorded, and no more.' },
)
export type ReportedProduct = Static<typeof ReportedProduct>

export const Outcome = oneOf(REPORTED_OUTCOMES, { title: 'ReportedOutcome', description: 'How the checkout ended.' })

export const ReportStatusBody = Type.Object(
  {
    txn_ref_id: reference(64, 'The line item.', 'tli_01hzy6m3c9x0k4t8vq2w5n7p1r'),
    txn_status: Outcome,
    txn_type: Type.Optional(
      oneOf(['PURCHASE'], { default: 'PURCHASE', description: 'What kind of transaction it was.' }),
    ),
    authorization_code: optionalReference(128, "The acquirer's authorization code.", '123456'),
    response_code: optionalReference(2, "The acquirer's response code (ISO 8583).", '00'),
    amount_paid: Type.Optional(about('What was paid in all.', AmountOrZero)),
    product_statuses: Type.Optional(
      Type.Array(ReportedProduct, { maxItems: 500, description: 'What became of single products.' }),
    ),
  },
  { ...STRICT, title: 'ReportStatusRequest', description: 'What became of a checkout.' },
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
    Type.Object(
      {
        status: oneOf(['confirmed'], { description: 'The report is recorded.' }),
        txn_ref_id: text('The line item.'),
        txn_status: Outcome,
        [confirmationField]: oneOf(CONFIRMATIONS, {
          title: 'Confirmation',
          description: 'Whether the card network agrees.',
        }),
      },
      { title: 'ReportStatusResult', description: 'The first result of the report, also for later equal ones.' },
    ),
  )
}

export const RevokeResponse = Type.Object(
  { success: Type.Boolean({ description: 'Always true.' }) },
  { title: 'RevokeResult', description: 'The session is revoked.' },
)
export type RevokeResponse = Static<typeof RevokeResponse>
