import {
  DashboardQuery,
  ListMandatesQuery,
  Mandate,
  MandateDetail,
  MandateList,
  MandateParams,
} from '@mintmark/contract/wire/mandates'
import { agentKey } from '../agents/credential.ts'
import { type Route, route } from '../http/route.ts'
import { perMerchant } from '../merchants/credential.ts'
import { mandateKey } from './credential.ts'
import { dashboardForbidden, mandateForbidden, mandateInvalidTransition, mandateNotFound } from './errors.ts'
import { DETAIL_EXAMPLE, MANDATE_EXAMPLE } from './examples.ts'
import type { MandateService } from './service.ts'
import { fromWireFilter, fromWireScope, toWireDetail, toWireList, toWireMandate } from './wire.ts'

export function mandateRoutes(mandates: MandateService): Route[] {
  return [listRoute(mandates), readRoute(mandates), ...MOVES.map((move) => moveRoute(mandates, move))]
}

const COMMON = {
  tag: 'Mandates',
  auth: [mandateKey, agentKey],
  limit: perMerchant,
  status: 200,
  noStore: true,
} as const

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
    errors: [dashboardForbidden],
    async handler({ caller, query }) {
      return toWireList(await mandates.list(fromWireFilter(caller, query)), caller)
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
    query: DashboardQuery,
    response: MandateDetail,
    example: { response: DETAIL_EXAMPLE },
    errors: [mandateForbidden, mandateNotFound, dashboardForbidden],
    async handler({ caller, params, query }) {
      return toWireDetail(await mandates.find(fromWireScope(caller, query), params.mandateId), caller)
    },
  })
}

const MOVES = [
  {
    verb: 'pause',
    operationId: 'pauseMandate',
    summary: 'Pause a mandate',
    description: 'Nothing is charged until it is resumed. A credential that is out stays good and is reported as ever.',
    example: { ...MANDATE_EXAMPLE, status: 'paused', state: 'paused' },
  },
  {
    verb: 'resume',
    operationId: 'resumeMandate',
    summary: 'Resume a paused mandate',
    description: 'Not after its end. What was spent of the window is still spent.',
    example: MANDATE_EXAMPLE,
  },
  {
    verb: 'cancel',
    operationId: 'cancelMandate',
    summary: 'Cancel a mandate',
    description:
      'For good: nothing is charged any more. Past charges are left alone: a credential that was minted before is shown, spent and reported ' +
      'until it is reported or lapses, and then the card network is told.',
    example: { ...MANDATE_EXAMPLE, status: 'cancelled', state: 'cancelled', renewsAt: null },
  },
] as const

function moveRoute(mandates: MandateService, { verb, example, ...texts }: (typeof MOVES)[number]): Route {
  return route({
    ...COMMON,
    ...texts,
    method: 'POST',
    path: `/v1/mandates/:mandateId/${verb}`,
    params: MandateParams,
    query: DashboardQuery,
    response: Mandate,
    example: { response: example },
    errors: [mandateForbidden, mandateNotFound, mandateInvalidTransition, dashboardForbidden],
    async handler({ caller, params, query }) {
      return toWireMandate(await mandates[verb](fromWireScope(caller, query), params.mandateId), caller)
    },
  })
}
