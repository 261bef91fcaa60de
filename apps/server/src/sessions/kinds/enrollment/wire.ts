import { ENROLLMENT_ERRORS } from '@mintmark/contract'
import type { EnrollCardBody, EnrollmentSession, EnrollmentStatusResource } from '@mintmark/contract/wire/enrollment'
import type { ProvisionRequest } from '../../../enrollment/service.ts'
import type { ErrorDetails } from '../../../platform/errors.ts'
import { isRecord } from '../../../platform/json.ts'
import { canonicalLocale } from '../../../platform/text.ts'
import { enrollmentStatusOf, type EnrollmentSession as Session } from '../../service.ts'
import type { CreatedEnrollment, EnrollmentRequest } from './create.ts'

const FULL = 'full_enrollment'

/** What the schema of an enrollment cannot say: which field belongs to which mode. Takes any value. */
export function enrollProblems(body: unknown): ErrorDetails {
  if (!isRecord(body) || body.enrollment_mode === FULL) return {}
  const problems: ErrorDetails = {}
  for (const field of ['integration_type', 'callback_url', 'locale']) {
    if (body[field] !== undefined) problems[field] = 'is for full_enrollment only'
  }
  if (body.vault_ref_id === undefined) problems.vault_ref_id = 'is required for provision_only'
  return problems
}

export type EnrollRequest =
  | ({ mode: 'provision_only' } & ProvisionRequest)
  | ({ mode: 'full_enrollment' } & EnrollmentRequest)

/** A body that the schema and `enrollProblems` have found nothing wrong with. */
export function fromWireEnroll(body: EnrollCardBody): EnrollRequest {
  const { user_id: userId, user_email: email = null, vault_ref_id: vaultRecordId = null } = body
  const consentGiven = body.consent_id !== undefined
  if (body.enrollment_mode === FULL) {
    return {
      ...{ mode: FULL, userId, email, vaultRecordId, consentGiven },
      integrationType: body.integration_type ?? 'full_checkout',
      callbackUrl: body.callback_url ?? null,
      locale: canonicalLocale(body.locale),
    }
  }
  if (vaultRecordId === null) throw new TypeError('A card that is only provisioned is in the vault.')
  return { mode: 'provision_only', userId, email, vaultRecordId, consentGiven }
}

export function toWireEnrollment(created: CreatedEnrollment): EnrollmentSession {
  return {
    session_id: created.sessionId,
    session_token: created.sessionToken,
    expires_at: created.expiresAt.toISOString(),
    iframe_url: created.iframeUrl,
  }
}

/** The same fields in every state. The card is the one that the session has proven, whatever comes of the passkey. */
export function toWireEnrollmentStatus(session: Session, now: Date): EnrollmentStatusResource {
  const status = enrollmentStatusOf(session, now)
  const { provenCardId, enrollmentError: code } = session
  const provisioned = provenCardId === null ? 'not_started' : 'card_provisioned'
  return {
    session_id: session.id,
    status,
    outcome: status === 'completed' ? 'fully_enrolled' : provisioned,
    card_id: provenCardId,
    passkey: session.enrolledPasskey,
    consent_status: session.consentGiven ? 'provided' : 'not_provided',
    error: code && { code, message: ENROLLMENT_ERRORS[code], retryable: status !== 'failed' },
  }
}
