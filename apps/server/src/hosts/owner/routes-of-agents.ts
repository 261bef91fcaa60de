import { AgentParams, Done, HomeView } from '@mintmark/contract/wire/owner'
import { agentNotFound } from '../../agents/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { ownerSession, perOwner } from '../../owners/credential.ts'
import type { OwnerService } from '../../owners/service.ts'
import { toWireHome } from './wire.ts'

const OWN = { tag: 'Owners', auth: [ownerSession], limit: perOwner, status: 200, noStore: true } as const

/** What an owner has. */
export function ownedAgentRoutes(owners: OwnerService): Route[] {
  return [
    route({
      ...OWN,
      method: 'GET',
      path: '/api/home',
      operationId: 'getOwnerHome',
      summary: 'Who may spend, and what waits',
      response: HomeView,
      errors: [],
      handler: async ({ caller }) => toWireHome(await owners.home(caller)),
    }),
    route({
      ...OWN,
      method: 'POST',
      path: '/api/agents/:agentId/revoke',
      operationId: 'revokeAgent',
      summary: 'End an agent',
      params: AgentParams,
      response: Done,
      errors: [agentNotFound],
      async handler({ caller, params }) {
        await owners.revokeAgent(caller, params.agentId)
        return { done: true as const }
      },
    }),
  ]
}
