import {
  CeremonyAnswer,
  Done,
  EscalationApproval,
  EscalationParams,
  EscalationView,
  OpenedMandate,
  ReadingBody,
} from '@mintmark/contract/wire/owner'
import { escalationNotFound } from '../../escalations/errors.ts'
import type { HostCookie } from '../../http/cookie.ts'
import { type Route, route } from '../../http/route.ts'
import type { OwnerService } from '../../owners/service.ts'
import { passkeyFailed, passkeyRequired } from '../../passkeys/errors.ts'
import { invalidState } from '../../platform/errors.ts'
import { afterPasskey, DONE, OWNERS } from './common.ts'
import { toWireEscalation } from './wire.ts'

const ESCALATION = { ...OWNERS, method: 'POST', params: EscalationParams } as const

/** What a charge of an agent asks its owner beyond a limit. */
export function escalationRoutes(owners: OwnerService, cookie: HostCookie): Route[] {
  return [
    route({
      ...ESCALATION,
      method: 'GET',
      path: '/api/escalations/:escalationId',
      operationId: 'readEscalation',
      summary: 'What a charge asks, and why it was refused',
      response: EscalationView,
      errors: [escalationNotFound],
      handler: async ({ caller, params }) => toWireEscalation(await owners.readEscalation(caller, params.escalationId)),
    }),
    route({
      ...ESCALATION,
      path: '/api/escalations/:escalationId/approval-options',
      operationId: 'escalationApprovalOptions',
      summary: 'The statement, and the passkey challenge that binds it',
      body: ReadingBody,
      optionalBody: true,
      response: EscalationApproval,
      errors: [escalationNotFound, invalidState, passkeyRequired],
      handler: ({ caller, params: { escalationId: id }, body }) => owners.escalationApproval(caller, { id, ...body }),
    }),
    ...answerRoutes(owners, cookie),
  ]
}

function answerRoutes(owners: OwnerService, cookie: HostCookie): Route[] {
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
        return afterPasskey([owners, cookie], caller, DONE)
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
