import type { PaymentResult } from '@mintmark/contract/wire/payment-result'
import type { CreateSessionBody, CreateSessionResponse, ReportStatusBody } from '@mintmark/contract/wire/sessions'
import type { RouteExample } from '../http/route.ts'

// One purchase from its creation to its report, as the published description shows it.

const SESSION = 'sess_4fz9w2r7c0m8k1q6t3x5v0n2hd'
const ORDER = 'ord_7k2m9q4w1x8c3v5t0r6n2hfzjd'
const LINE_ITEM = 'tli_1q6t3x5v0n2hd4fz9w2r7c0m8k'

export const CREATE_EXAMPLE: RouteExample<CreateSessionBody, CreateSessionResponse> = {
  body: {
    user_id: 'user-1',
    user_email: 'ann@example.com',
    total_amount: '40.00',
    currency: 'USD',
    purchase_context: {
      custom: {
        merchant_details: { name: 'Tea House', url: 'https://tea.example', country_code_iso2: 'US' },
        product_details: [{ description: 'Stoneware mug', unit_price: '35.00', product_id: 'sku-1' }],
        summary: { subtotal: '35.00', shipping: '5.00' },
      },
    },
    external_order_ref: 'order-10042',
    callback_url: 'https://tea.example/thanks',
  },
  response: {
    session_id: SESSION,
    session_token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzZXNzXzRmeiJ9.c2lnbmF0dXJl',
    iframe_url: `https://pay.example.com/s/ma_9w2r7c0m8k1q6t3x5v0n2hd4fz/${SESSION}#k5v0n2hd4fz9w2r7c0m8k1q6t3`,
    order_id: ORDER,
    expires_at: '2026-11-21T12:15:00.000Z',
  },
}

export const RESULT_EXAMPLE: RouteExample<undefined, PaymentResult> = {
  response: {
    session_id: SESSION,
    order_id: ORDER,
    status: 'awaiting_result',
    transactions: [
      {
        txn_id: 'txn_0n2hd4fz9w2r7c0m8k1q6t3x5v',
        card_id: 'card_8k1q6t3x5v0n2hd4fz9w2r7c0m',
        status: 'awaiting_result',
        line_items: [
          {
            txn_ref_id: LINE_ITEM,
            merchant_name: 'Tea House',
            merchant_url: 'https://tea.example',
            total_amount: '40.00',
            status: 'credentials_generated',
            token: '4000001234567899',
            dynamic_cvv: '123',
            expiry_month: '12',
            expiry_year: '2026',
            products: [
              {
                product_ref_id: 'prd_5v0n2hd4fz9w2r7c0m8k1q6t3x',
                external_product_id: 'sku-1',
                name: 'Stoneware mug',
                unit_price: '35.00',
                quantity: 1,
              },
            ],
          },
        ],
      },
    ],
  },
}

export const REPORT_BODY: ReportStatusBody = {
  txn_ref_id: LINE_ITEM,
  txn_status: 'APPROVED',
  authorization_code: '123456',
  response_code: '00',
  amount_paid: '40.00',
  product_statuses: [{ product_id: 'sku-1', status: 'COMPLETED' }],
}
