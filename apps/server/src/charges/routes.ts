import type { BrandedNames } from '@mintmark/contract'
import {
  ChargeBody,
  ChargeParams,
  ChargeQuery,
  ChargeReportBody,
  ChargeResponse,
  chargeReportResponse,
} from '@mintmark/contract/wire/charges'
import { ChargingQuery, MandateParams } from '@mintmark/contract/wire/mandates'
import { agentKey, reportingAgentKey } from '../agents/credential.ts'
import { type Route, route } from '../http/route.ts'
import { mandateKey } from '../mandates/credential.ts'
import { chargingForbidden, mandateForbidden, mandateNotFound } from '../mandates/errors.ts'
import { fromWireChargingScope } from '../mandates/service.ts'
import { perMerchant } from '../merchants/credential.ts'
import {
  chargeConfirmationFailed,
  chargeNoLineItem,
  chargeNotFound,
  chargeNotReportable,
  chargeNotWritten,
  chargeReportFailed,
  mandateNotActive,
  merchantNotAllowed,
  noInstruction,
  noOrder,
  noToken,
} from './errors.ts'
import { CHARGE_EXAMPLE, CHARGE_REPORT_BODY, CHARGE_REPORTED } from './examples.ts'
import type { ChargeService } from './service.ts'
import { fromWireCharge, fromWireChargeReport, toWireCharge, toWireChargeReported } from './wire.ts'

/** What a mandate is for: charges against it, and what became of them. */
export function chargeRoutes(charges: ChargeService, brand: BrandedNames): Route[] {
  return [chargeRoute(charges), reportRoute(charges, brand)]
}

const COMMON = {
  method: 'POST',
  tag: 'Mandates',
  limit: perMerchant,
  status: 200,
  noStore: true,
} as const

function chargeRoute(charges: ChargeService): Route {
  return route({
    ...COMMON,
    auth: [mandateKey, agentKey],
    path: '/v1/mandates/:mandateId/charge',
    operationId: 'chargeMandate',
    summary: 'Charge a mandate',
    description:
      'Mints a virtual card for one payment, without the cardholder. A charge that the mandate does not allow is no ' +
      'error: its `status` is `failed`, and `errorCode` says why. With a `reference`, the same request may be sent ' +
      'again at any time, and makes no second charge unless the first one failed. Control-plane keys are refused. An agent gets ' +
      '`encrypted_payload` in place of `credentials`, within the limits of its owner as well.',
    params: MandateParams,
    query: ChargeQuery,
    body: ChargeBody,
    response: ChargeResponse,
    example: CHARGE_EXAMPLE,
    errors: [
      mandateForbidden,
      mandateNotFound,
      mandateNotActive,
      merchantNotAllowed,
      noInstruction,
      noOrder,
      noToken,
      chargeNotWritten,
      chargingForbidden,
    ],
    async handler({ caller, params, query, body }) {
      const { dry_run: dryRun, ...dashboard } = query
      const isDry = dryRun === 'true'
      const scope = fromWireChargingScope(caller, dashboard)
      const charge = await charges.charge(scope, params.mandateId, fromWireCharge(body, isDry, caller))
      return toWireCharge(charge, isDry, caller)
    },
  })
}

function reportRoute(charges: ChargeService, brand: BrandedNames): Route {
  return route({
    ...COMMON,
    auth: [mandateKey, reportingAgentKey],
    path: '/v1/mandates/:mandateId/charges/:txnId/report',
    goesOn: true,
    operationId: 'reportCharge',
    summary: 'Report the outcome of a charge',
    description:
      'Erases the credential and tells the card network. The same report again returns the first result. A declined ' +
      'charge gives its amount back to the window it was taken from. Possible until the credential lapses, and where it ' +
      'was used, until 30 days after that. Control-plane keys are refused.',
    params: ChargeParams,
    query: ChargingQuery,
    body: ChargeReportBody,
    response: chargeReportResponse(brand.confirmationFieldCamel),
    example: { body: CHARGE_REPORT_BODY, response: toWireChargeReported(CHARGE_REPORTED, brand) },
    errors: [
      mandateForbidden,
      mandateNotFound,
      chargeNotFound,
      chargeNotReportable,
      chargeNoLineItem,
      noInstruction,
      chargeConfirmationFailed,
      chargeReportFailed,
      chargingForbidden,
    ],
    async handler({ caller, params: { mandateId, txnId: chargeId }, query, body }) {
      const scope = fromWireChargingScope(caller, query)
      const reported = await charges.reportStanding(scope, { mandateId, chargeId }, fromWireChargeReport(body))
      return toWireChargeReported(reported, brand)
    },
  })
}
