import {
  AuthorizationParams,
  type SettlementBody,
  SettlementBody as SettlementBodySchema,
  type SettlementResponse,
  SettlementResponse as SettlementResponseSchema,
} from '@mintmark/contract/wire/sandbox'
import type { ChargeService } from '../charges/service.ts'
import { type Route, type RouteExample, route } from '../http/route.ts'
import { perMerchant, secretKey } from '../merchants/credential.ts'
import type { SimulatedNetwork } from '../network/simulator/simulator.ts'
import { fieldErrors, notFound } from '../platform/errors.ts'
import { amountFromMinor, minorFromAmount } from '../platform/money.ts'

export interface SettlementRouteDeps {
  network: Pick<SimulatedNetwork, 'followUp' | 'messageOf'>
  charges: Pick<ChargeService, 'hear'>
}

/** What becomes of a payment at the sandbox's acquirer. The network tells the service of it, as a real one would. */
export function settlementRoute({ network, charges }: SettlementRouteDeps): Route {
  return route({
    method: 'POST',
    tag: 'Test helpers',
    auth: [secretKey],
    limit: perMerchant,
    environment: 'sandbox',
    status: 200,
    noStore: true,
    path: '/v1/test_helpers/authorizations/:authorizationId/settle',
    operationId: 'settleAuthorization',
    summary: 'Capture, reverse, expire, refund or dispute a payment at the sandbox acquirer',
    description:
      'Of an approved authorization. The network tells the service of it: a charge that nobody reported is completed by its capture, and its ' +
      'mandate has spent what was captured. A capture may be above the authorization, as a network allows to some trades.',
    params: AuthorizationParams,
    body: SettlementBodySchema,
    response: SettlementResponseSchema,
    example: EXAMPLE,
    errors: [notFound],
    async handler({ params: { authorizationId }, body }) {
      const amountMinor = body.amount === undefined ? null : minorFromAmount(body.amount)
      const isPartial = body.more_to_follow === true
      const settled = await network.followUp({ authorizationId, kind: body.type, amountMinor, isPartial })
      switch (settled.state) {
        case 'not_found':
          throw notFound()
        case 'not_possible':
          throw fieldErrors({ amount: `must not be above what there is, ${amountFromMinor(settled.leftMinor)}` })
        case 'settled':
          await charges.hear(network.messageOf(settled.news))
          return {
            authorization_id: authorizationId,
            settlement_id: settled.settlementId,
            type: body.type,
            amount: amountFromMinor(settled.amountMinor),
          }
      }
    },
  })
}

const EXAMPLE: RouteExample<SettlementBody, SettlementResponse> = {
  body: { type: 'captured', amount: '32.50' },
  response: {
    authorization_id: 'auth_0n2hd4fz9w2r7c0m',
    settlement_id: 'stl_8k1q6t3x5v0n2hd4',
    type: 'captured',
    amount: '32.50',
  },
}
