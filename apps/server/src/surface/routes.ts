import { cardInactive, cardNotFound, cardRefused, networkUnavailable, stepUpInvalid } from '../cards/errors.ts'
import { type Route, route } from '../http/route.ts'
import { passkeyFailed, passkeyFrameRefused, passkeyRequired } from '../passkeys/errors.ts'
import { invalidFields, invalidState } from '../platform/errors.ts'
import { sessionChanged, sessionExpired, sessionNotFound, sessionOver, sessionRevoked } from '../sessions/errors.ts'
import type { SurfaceService } from './service.ts'
import {
  ApprovalOptionsResponse,
  CeremonyBody,
  CeremonyOptions,
  EnterCardBody,
  FrameBody,
  LaunchBody,
  LaunchResponse,
  SelectCardBody,
  VerifyCardBody,
  View,
} from './wire.ts'

/** The backend of the cardholder's page, on the page's own origin. */
export function surfaceRoutes(surface: SurfaceService): Route[] {
  return [
    launchRoute(surface),
    viewRoute(surface),
    ...cardRoutes(surface),
    ...passkeyRoutes(surface),
    ...endRoutes(surface),
  ]
}

function launchRoute(surface: SurfaceService): Route {
  return route({
    method: 'POST',
    path: '/api/launch',
    operationId: 'launchSurface',
    summary: "Trade the launch secret for the session's authority",
    tag: 'Surface',
    auth: 'public',
    publicReason: 'The launch secret in the body is the credential; it is compared as a keyed hash.',
    rateLimit: 'launch',
    body: LaunchBody,
    status: 200,
    response: LaunchResponse,
    noStore: true,
    errors: [sessionNotFound, sessionExpired, sessionRevoked],
    async handler({ body }) {
      const launched = await surface.launch(body.merchant_id, body.session_id, body.launch_secret)
      return { session_token: launched.sessionToken, view: launched.view }
    },
  })
}

/** What all rows that a session token opens share. */
const STEP = {
  method: 'POST',
  tag: 'Surface',
  auth: 'session_token',
  rateLimit: 'surface',
  status: 200,
  response: View,
  noStore: true,
} as const
const OVER = [sessionExpired, sessionRevoked, sessionChanged] as const

function viewRoute(surface: SurfaceService): Route {
  return route({
    ...STEP,
    method: 'GET',
    path: '/api/session',
    operationId: 'getSurfaceSession',
    summary: 'Where the cardholder stands',
    errors: OVER,
    handler: ({ caller }) => surface.view(caller),
  })
}

function cardRoutes(surface: SurfaceService): Route[] {
  return [
    route({
      ...STEP,
      path: '/api/cards',
      operationId: 'enterCard',
      summary: 'Enter a card, or the CVV of the preselected one',
      rateLimit: 'surface_secret_entry',
      body: EnterCardBody,
      errors: [...OVER, invalidFields, cardRefused, cardInactive, cardNotFound, networkUnavailable],
      handler: ({ caller, body }) => surface.enterCard(caller, body),
    }),
    route({
      ...STEP,
      path: '/api/cards/select',
      operationId: 'selectCard',
      summary: 'Choose a saved card',
      body: SelectCardBody,
      errors: [...OVER, cardNotFound, cardInactive],
      handler: ({ caller, body }) => surface.selectCard(caller, body.card_id),
    }),
    route({
      ...STEP,
      path: '/api/cards/verify',
      operationId: 'verifyCard',
      summary: 'Enter the verification code the network sent',
      rateLimit: 'surface_secret_entry',
      body: VerifyCardBody,
      errors: [...OVER, stepUpInvalid, cardRefused, cardInactive, networkUnavailable],
      handler: ({ caller, body }) => surface.verifyCard(caller, body.code),
    }),
  ]
}

function passkeyRoutes(surface: SurfaceService): Route[] {
  return [
    route({
      ...STEP,
      path: '/api/passkeys/registration-options',
      operationId: 'passkeyRegistrationOptions',
      summary: 'Begin to register a passkey',
      body: FrameBody,
      response: CeremonyOptions,
      errors: [...OVER, invalidState],
      handler: ({ caller, body }) => surface.registrationOptions(caller, body.frame.embedded),
    }),
    route({
      ...STEP,
      path: '/api/passkeys/registrations',
      operationId: 'registerPasskey',
      summary: 'Finish registering a passkey',
      body: CeremonyBody,
      errors: [...OVER, passkeyFailed, passkeyFrameRefused, invalidState],
      handler: ({ caller, body }) => surface.register(caller, body.response),
    }),
    route({
      ...STEP,
      path: '/api/approval-options',
      operationId: 'approvalOptions',
      summary: 'The terms, and the passkey challenge that binds them',
      body: FrameBody,
      response: ApprovalOptionsResponse,
      errors: [...OVER, passkeyRequired, cardNotFound, cardInactive],
      handler: ({ caller, body }) => surface.approvalOptions(caller, body.frame.embedded),
    }),
    route({
      ...STEP,
      path: '/api/approvals',
      operationId: 'approve',
      summary: 'Approve the terms with a passkey',
      body: CeremonyBody,
      errors: [...OVER, passkeyFailed, passkeyFrameRefused, passkeyRequired],
      handler: ({ caller, body }) => surface.approve(caller, body.response),
    }),
  ]
}

function endRoutes(surface: SurfaceService): Route[] {
  return [
    route({
      ...STEP,
      path: '/api/cancel',
      operationId: 'cancelSession',
      summary: 'Walk away before approving',
      errors: [...OVER, sessionOver],
      handler: ({ caller }) => surface.cancel(caller),
    }),
  ]
}
