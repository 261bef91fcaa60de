import { type Static, Type } from 'typebox'
import { CHARGE_LIMITS, ESCALATION_STATUSES } from '../agents.ts'
import {
  CONFIRMATIONS,
  type Confirmation,
  FETCH_STATUSES,
  MANDATE_STATUSES,
  type MandateStatus,
  TRANSACTION_STATUSES,
} from '../states.ts'
import { EncryptedPayload } from './agent-payload.ts'
import { Amount, AmountOrZero, dateTime, optionalReference } from './common.ts'
import { ChargingQuery, MandateParams } from './mandates.ts'
import { about, nullable, oneOf, STRICT, text } from './schema.ts'
import { MerchantDetails, Outcome, Product, Summary } from './sessions.ts'

const ChargePurchase = Type.Object(
  {
    merchant_details: Type.Optional(MerchantDetails),
    product_details: Type.Array(Product, { minItems: 1, maxItems: 500, description: 'What is bought.' }),
    summary: Type.Optional(Summary),
    effective_until_minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 43_200,
        default: 1_440,
        description:
          'How long the credential lives once it is issued. It lapses earlier where its mandate ends earlier.',
      }),
    ),
  },
  {
    ...STRICT,
    title: 'ChargePurchase',
    description: "What one charge is for. Without `merchant_details` the mandate's own merchant is meant.",
  },
)
export type ChargePurchase = Static<typeof ChargePurchase>

/** As a session has it: some clients send the same object to both. */
const WrappedPurchase = Type.Object(
  { custom: ChargePurchase },
  { ...STRICT, title: 'WrappedChargePurchase', description: 'The same, wrapped as in a session.' },
)

/** It becomes a part of a path at the shop: no character that ends one, and no part that means another. */
const CHECKOUT_SESSION_ID = '^(?!\\.{1,2}$)[A-Za-z0-9._:~-]{1,200}$'
const DELIVERY_TYPES = ['acp'] as const
const deliveryType = oneOf(DELIVERY_TYPES, {
  title: 'DeliveryType',
  description: "`acp`: the shop's own token, by the Agentic Commerce Protocol.",
})
const checkoutSessionId = (description: string) =>
  Type.String({ pattern: CHECKOUT_SESSION_ID, description, examples: ['cs_01HV3P3XYZ789'] })

const DeliveryRequest = Type.Object(
  { type: deliveryType, checkout_session_id: checkoutSessionId('Your checkout session at the shop.') },
  {
    ...STRICT,
    title: 'DeliveryRequest',
    description:
      "For agents: the card goes to the shop, and what is answered is the shop's token for it, good for this checkout session, this amount and " +
      'this merchant. The merchant of the charge has to be a shop that the operator has registered as speaking that protocol, and the amount the ' +
      'total of the session.',
  },
)

export const ChargeBody = Type.Object(
  {
    amount: about('What is charged, in the currency of the mandate.', Amount),
    reference: optionalReference(
      255,
      'Your own key of the charge: the same one again returns the first charge, unless that one failed.',
      'invoice-2026-11',
    ),
    delivery: Type.Optional(DeliveryRequest),
    purchase_context: Type.Optional(
      Type.Array(Type.Union([ChargePurchase, WrappedPurchase]), {
        minItems: 1,
        maxItems: 1,
        description:
          'What is bought. Exactly one entry, with the fields that `custom` has in a session; it may also be wrapped in `custom`.',
      }),
    ),
  },
  { ...STRICT, title: 'ChargeRequest', description: 'One charge against a standing mandate.' },
)
export type ChargeBody = Static<typeof ChargeBody>

export const ChargeQuery = Type.Object(
  {
    dry_run: Type.Optional(
      oneOf(['true', 'false'], {
        default: 'false',
        description: 'Only says whether the charge would pass, and why not. Nothing is charged or written.',
      }),
    ),
    ...ChargingQuery.properties,
  },
  STRICT,
)
export type ChargeQuery = Static<typeof ChargeQuery>

const Credentials = Type.Object(
  {
    token: text('Number of the virtual card.'),
    dynamicCvv: text('Its CVV.'),
    expiryMonth: text('Month it is printed with, two digits.', '12'),
    expiryYear: text('Year it is printed with, four digits.', '2026'),
  },
  { title: 'ChargeCredentials', description: 'A virtual card for one payment, at one merchant.' },
)

const Refused = Type.Object(
  {
    limit: oneOf(CHARGE_LIMITS, {
      title: 'ChargeLimit',
      description: 'What refuses it: the mandate, or a limit that the owner has set for the agent.',
    }),
    left: nullable(
      Type.String(),
      'What could be charged now, or how many charges; null where it is no question of how much.',
    ),
    renews_at: nullable(
      Type.String({ format: 'date-time' }),
      'When there will be more, or when the hours of the owner begin; null: not by itself.',
    ),
    can_ask: Type.Boolean({
      description: 'Whether the owner can be asked to allow it: a charge with a `reference` asks by itself.',
    }),
  },
  { title: 'ChargeRefusal', description: 'For agents: why the charge was refused, and what can be done.' },
)

