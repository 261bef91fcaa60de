import {
  CeremonyAnswer,
  Done,
  EscalationApproval,
  EscalationParams,
  EscalationView,
  OpenedMandate,
} from '@mintmark/contract/wire/owner'
import { escalationNotFound } from '../../escalations/errors.ts'
import { type Route, route } from '../../http/route.ts'
import type { OwnerService } from '../../owners/service.ts'
import { passkeyFailed, passkeyRequired } from '../../passkeys/errors.ts'
import { invalidState } from '../../platform/errors.ts'
import { DONE, OWNERS } from './common.ts'
import { toWireEscalation } from './wire.ts'

const ESCALATION = { ...OWNERS, method: 'POST', params: EscalationParams } as const

/** What a charge of an agent asks its owner beyond a limit. */
export function escalationRoutes(owners: OwnerService): Route[] {
  return [
    route({
      ...ESCALATION,
      method: 'GET',
      path: '/api/escalations/:escalationId',
      operationId: 'lookAtEscalation',
      summary: 'What a charge asks, and why it was refused',
      response: EscalationView,
      errors: [escalationNotFound],
      handler: async ({ caller, params }) =>
        toWireEscalation(await owners.lookAtEscalation(caller, params.escalationId)),
    }),
    route({
      ...ESCALATION,
      path: '/api/escalations/:escalationId/approval-options',
      operationId: 'escalationApprovalOptions',
      summary: 'The statement, and the passkey challenge that binds it',
      response: EscalationApproval,
      errors: [escalationNotFound, invalidState, passkeyRequired],
      handler: ({ caller, params }) => owners.escalationApproval(caller, params.escalationId),
    }),
    ...answerRoutes(owners),
  ]
}

function answerRoutes(owners: OwnerService): Route[] {
  return [
    route({
      ...ESCALATION,
      path: '/api/escalations/:escalationId/allow',
      operationId: 'allowEscalation',
      summary: 'Allow the charge, once',
      body: CeremonyAnswer,
      response: Done,
      errors: [escalationNotFound, invalidState, passkeyFailed],
      async handler({ caller, params: { escalationId: id }, body: { response } }) {
        await owners.allowEscalation(caller, { id, response })
        return DONE
      },
    }),
    route({
      ...ESCALATION,
      path: '/api/escalations/:escalationId/deny',
      operationId: 'denyEscalation',
      summary: 'Leave the charge refused',
      response: Done,
      errors: [escalationNotFound, invalidState],
      async handler({ caller, params }) {
        await owners.denyEscalation(caller, params.escalationId)
        return DONE
      },
    }),
    route({
      ...ESCALATION,
      path: '/api/escalations/:escalationId/mandate',
      operationId: 'openEscalationMandate',
      summary: 'The page where the owner makes the one-time mandate that carries the charge',
      response: OpenedMandate,
      errors: [escalationNotFound, invalidState],
      handler: async ({ caller, params }) => ({ url: await owners.openMandate(caller, params.escalationId) }),
    }),
  ]
}
