import { AgentParams, CardView, Done, HomeView } from '@mintmark/contract/wire/owner'
import { agentNotFound } from '../../agents/errors.ts'
import { type Route, route } from '../../http/route.ts'
import type { OwnerService } from '../../owners/service.ts'
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
      operationId: 'readAgentCard',
      summary: 'What everybody reads of an agent that is published',
      response: CardView,
      async handler({ caller, params }) {
        const { isPublished: published, card } = await owners.cardOfAgent(caller, params.agentId)
        return { published, card }
      },
    }),
    publishing('publish', {
      operationId: 'publishAgent',
      summary: 'Let shops verify an agent',
      decide: (...asked) => owners.publishAgent(...asked),
    }),
    publishing('unpublish', {
      operationId: 'unpublishAgent',
      summary: 'Take that back',
      decide: (...asked) => owners.unpublishAgent(...asked),
    }),
  ]
}

interface Publishing {
  operationId: string
  summary: string
  decide: OwnerService['publishAgent']
}

function publishing(what: 'publish' | 'unpublish', { decide, ...words }: Publishing): Route {
  return route({
    ...AGENT,
    ...words,
    method: 'POST',
    path: `/api/agents/:agentId/${what}`,
    response: Done,
    async handler({ caller, params }) {
      await decide(caller, params.agentId)
      return DONE
    },
  })
}
