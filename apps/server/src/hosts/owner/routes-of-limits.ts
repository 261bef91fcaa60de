import { AgentParams, Done, LimitsAnswer, LimitsApproval, LimitsChange } from '@mintmark/contract/wire/owner'
import { agentNotFound } from '../../agents/errors.ts'
import { limitProblems } from '../../agents/limits.ts'
import { type Route, route } from '../../http/route.ts'
import type { OwnerService } from '../../owners/service.ts'
import { passkeyFailed, passkeyRequired } from '../../passkeys/errors.ts'
import { invalidState } from '../../platform/errors.ts'
import { valueAt } from '../../platform/json.ts'
import { DONE, OWNERS } from './common.ts'

const LIMITS = { ...OWNERS, method: 'POST', params: AgentParams } as const

const check = (body: unknown) => limitProblems(valueAt(body, 'limits'), 'limits.')

/** Other limits for an agent that is linked. */
export function limitsRoutes(owners: OwnerService): Route[] {
  return [
    route({
      ...LIMITS,
      path: '/api/agents/:agentId/limits',
      operationId: 'narrowAgentLimits',
      summary: 'Allow an agent less, which needs no passkey',
      body: LimitsChange,
      check,
      response: Done,
      errors: [agentNotFound, invalidState],
      async handler({ caller, params, body }) {
        await owners.narrowLimits(caller, { ...params, ...body })
        return DONE
      },
    }),
    route({
      ...LIMITS,
      path: '/api/agents/:agentId/limits/approval-options',
      operationId: 'agentLimitsApprovalOptions',
      summary: 'The statement of limits that allow more, and the passkey challenge that binds it',
      body: LimitsChange,
      check,
      response: LimitsApproval,
      errors: [agentNotFound, invalidState, passkeyRequired],
      handler: ({ caller, params, body }) => owners.limitsApproval(caller, { ...params, ...body }),
    }),
    route({
      ...LIMITS,
      path: '/api/agents/:agentId/limits/approve',
      operationId: 'approveAgentLimits',
      summary: 'Allow an agent more, by a signature over the statement',
      body: LimitsAnswer,
      response: Done,
      errors: [agentNotFound, invalidState, passkeyFailed],
      async handler({ caller, params: { agentId }, body: { change_id: changeId, response } }) {
        await owners.approveLimits(caller, { agentId, changeId, response })
        return DONE
      },
    }),
  ]
}
