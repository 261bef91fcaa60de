import type { Confirmation, MandateStatus, ReportedOutcome } from '@mintmark/contract'
import { isDatabaseUnavailable } from '../db/errors.ts'
import type { MandateScope } from '../mandates/service.ts'
import { type DeclaredError, fieldErrors, PublicError, unavailable } from '../platform/errors.ts'
import { amountFromMinor, fractionProblem } from '../platform/money.ts'
import type { ChargeDeps } from './deps.ts'
import {
  chargeConfirmationFailed,
  chargeNoLineItem,
  chargeNotFound,
  chargeNotReportable,
  chargeReportFailed,
  noInstruction,
} from './errors.ts'
import type { StandingCharge } from './find-store.ts'
import * as store from './find-store.ts'
import { type Report, type ReportRefusal, report } from './report.ts'

/** What a merchant reports of a charge against a standing mandate. */
export type StandingReport = Omit<Report, 'products'>

export interface StandingReported {
  mandateId: string
  chargeId: string
  orderId: string
  outcome: ReportedOutcome
  mandateStatus: MandateStatus
  confirmation: Confirmation
}

const REFUSALS: Record<ReportRefusal, DeclaredError> = {
  other_outcome: chargeNotReportable,
  lapsed: chargeNotReportable,
  not_awaiting: chargeNotReportable,
}

/** What became of a charge. An equal report returns the first result; the other outcome is refused. */
export async function reportStanding(
  deps: ChargeDeps,
  scope: MandateScope,
  charge: { mandateId: string; chargeId: string },
  given: StandingReport,
): Promise<StandingReported> {
  try {
    return await reportCharge(deps, scope, charge, given)
  } catch (error) {
    if (error instanceof PublicError || isDatabaseUnavailable(error)) throw error
    throw chargeReportFailed({ cause: error })
  }
}

async function reportCharge(
  deps: ChargeDeps,
  scope: MandateScope,
  { mandateId, chargeId }: { mandateId: string; chargeId: string },
  given: StandingReport,
): Promise<StandingReported> {
  const { merchantId } = scope
  await deps.mandates.refresh(scope, mandateId)
  const found = await store.findStanding(deps.pool, { merchantId, mandateId, chargeId })
  if (found === undefined) throw chargeNotFound()
  rejectCharge(found)
  rejectAmount(given, found)
  const result = await report(deps, { merchantId, chargeId }, found, { ...given, products: found.products })
  switch (result.state) {
    case 'unconfirmed':
      throw result.isKept ? chargeConfirmationFailed() : unavailable()
    case 'refused':
      throw REFUSALS[result.reason]()
    case 'confirmed': {
      const { status: mandateStatus } = await deps.mandates.refresh(scope, mandateId)
      const { orderId } = found
      return { mandateId, chargeId, orderId, outcome: given.outcome, mandateStatus, confirmation: result.confirmation }
    }
  }
}

function rejectCharge({ instructionRef, lineItemId }: StandingCharge): void {
  if (instructionRef === null) throw noInstruction()
  if (lineItemId === '') throw chargeNoLineItem()
}

/** Whether an amount may have a fraction depends on the currency, and no more is paid than was minted. */
function rejectAmount({ paidMinor }: StandingReport, { currency, amountMinor }: StandingCharge): void {
  if (paidMinor === null) return
  const problem = fractionProblem(paidMinor, currency)
  if (problem !== null) throw fieldErrors({ amount_paid: problem })
  if (paidMinor <= amountMinor) return
  throw fieldErrors({ amount_paid: `must not be above the amount of the charge, ${amountFromMinor(amountMinor)}` })
}
