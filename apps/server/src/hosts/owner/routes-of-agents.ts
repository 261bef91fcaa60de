import { AgentParams, CardView, Done, HomeView, PublishBody } from '@mintmark/contract/wire/owner'
import { agentNotFound } from '../../agents/errors.ts'
import { type Route, route } from '../../http/route.ts'
import type { OwnerService } from '../../owners/service.ts'
import { invalidState } from '../../platform/errors.ts'
import { DONE, OWNERS } from './common.ts'
import { toWireHome } from './wire.ts'

/** What an owner has. */
export function ownedAgentRoutes(owners: OwnerService): Route[] {
  return [
    route({
      ...OWNERS,
      method: 'GET',
      path: '/api/home',
      operationId: 'getOwnerHome',
      summary: 'Who may spend, and what waits',
      response: HomeView,
      errors: [],
      handler: async ({ caller }) => toWireHome(await owners.home(caller)),
    }),
    route({
      ...OWNERS,
      method: 'POST',
      path: '/api/agents/:agentId/revoke',
      operationId: 'revokeAgent',
      summary: 'End an agent',
      params: AgentParams,
      response: Done,
      errors: [agentNotFound],
      async handler({ caller, params }) {
        await owners.revokeAgent(caller, params.agentId)
        return DONE
      },
    }),
    ...publishingRoutes(owners),
  ]
}

const AGENT = { ...OWNERS, params: AgentParams, errors: [agentNotFound] } as const

/** Whether shops can verify an agent, and by what. */
function publishingRoutes(owners: OwnerService): Route[] {
  return [
    route({
      ...AGENT,
      method: 'GET',
      path: '/api/agents/:agentId/card',
      operationId: 'lookAtAgentCard',
      summary: 'What everybody reads of an agent that is published',
      response: CardView,
      async handler({ caller, params }) {
        const { isPublished: published, card } = await owners.cardOfAgent(caller, params.agentId)
        return { published, card }
      },
    }),
    route({
      ...AGENT,
      method: 'POST',
      path: '/api/agents/:agentId/publish',
      operationId: 'publishAgent',
      summary: 'Let shops verify an agent, by the name that was read',
      body: PublishBody,
      response: Done,
      errors: [agentNotFound, invalidState],
      async handler({ caller, params: { agentId }, body: { client_name: read } }) {
        await owners.publishAgent(caller, { agentId, read })
        return DONE
      },
    }),
    route({
      ...AGENT,
      method: 'POST',
      path: '/api/agents/:agentId/unpublish',
      operationId: 'unpublishAgent',
      summary: 'Take that back',
      response: Done,
      async handler({ caller, params }) {
        await owners.unpublishAgent(caller, params.agentId)
        return DONE
      },
    }),
  ]
}
