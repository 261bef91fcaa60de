import type { SealedRow } from '../platform/row-seals.ts'

/** What the cardholder signed of a charge. */
export interface SignedCharge {
  amountMinor: bigint
  currency: string
  payeeUrl: string
}

/** What must not be edited of a charge between its approval and its credential. */
export function sealedCharge(charge: SignedCharge & { merchantId: string; id: string; mandateId: string }): SealedRow {
  const { merchantId, id, mandateId, amountMinor, currency, payeeUrl } = charge
  return { table: 'charges', merchantId, id, parts: [mandateId, amountMinor, currency, payeeUrl] }
}