const Escalation = Type.Object(
  {
    id: text('The question.', 'esc_01jd3x8p6v0q4r5s6t7v8w9xyz'),
    status: oneOf(ESCALATION_STATUSES, {
      title: 'EscalationStatus',
      description:
        '`pending`: the owner is being asked. Send the same charge again, with its `reference`, to see what came of it.',
    }),
    expires_at: dateTime('Until when the owner can answer.'),
    url: text('Where the owner answers. Show it to your owner, and to nobody else.'),
  },
  {
    title: 'Escalation',
    description: 'For agents: what the owner is asked to allow. Once allowed, the same `reference` is charged once.',
  },
)

const Delivery = Type.Object(
  {
    type: deliveryType,
    checkout_session_id: checkoutSessionId('The checkout session that it is for.'),
    token: Type.Optional(
      Type.String({
        description:
          "The shop's token, for `payment_data` of its `complete`. Only while a result is awaited, and until `expiresAt`.",
        examples: ['vt_01J8Z3WXYZ9ABC123'],
      }),
    ),
    handler_id: Type.Optional(Type.String({ description: 'The payment handler of the session that takes the token.' })),
  },
  { title: 'Delivery', description: 'For agents: of a charge with `delivery`, what there is in place of a card.' },
)

const mandateId = text('The mandate.', 'mdt_06gq2w9k5v8c3x1t7n4m0r2hzd')
const orderId = text('The order that the mandate was set up for.', 'ord_7k2m9q4w1x8c3v5t0r6n2hfzjd')
const ChargeStatus = oneOf(TRANSACTION_STATUSES, { title: 'TransactionStatus', description: 'How the charge stands.' })

export const ChargeResponse = Type.Object(
  {
    mandateId,
    instructionId: text("The card network's name of the mandate.", 'ins_01hzy6m3c9x0k4t8vq2w5n7p1r'),
    transactionId: nullable(
      Type.String(),
      'The charge; the report names it. Null when nothing was charged (`dry_run`).',
    ),
    orderId,
    status: about(
      '`awaiting_result`: report what becomes of it. `failed`: nothing was charged. An earlier charge as it stands now: `completed` once it was reported as approved.',
      ChargeStatus,
    ),
    fetchStatus: oneOf(FETCH_STATUSES, {
      title: 'FetchStatus',
      description: 'Whether the card network issued a credential.',
    }),
    credentials: nullable(Credentials, 'Only while a result is awaited, and until `expiresAt`. Null for agents.'),
    encrypted_payload: Type.Optional(EncryptedPayload),
    delivery: Type.Optional(Delivery),
    expiresAt: nullable(dateTime('When the credential lapses, or lapsed.'), 'Null where none was issued.'),
    errorCode: nullable(Type.String(), 'Why it failed, as `THRESHOLD_EXCEEDED`; null when it did not.'),
    errorMessage: nullable(
      Type.String(),
      'The same code, and in words. For agents these say which limit it was, what is left, when there will be more, and whether the owner is asked.',
    ),
    deduplicated: Type.Boolean({ description: 'True: this is the charge that was made with this `reference` before.' }),
    amount: text('Of this charge; of an earlier one, its own.', '40.00'),
    currency: text('Of the amount.', 'USD'),
    details: Type.Optional(Refused),
    escalation: Type.Optional(Escalation),
    possible_duplicate_of: Type.Optional(
      Type.String({
        description:
          'For agents: a charge of the last five minutes with the same merchant, amount and lines. Send a `reference` to be sure.',
      }),
    ),
    dryRun: Type.Optional(Type.Boolean({ description: 'True: nothing was charged. Absent otherwise.' })),
  },
  { title: 'MandateChargeResult', description: 'One charge, with the credential to make the payment.' },
)
export type ChargeResponse = Static<typeof ChargeResponse>

export const ChargeParams = Type.Object({
  ...MandateParams.properties,
  txnId: text('The `transactionId` of the charge.'),
})

export const ChargeReportBody = Type.Object(
  {
    txn_status: Outcome,
    txn_type: oneOf(['PURCHASE'], { description: 'What kind of transaction it was.' }),
    authorization_code: optionalReference(128, "The acquirer's authorization code.", '123456'),
    response_code: optionalReference(2, "The acquirer's response code (ISO 8583).", '00'),
    amount_paid: Type.Optional(about('What was paid.', AmountOrZero)),
  },
  { ...STRICT, title: 'ChargeReportRequest', description: 'What became of a charge.' },
)
export type ChargeReportBody = Static<typeof ChargeReportBody>

/** The confirmation field's name carries the network's brand, which is known when the host is built. */
export interface ChargeReportResponse {
  mandateId: string
  transactionId: string
  orderId: string
  status: 'completed' | 'failed'
  mandateStatus: MandateStatus
  [confirmationField: `${string}Confirmation`]: Confirmation
}

export function chargeReportResponse(confirmationField: `${string}Confirmation`) {
  return Type.Unsafe<ChargeReportResponse>(
    Type.Object(
      {
        mandateId,
        transactionId: text('The charge.', 'txn_0n2hd4fz9w2r7c0m8k1q6t3x5v'),
        orderId,
        status: oneOf(['completed', 'failed'], { description: 'How the charge ended.' }),
        mandateStatus: oneOf(MANDATE_STATUSES, {
          title: 'MandateStatus',
          description: 'How the mandate stands now. `one_time` ends with its payment.',
        }),
        [confirmationField]: oneOf(CONFIRMATIONS, {
          title: 'Confirmation',
          description: 'Whether the card network agrees.',
        }),
      },
      { title: 'ChargeReportResult', description: 'The first result of the report, also for later equal ones.' },
    ),
  )
}
