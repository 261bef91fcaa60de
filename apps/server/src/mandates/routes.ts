import { ListMandatesQuery, MandateDetail, MandateList, MandateParams } from '@mintmark/contract/wire/mandates'
import { type Route, route } from '../http/route.ts'
import { perMerchant } from '../merchants/credential.ts'
import { mandateKey } from './credential.ts'
import { mandateForbidden, mandateNotFound } from './errors.ts'
import { DETAIL_EXAMPLE, MANDATE_EXAMPLE } from './examples.ts'
import type { MandateService } from './service.ts'
import { fromWireFilter, toWireDetail, toWireList } from './wire.ts'

export function mandateRoutes(mandates: MandateService): Route[] {
  return [listRoute(mandates), readRoute(mandates)]
}

const COMMON = { tag: 'Mandates', auth: [mandateKey], limit: perMerchant, status: 200, noStore: true } as const

function listRoute(mandates: MandateService): Route {
  return route({
    ...COMMON,
    method: 'GET',
    path: '/v1/mandates',
    operationId: 'listMandates',
    summary: 'List mandates',
    description:
      'Newest first. Ordinary checkouts make a one-time mandate each, which is in the list unless `standing_only` is `true`.',
    query: ListMandatesQuery,
    response: MandateList,
    example: { response: { mandates: [MANDATE_EXAMPLE] } },
    errors: [],
    async handler({ caller, query }) {
      return toWireList(await mandates.list(fromWireFilter(caller.merchantId, query)))
    },
  })
}

function readRoute(mandates: MandateService): Route {
  return route({
    ...COMMON,
    method: 'GET',
    path: '/v1/mandates/:mandateId',
    operationId: 'getMandate',
    summary: 'Read a mandate',
    description: 'With what is spent of the current window, and its newest charges.',
    params: MandateParams,
    response: MandateDetail,
    example: { response: DETAIL_EXAMPLE },
    errors: [mandateForbidden, mandateNotFound],
    async handler({ caller, params }) {
      return toWireDetail(await mandates.find({ merchantId: caller.merchantId, id: params.mandateId }))
    },
  })
}
