import type { IntegrationType } from '@mintmark/contract'
import { type Creation, create, createOnce } from '../db/create-once.ts'
import type { KeyedRequest, StoredResponse } from '../db/respond-once.ts'
import { type EnrollRefusal, enrollRefused } from '../enrollment/service.ts'
import { addSeconds } from '../platform/clock.ts'
import { newId } from '../platform/ids.ts'
import type { SessionDeps } from './deps.ts'
import { hashLaunchSecret, launchUrl, newLaunch } from './launch.ts'
import { insertEnrollment } from './store.ts'

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

interface NewEnrollment {
  merchantId: string
  sessionId: string
  launchSecret: string
  at: Date
  expiresAt: Date
}

/** A session without an order, in which a cardholder enrolls a card with a passkey. */
export function createEnrollment(
  deps: SessionDeps,
  merchantId: string,
  request: EnrollmentRequest,
): Promise<CreatedEnrollment> {
  return create(deps, prepare(deps, merchantId, request))
}

/** The same once a key of the merchant's. */
export function createEnrollmentOnce(
  deps: SessionDeps,
  merchantId: string,
  request: EnrollmentRequest,
  once: KeyedRequest<CreatedEnrollment>,
): Promise<StoredResponse> {
  return createOnce(deps, { merchantId, agentId: null }, once, async () => prepare(deps, merchantId, request))
}

function prepare(
  deps: SessionDeps,
  merchantId: string,
  { userId, email, ...request }: EnrollmentRequest,
): Creation<CreatedEnrollment> {
  const at = deps.clock.now()
  const { sessionId, launchSecret } = newLaunch()
  const session = {
    ...request,
    ...{ merchantId, sessionId, userId, email, phone: null, country: null, newCustomerId: newId('customer'), at },
    launchHash: hashLaunchSecret(deps.launchSecretsKey, sessionId, launchSecret),
    expiresAt: addSeconds(at, deps.lifetimeSeconds),
  }
  return {
    name: 'sessions.create_enrollment',
    silent: 'unapproved',
    by: async (run) => opened(deps, { ...session, launchSecret }, await run((on) => insertEnrollment(on, session))),
  }
}

async function opened(
  deps: SessionDeps,
  { merchantId, sessionId, launchSecret, at, expiresAt }: NewEnrollment,
  created: { refusal: EnrollRefusal | null; customerId: string | null } | undefined,
): Promise<CreatedEnrollment> {
  const refusal = created?.refusal ?? null
  if (refusal !== null) throw enrollRefused(refusal)
  const customerId = created?.customerId ?? null
  if (customerId === null) throw new Error('A session was neither made nor refused.')
  const token = {
    merchantId,
    sessionId,
    customerId,
    orderId: null,
    readAs: 'enrollment',
    issuedAt: at,
    expiresAt,
  } as const
  const sessionToken = await deps.tokens.sign(token)
  const iframeUrl = launchUrl(deps.surfaceUrl, merchantId, sessionId, launchSecret)
  return { sessionId, sessionToken, iframeUrl, expiresAt }
}
