import {
  AgentLinkStatusResponse,
  AgentMe,
  ChangeAgentBody,
  ChangeKeyBody,
  ChangeKeyResponse,
  LinkAgentBody,
  LinkAgentResponse,
  LinkParams,
} from '@mintmark/contract/wire/agents'
import { type Route, route } from '../http/route.ts'
import { invalidState } from '../platform/errors.ts'
import { foldWhiteSpace, optionalText } from '../platform/text.ts'
import { agentKey, linkingKey, perAgent, perLinking } from './credential.ts'
import { agentKeyLinked, agentLinkNotFound } from './errors.ts'
import { KEY_CHANGE_EXAMPLE, LINK_EXAMPLE, ME_EXAMPLE } from './examples.ts'
import type { AgentCaller, AgentService } from './service.ts'
import { fromWireKeyChange, fromWireLink, keyProblems, toWireMe, type WaitingSession } from './wire.ts'

const COMMON = { tag: 'Agents', noStore: true } as const
const LINKING = { ...COMMON, auth: [linkingKey], limit: perLinking } as const
const OWN = { ...COMMON, auth: [agentKey], limit: perAgent, status: 200 } as const

/** What an agent is told of itself that other rooms know. */
interface KnownOfAgents {
  /** What an agent may call, of all routes. */
  operations(): readonly string[]
  /** Its sessions that its owner can still approve. */
  waitingSessions(caller: AgentCaller): Promise<WaitingSession[]>
}

export function agentRoutes(agents: AgentService, { operations, waitingSessions }: KnownOfAgents): Route[] {
  const me = async (caller: AgentCaller) => {
    const [taken, sessions] = await Promise.all([agents.taken(caller), waitingSessions(caller)])
    return toWireMe(caller, taken, operations(), sessions)
  }
  return [linkRoute(agents), standingRoute(agents), meRoute(me), changeRoute(agents, me), changeKeyRoute(agents)]
}

function linkRoute(agents: AgentService): Route {
  return route({
    ...LINKING,
    status: 201,
    method: 'POST',
    path: '/v1/agents/links',
    operationId: 'linkAgent',
    summary: 'Ask an owner to link an agent',
    description:
      'Signed by the key that is to be linked. Show `link_url` to the person who is to own the agent: there they read what it may do, and ' +
      'approve or deny it, within 15 minutes. A key is linked once.',
    body: LinkAgentBody,
    check: keyProblems,
    response: LinkAgentResponse,
    example: LINK_EXAMPLE,
    errors: [agentKeyLinked],
    async handler({ caller, body }) {
      const { linkId, linkUrl, expiresAt } = await agents.link(caller.claim, fromWireLink(body))
      return { link_id: linkId, link_url: linkUrl, expires_at: expiresAt.toISOString() }
    },
  })
}

function standingRoute(agents: AgentService): Route {
  return route({
    ...LINKING,
    status: 200,
    method: 'GET',
    path: '/v1/agents/links/:linkId',
    operationId: 'getAgentLink',
    summary: 'See how a link stands',
    description: 'Signed by the key that is to be linked. Ask every few seconds.',
    params: LinkParams,
    response: AgentLinkStatusResponse,
    example: { response: { status: 'approved', agent_id: ME_EXAMPLE.agent_id } },
    errors: [agentLinkNotFound],
    async handler({ caller, params }) {
      const { status, agentId } = await agents.standing(caller.claim, params.linkId)
      return { status, ...(agentId === null ? {} : { agent_id: agentId }) }
    },
  })
}

function meRoute(me: (caller: AgentCaller) => Promise<AgentMe>): Route {
  return route({
    ...OWN,
    method: 'GET',
    path: '/v1/agents/me',
    operationId: 'getAgent',
    summary: 'Read who you are and what you may do',
    description:
      'The agent, whose it is, what its owner allows, which operations it may call, and what waits for its owner, with the addresses to show.',
    response: AgentMe,
    example: { response: ME_EXAMPLE },
    errors: [],
    handler: ({ caller }) => me(caller),
  })
}

function changeRoute(agents: AgentService, me: (caller: AgentCaller) => Promise<AgentMe>): Route {
  return route({
    ...OWN,
    method: 'PATCH',
    path: '/v1/agents/me',
    operationId: 'changeAgent',
    summary: 'Change what you are called',
    description:
      'Name and description, and nothing else: what an agent may do is its owner’s to say. An empty description is none.',
    body: ChangeAgentBody,
    response: AgentMe,
    example: { body: { name: 'Pantry' }, response: ME_EXAMPLE },
    errors: [],
    async handler({ caller, body: { name, description } }) {
      const changed = await agents.change(caller, {
        name: name === undefined ? undefined : foldWhiteSpace(name),
        ...(description === undefined ? {} : { description: optionalText(description) }),
      })
      return me(changed)
    },
  })
}

function changeKeyRoute(agents: AgentService): Route {
  return route({
    ...OWN,
    method: 'POST',
    path: '/v1/agents/me/keys',
    operationId: 'changeAgentKey',
    summary: 'Change your key',
    description:
      'Signed by the key that is good now; `proof` is by the new one. The old key goes on for a day, or for as much less as is asked for.',
    body: ChangeKeyBody,
    check: keyProblems,
    response: ChangeKeyResponse,
    example: KEY_CHANGE_EXAMPLE,
    errors: [agentKeyLinked, invalidState],
    async handler({ caller, body }) {
      const { agentId, thumbprint, oldValidUntil } = await agents.changeKey(caller, fromWireKeyChange(body))
      return { agent_id: agentId, key_thumbprint: thumbprint, old_key_valid_until: oldValidUntil.toISOString() }
    },
  })
}
