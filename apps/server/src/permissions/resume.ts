import type { PermissionResumeTerms } from '@mintmark/contract/wire/permissions'
import { command } from '../db/command.ts'
import type { CeremonyScope } from '../passkeys/service.ts'
import { newId } from '../platform/ids.ts'
import type { PermissionDeps } from './deps.ts'
import { resumedTooEarly, visitChanged } from './errors.ts'
import * as store from './store.ts'
import type { Visitor } from './token.ts'

// Going on widens what may be charged, so it is signed; pausing and ending are a press.

/** The statement that names the permission, and the WebAuthn request whose challenge binds it. */
export async function resumeOptions(deps: PermissionDeps, visitor: Visitor, mandateId: string) {
  const { merchantId, customerId } = visitor
  if (!(await deps.mayWiden({ merchantId, customerId }))) throw resumedTooEarly()
  const found = await store.findPasskey(deps.pool, { merchantId, customerId, at: deps.clock.now() })
  const resumeId = newId('permissionResume')
  const terms: PermissionResumeTerms = {
    ...{ type: 'permission_resume', version: 1, resume_id: resumeId },
    ...{ account_id: merchantId, customer_id: customerId, mandate_id: mandateId },
  }
  return deps.approvals.requestResume(scopeOf(visitor, resumeId), found?.passkey ?? null, terms)
}

/**
 * Lets the permission go on that was signed, once. The signature counts before that: where it was ended meanwhile it
 * stays ended.
 */
export async function resume(
  deps: PermissionDeps,
  visitor: Visitor,
  mandateId: string,
  { resumeId, response }: { resumeId: string; response: unknown },
): Promise<void> {
  const { merchantId, customerId } = visitor
  if (!(await deps.mayWiden({ merchantId, customerId }))) throw resumedTooEarly()
  const scope = scopeOf(visitor, resumeId)
  const answer = deps.passkeys.readAssertion(response)
  const why = 'A used challenge is no change; what is signed with it is.'
  const place = { merchantId, customerId, subjectType: scope.subject.type, subjectId: resumeId }
  const { challenge } = answer.clientData
  const known = await command(deps, { name: 'permissions.claim_resume', why, together: 'statement' }, ({ on, at }) =>
    store.claimResume(on, { ...place, ceremony: 'assertion', challenge, at }),
  )
  const approval = await deps.approvals.verifyResume(scope, answer, known ?? { claimed: null, passkey: null })
  if (approval.terms.mandate_id !== mandateId || approval.terms.customer_id !== customerId) throw visitChanged()
  const evidence = deps.approvals.evidenceOf(scope, approval)
  const recorded = await command(
    deps,
    { name: 'permissions.sign_resume', why: EVENT_FOLLOWS, together: 'statement' },
    ({ on, at }) => store.recordResume(on, { ...evidence, at }),
  )
  if (recorded === undefined) throw visitChanged()
  await deps.mandates.resume({ merchantId, user: customerId }, mandateId)
}

const EVENT_FOLLOWS = 'What is signed takes effect with the event of the mandate.'

function scopeOf({ merchantId, customerId }: Visitor, resumeId: string): CeremonyScope {
  return { merchantId, customerId, subject: { type: 'permission', id: resumeId }, allowedOrigins: [] }
}
