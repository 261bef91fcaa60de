import type { ChargeBody, ChargeReportBody, ChargeResponse } from '@mintmark/contract/wire/charges'
import type { Mandate, MandateDetail } from '@mintmark/contract/wire/mandates'
import type { StandingReported } from '../charges/service.ts'
import type { RouteExample } from '../http/route.ts'

// One monthly mandate, as the published description shows it.

export const MANDATE_EXAMPLE: Mandate = {
  id: 'mdt_06gq2w9k5v8c3x1t7n4m0r2hzd',
  agentId: null,
  customerId: 'cus_8k1q6t3x5v0n2hd4fz9w2r7c0m',
  externalUserId: 'user-1',
  state: 'available',
  status: 'active',
  recurringFrequency: 'monthly',
  merchantScope: 'listed',
  merchantName: 'Tea House',
  approvedAmount: '40.00',
  remaining: '15.00',
  currency: 'USD',
  validUntil: '2028-10-31T09:30:00.000Z',
  renewsAt: '2026-11-30T09:30:00.000Z',
  lastCharge: { status: 'completed', at: '2026-11-02T12:00:05.000Z' },
  createdAt: '2026-10-31T09:28:14.000Z',
  updatedAt: '2026-11-02T12:00:00.000Z',
}

export const DETAIL_EXAMPLE: MandateDetail = {
  ...MANDATE_EXAMPLE,
  spent: '25.00',
  chargeCount: 1,
  charges: [
    {
      transactionId: 'txn_0n2hd4fz9w2r7c0m8k1q6t3x5v',
      amount: '25.00',
      currency: 'USD',
      status: 'completed',
      reference: 'invoice-2026-11',
      createdAt: '2026-11-02T12:00:00.000Z',
    },
  ],
}

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
