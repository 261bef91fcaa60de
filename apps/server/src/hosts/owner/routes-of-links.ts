import {
  CeremonyAnswer,
  Decided,
  LinkApproval,
  LinkParams,
  LinkView,
  WhichAgentBody,
} from '@mintmark/contract/wire/owner'
import { agentKeyLinked, agentLinkNotFound, agentNotFound } from '../../agents/errors.ts'
import { fromWireWhich, whichProblems } from '../../agents/wire.ts'
import { type Route, route } from '../../http/route.ts'
import type { OwnerService } from '../../owners/service.ts'
import { passkeyFailed, passkeyRequired } from '../../passkeys/errors.ts'
import { invalidState } from '../../platform/errors.ts'
import { OWNERS } from './common.ts'
import { toWireDecided, toWireLink } from './wire.ts'

const LINK = { ...OWNERS, method: 'POST', params: LinkParams } as const

/** The link of an agent, for the person whom it asks. */
export function linkRoutes(owners: OwnerService): Route[] {
  return [
    route({
      ...LINK,
      method: 'GET',
      path: '/api/links/:linkId',
      operationId: 'lookAtAgentLink',
      summary: 'Who asks to be linked',
      response: LinkView,
      errors: [agentLinkNotFound],
      handler: async ({ caller, params }) => toWireLink(await owners.look(caller, params.linkId)),
    }),
    approvalRoute(owners),
    route({
      ...LINK,
      path: '/api/links/:linkId/approve',
      operationId: 'approveLink',
      summary: 'Link the agent, by a signature over the statement',
      body: CeremonyAnswer,
      response: Decided,
      errors: [agentLinkNotFound, agentNotFound, agentKeyLinked, invalidState, passkeyFailed],
      handler: async ({ caller, params: { linkId }, body: { response } }) =>
        toWireDecided(await owners.approveLink(caller, { linkId, response })),
    }),
    route({
      ...LINK,
      path: '/api/links/:linkId/deny',
      operationId: 'denyLink',
      summary: 'Say no to the agent',
      response: Decided,
      errors: [agentLinkNotFound, invalidState],
      handler: async ({ params }) => toWireDecided(await owners.denyLink(params.linkId)),
    }),
  ]
}

function approvalRoute(owners: OwnerService): Route {
  return route({
    ...LINK,
    path: '/api/links/:linkId/approval-options',
    operationId: 'linkApprovalOptions',
    summary: 'The statement, and the passkey challenge that binds it',
    body: WhichAgentBody,
    check: whichProblems,
    response: LinkApproval,
    errors: [agentLinkNotFound, agentNotFound, invalidState, passkeyRequired],
    handler: ({ caller, params: { linkId }, body }) => owners.linkApproval(caller, { linkId, ...fromWireWhich(body) }),
  })
}
