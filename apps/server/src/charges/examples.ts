import type { ChargeBody, ChargeReportBody, ChargeResponse } from '@mintmark/contract/wire/charges'
import type { RouteExample } from '../http/route.ts'
import { MANDATE_EXAMPLE } from '../mandates/examples.ts'
import type { StandingReported } from './report.ts'

// A charge against that mandate and its report, as the published description shows them.

const CHARGE = 'txn_0n2hd4fz9w2r7c0m8k1q6t3x5v'
const ORDER = 'ord_7k2m9q4w1x8c3v5t0r6n2hfzjd'

export const CHARGE_EXAMPLE: RouteExample<ChargeBody, ChargeResponse> = {
  body: { amount: '25.00', reference: 'invoice-2026-11' },
  response: {
    mandateId: MANDATE_EXAMPLE.id,
    instructionId: 'ins_06gq2w9k5x0n2hd4fz9w2r7c0m',
    transactionId: CHARGE,
    orderId: ORDER,
    status: 'awaiting_result',
    fetchStatus: 'SUCCESS',
    credentials: { token: '4000001234567899', dynamicCvv: '123', expiryMonth: '12', expiryYear: '2026' },
    expiresAt: '2026-11-03T12:00:00.000Z',
    errorCode: null,
    errorMessage: null,
    deduplicated: false,
    amount: '25.00',
    currency: 'USD',
  },
}

export const CHARGE_REPORT_BODY: ChargeReportBody = {
  txn_status: 'APPROVED',
  txn_type: 'PURCHASE',
  authorization_code: '123456',
  response_code: '00',
  amount_paid: '25.00',
}

export const CHARGE_REPORTED: StandingReported = {
  mandateId: MANDATE_EXAMPLE.id,
  chargeId: CHARGE,
  orderId: ORDER,
  outcome: 'APPROVED',
  mandateStatus: 'active',
  confirmation: 'SUCCESS',
}
