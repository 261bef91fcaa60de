import { EnrollCardBody, EnrollCardResponse, EnrollmentStatusResource } from '@mintmark/contract/wire/enrollment'
import { SessionParams } from '@mintmark/contract/wire/sessions'
import { refusedOfMerchant } from '../cards/credential.ts'
import { cardRefused, networkUnavailable } from '../cards/errors.ts'
import { shownBy } from '../db/respond-once.ts'
import {
  actionNotFound,
  binCountryNotAllowed,
  binIssuerNotAllowed,
  emailRequired,
  statusUnsupported,
} from '../enrollment/errors.ts'
import type { EnrollmentService } from '../enrollment/service.ts'
import { CREATION_KEY } from '../http/idempotency.ts'
import { type Route, type RouteExample, route } from '../http/route.ts'
import { secretKey } from '../merchants/credential.ts'
import { configMissing, merchantLookupFailed } from '../merchants/errors.ts'
import type { Clock } from '../platform/clock.ts'
import { perEnrollment, perEnrollmentStatus } from './credential.ts'
import { sessionNotFound } from './errors.ts'
import type { SessionService } from './service.ts'
import { enrollProblems, fromWireEnroll, toWireEnrollment, toWireEnrollmentStatus } from './wire-of-enrollments.ts'

export interface EnrollmentRouteDeps {
  sessions: SessionService
  enrollments: EnrollmentService
  clock: Clock
}

/** Cards that are enrolled without a payment. */
export function enrollmentRoutes(deps: EnrollmentRouteDeps): Route[] {
  return [enrollRoute(deps), statusRoute(deps)]
}

function enrollRoute({ sessions, enrollments }: EnrollmentRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/v1/sessions/enroll-card',
    operationId: 'enrollCard',
    summary: 'Enroll a card without a payment',
    description:
      '`provision_only` makes a card of a vault record and returns it; nobody need be there. `full_enrollment` returns a session: ' +
      'the cardholder enrolls the card with a passkey at `iframe_url`, and you poll its status.',
    tag: 'Card enrollment',
    auth: [secretKey],
    limit: perEnrollment,
    begins: true,
    idempotencyKey: CREATION_KEY,
    // They tell of a number whether it is good.
    refusals: { errors: [cardRefused, binCountryNotAllowed, binIssuerNotAllowed], limits: [refusedOfMerchant] },
    body: EnrollCardBody,
    check: enrollProblems,
    status: 201,
    response: EnrollCardResponse,
    example: ENROLL_EXAMPLE,
    noStore: true,
    errors: [
      merchantLookupFailed,
      configMissing,
      emailRequired,
      binCountryNotAllowed,
      binIssuerNotAllowed,
      cardRefused,
      networkUnavailable,
    ],
    async handler({ caller: { merchantId }, body, once }) {
      const request = fromWireEnroll(body)
      if (request.mode === 'full_enrollment') {
        if (once.isNamed) return sessions.createEnrollmentOnce(merchantId, request, shownBy(once, toWireEnrollment))
        return toWireEnrollment(await sessions.createEnrollment(merchantId, request))
      }
      const show = ({ cardId }: { cardId: string }) => ({ card_id: cardId })
      if (once.isNamed) return enrollments.provisionOnce(merchantId, request, shownBy(once, show))
      return show(await enrollments.provisionOnly(merchantId, request))
    },
  })
}

function statusRoute({ sessions, clock }: EnrollmentRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/v1/sessions/:sessionId/status',
    goesOn: true,
    operationId: 'getEnrollmentStatus',
    summary: 'Read how an enrollment stands',
    description:
      'Of a `full_enrollment`, in every state. It succeeded only when `status` is `completed` and `outcome` is `fully_enrolled`. ' +
      'Poll about once a second, backing off toward five.',
    tag: 'Card enrollment',
    auth: [secretKey],
    limit: perEnrollmentStatus,
    params: SessionParams,
    status: 200,
    response: EnrollmentStatusResource,
    example: STATUS_EXAMPLE,
    noStore: true,
    errors: [sessionNotFound, statusUnsupported, actionNotFound],
    async handler({ caller, params }) {
      const session = await sessions.enrollmentStatus({ merchantId: caller.merchantId, ...params })
      return toWireEnrollmentStatus(session, clock.now())
    },
  })
}

const SESSION = 'sess_4fz9w2r7c0m8k1q6t3x5v0n2hd'

const ENROLL_EXAMPLE: RouteExample<EnrollCardBody, EnrollCardResponse> = {
  body: {
    enrollment_mode: 'full_enrollment',
    user_id: 'user-1',
    user_email: 'ann@example.com',
    consent_id: 'consent-77',
    callback_url: 'https://tea.example/cards',
  },
  response: {
    session_id: SESSION,
    session_token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzZXNzXzRmeiJ9.c2lnbmF0dXJl',
    expires_at: '2026-11-21T12:15:00.000Z',
    iframe_url: `https://pay.example.com/s/ma_9w2r7c0m8k1q6t3x5v0n2hd4fz/${SESSION}#k5v0n2hd4fz9w2r7c0m8k1q6t3`,
  },
}

const STATUS_EXAMPLE: RouteExample<undefined, EnrollmentStatusResource> = {
  response: {
    session_id: SESSION,
    status: 'completed',
    outcome: 'fully_enrolled',
    card_id: 'card_8k1q6t3x5v0n2hd4fz9w2r7c0m',
    passkey: 'registered',
    consent_status: 'provided',
    error: null,
  },
}
