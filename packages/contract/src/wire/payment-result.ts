import { type Static, Type } from 'typebox'
import {
  LINE_ITEM_STATUSES,
  MERCHANT_RESULT_STATUSES,
  OBSERVED_STATUSES,
  SESSION_STATUSES,
  TRANSACTION_STATUSES,
} from '../states.ts'
import { about, nullable, oneOf, text } from './schema.ts'
import { AUTHORIZE_ONLY, orderId, sessionId } from './sessions.ts'

export const ErrorFact = Type.Object(
  { code: text('One of the payment failures.', 'SESSION_EXPIRED'), message: text('The same in words.') },
  { title: 'PaymentError', description: 'Why the payment failed. Absent otherwise.' },
)
export type ErrorFact = Static<typeof ErrorFact>

const money = (description: string) => text(description, '40.00')

const ResultProduct = Type.Object(
  {
    product_ref_id: text('Our reference of the line; reports may name it.'),
    external_product_id: nullable(Type.String(), 'Your own `product_id`; null when you sent none.'),
    name: text('The `description` of the line.'),
    unit_price: money('Price of one.'),
    quantity: Type.Integer({ description: 'How many.' }),
  },
  { title: 'Product', description: 'One line of the purchase.' },
)
export type ResultProduct = Static<typeof ResultProduct>

const LineItem = Type.Object(
  {
    txn_ref_id: text('What a report names.'),
    merchant_name: text('The merchant, as its name was written.'),
    merchant_url: text('Address of the merchant.'),
    total_amount: money('What the credential is good for.'),
    status: oneOf(LINE_ITEM_STATUSES, { title: 'LineItemStatus', description: 'How the line item stands.' }),
    token: nullable(Type.String(), 'Number of the virtual card; only while a result is awaited.'),
    dynamic_cvv: nullable(Type.String(), 'Its CVV.'),
    expiry_month: nullable(Type.String(), 'Month it is printed with, two digits.'),
    expiry_year: nullable(Type.String(), 'Year it is printed with, four digits.'),
    products: Type.Array(ResultProduct, { description: 'What is bought.' }),
    error: Type.Optional(ErrorFact),
  },
  { title: 'LineItem', description: 'One merchant of the transaction, with the credential to pay it.' },
)

const Transaction = Type.Object(
  {
    txn_id: text('The transaction.'),
    card_id: nullable(Type.String(), 'The card that is used; null until one is chosen.'),
    status: oneOf(TRANSACTION_STATUSES, { title: 'TransactionStatus', description: 'How the transaction stands.' }),
    line_items: Type.Optional(
      Type.Array(LineItem, {
        description: 'One for each merchant. None where the service itself buys what was quoted.',
      }),
    ),
    error: Type.Optional(ErrorFact),
  },
  { title: 'Transaction', description: 'The payment of a session.' },
)

const SessionStatus = oneOf(SESSION_STATUSES, { title: 'SessionStatus', description: 'How the session stands.' })

const MerchantResult = Type.Object(
  {
    status: oneOf(MERCHANT_RESULT_STATUSES, {
      title: 'MerchantResultStatus',
      description: 'How the purchase stands there. `unknown`: it has not answered, and is asked again until it does.',
    }),
    orderId: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9._:-]{1,64}$',
        description: 'Its own id of the order, where it has one that may be shown.',
        examples: ['A-10042'],
      }),
    ),
  },
  {
    title: 'MerchantResult',
    description: 'The purchase at the merchant. Quote-backed sessions only, from the approval on.',
  },
)
export type MerchantResult = Static<typeof MerchantResult>

const ObservedResult = Type.Object(
  {
    status: oneOf(OBSERVED_STATUSES, { title: 'ObservedStatus', description: 'How it really ended.' }),
    error: Type.Optional(ErrorFact),
  },
  {
    title: 'ObservedResult',
    description: 'What really became of a session whose result is simulated, once it has ended. Absent otherwise.',
  },
)

export const PaymentResult = Type.Object(
  {
    session_id: sessionId,
    order_id: orderId,
    status: about('Poll while it is `pending` or `processing`.', SessionStatus),
    ...AUTHORIZE_ONLY,
    transactions: Type.Array(Transaction, {
      description: 'One, there from the creation on; none where a mandate is set up.',
    }),
    error: Type.Optional(ErrorFact),
    merchant_res: Type.Optional(MerchantResult),
    observed_result: Type.Optional(ObservedResult),
  },
  { title: 'PaymentResult', description: 'How a payment stands.' },
)
export type PaymentResult = Static<typeof PaymentResult>
