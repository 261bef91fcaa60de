import type { IntegrationType } from '@mintmark/contract'
import { command } from '../../../db/command.ts'
import { enrollRefused } from '../../../enrollment/service.ts'
import { addSeconds } from '../../../platform/clock.ts'
import { newId } from '../../../platform/ids.ts'
import { insertEnrollment } from '../../create-store.ts'
import type { SessionDeps } from '../../deps.ts'
import { hashLaunchSecret, launchUrl, newLaunchSecret } from '../../launch.ts'

/** The enrollment of a card by its cardholder, as a merchant asks for it. */
export interface EnrollmentRequest {
  userId: string
  email: string | null
  consentGiven: boolean
  vaultRecordId: string | null
  integrationType: IntegrationType
  callbackUrl: string | null
  locale: string | null
}

export interface CreatedEnrollment {
  sessionId: string
  sessionToken: string
  iframeUrl: string
  expiresAt: Date
}

/** A session without an order, in which a cardholder enrolls a card with a passkey. */
export async function createEnrollment(
  deps: SessionDeps,
  merchantId: string,
  { userId, email, ...request }: EnrollmentRequest,
): Promise<CreatedEnrollment> {
  const at = deps.clock.now()
  const [sessionId, launchSecret] = [newId('session'), newLaunchSecret()]
  const session = {
    ...request,
    ...{ merchantId, sessionId, userId, email, phone: null, country: null, newCustomerId: newId('customer'), at },
    launchHash: hashLaunchSecret(deps.launchSecretsKey, sessionId, launchSecret),
    expiresAt: addSeconds(at, deps.lifetimeSeconds),
  }
  const { expiresAt } = session
  const why = 'An enrollment that nobody has begun is none yet.'
  const created = await command(deps, { name: 'sessions.create_enrollment', why, together: 'statement' }, ({ on }) =>
    insertEnrollment(on, session),
  )
  const refusal = created?.refusal ?? null
  if (refusal !== null) throw enrollRefused(refusal)
  const customerId = created?.customerId ?? null
  if (customerId === null) throw new Error('A session was neither made nor refused.')
  const token = { merchantId, sessionId, customerId, orderId: null, isPurchase: false, issuedAt: at, expiresAt }
  const sessionToken = await deps.tokens.sign(token)
  return {
    sessionId,
    sessionToken,
    iframeUrl: launchUrl(deps.surfaceUrl, merchantId, sessionId, launchSecret),
    expiresAt,
  }
}
