import type { SealedRow } from '../platform/row-seals.ts'
import { deliveryOf, type StoredDelivery } from './rules.ts'

/** What the cardholder signed of a charge. */
export interface SignedCharge {
  amountMinor: bigint
  currency: string
  payeeUrl: string
}

/** What must not be edited of a charge between its approval and its credential, nor which session leads to it. */
export function sealedCharge(
  charge: SignedCharge & { merchantId: string; id: string; mandateId: string; openedBy: string | null },
): SealedRow {
  const { merchantId, id, mandateId, openedBy, amountMinor, currency, payeeUrl } = charge
  return { table: 'charges', merchantId, id, parts: [mandateId, openedBy, amountMinor, currency, payeeUrl] }
}

/**
 * The same of a charge against a standing mandate, and the reference that leads to it. What it takes from its mandate is null: it
 * is sealed before the mandate is read, and the seal of the mandate says the rest.
 */
export function sealedStanding(
  charge: {
    merchantId: string
    id: string
    mandateId: string
    reference: string | null
    amountMinor: bigint
    currency: string | null
    payeeUrl: string | null
  } & StoredDelivery,
): SealedRow {
  const { merchantId, id, mandateId, reference, amountMinor, currency, payeeUrl } = charge
  const delivery = deliveryOf(charge)
  // Only where there is one: the others are sealed as they ever were.
  const delivered = delivery === null ? [] : ['delivery', delivery.shopId, delivery.sessionId]
  return {
    table: 'charges',
    merchantId,
    id,
    parts: ['standing', mandateId, reference, amountMinor, currency, payeeUrl, ...delivered],
  }
}

interface StandingRow extends SignedCharge, StoredDelivery {
  merchantId: string
  id: string
  mandateId: string
  openedBy: string | null
  standingMandateId: string | null
  reference: string | null
  mandateCurrency: string
  mandatePayeeUrl: string
}

/** For a stored charge of either kind. */
export function sealedRow(charge: StandingRow): SealedRow {
  if (charge.standingMandateId === null) return sealedCharge(charge)
  const { currency, mandateCurrency, payeeUrl, mandatePayeeUrl } = charge
  return sealedStanding({
    ...charge,
    currency: currency === mandateCurrency ? null : currency,
    payeeUrl: payeeUrl === mandatePayeeUrl ? null : payeeUrl,
  })
}
