import type { RowOf } from '../db/row.ts'
import { leaseEnd } from '../jobs/work.ts'
import type { MandateService } from '../mandates/service.ts'
import type { ChargeDeps, ChargeRef } from './deps.ts'
import { type SignedCharge, sealedCharge } from './seal.ts'
import type { BEGUN, ChargeWork } from './work-fragments.ts'

/**
 * The values of `initiated → minting` (`START_MINTING`), in the statement of the approval: leased to the caller, who
 * drives it after the commit, and sealed with what was signed.
 */
export function mintingOf(
  { leaseSeconds, seals }: ChargeDeps,
  charge: ChargeRef & { mandateId: string; openedBy: string } & SignedCharge,
  at: Date,
) {
  const { chargeId } = charge
  const chargeSeal = seals.seal(sealedCharge({ ...charge, id: chargeId }))
  return { chargeId, chargeSeal, leaseUntil: leaseEnd({ leaseSeconds }, at) }
}

/** What the statement of an approval wrote, and what was read of its session. */
type Approved = ReturnType<MandateService['checkoutMandate']> &
  Pick<ReturnType<typeof mintingOf>, 'chargeId' | 'chargeSeal'> & {
    sessionId: string
    tokenRef: string
    orderId: string
    externalOrderRef: string | null
  }

const NOTHING_YET = {
  standingMandateId: null,
  reference: null,
  deliveryShopId: null,
  deliverySessionId: null,
  credentialKeyId: null,
  lifeMinutes: null,
  lapsesAt: null,
  overdueAt: null,
  reportedOutcome: null,
  paidMinor: null,
  authorizationCode: null,
  responseCode: null,
} as const

/**
 * The open work of a charge that an approval has just begun. All of it was signed, or written a moment ago by a
 * statement that wanted the rows to be so, and that the merchant was active: it is not read again.
 */
export function begunWork({ mandates }: ChargeDeps, approved: Approved, begun: RowOf<typeof BEGUN>): ChargeWork {
  const { merchantId, chargeId: id, sessionId: openedBy, orderId, externalOrderRef } = approved
  const { amountMinor, currency, payeeUrl, chargeSeal: seal } = approved
  return {
    ...NOTHING_YET,
    ...mandates.checkoutInstruction(approved),
    ...begun,
    ...{ merchantId, id, openedBy, orderId, externalOrderRef, amountMinor, currency, payeeUrl, seal },
    status: 'minting',
    attempts: 1,
    mandateStatus: 'pending',
    merchantActive: true,
  }
}
