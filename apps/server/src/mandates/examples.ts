import type { Mandate, MandateDetail } from '@mintmark/contract/wire/mandates'

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
