import {
  ApprovalOptions,
  ApprovalOptionsRequest,
  CeremonyOptions,
  CeremonyOptionsRequest,
  CeremonyRequest,
  EnterCardRequest,
  LaunchRequest,
  LaunchResponse,
  RegistrationRequest,
  RegistrationResponse,
  SelectCardRequest,
  SurfaceView,
  VerifyCardRequest,
} from '@mintmark/contract/wire/surface'
import type { CardholderService } from '../../cardholder/service.ts'
import { refusedOfAddress, refusedOfCustomer, refusedOfMerchant } from '../../cards/credential.ts'
import { cardInactive, cardNotFound, cardRefused, networkUnavailable, stepUpInvalid } from '../../cards/errors.ts'
import { open } from '../../http/credential.ts'
import { type Route, route } from '../../http/route.ts'
import { passkeyFailed, passkeyFrameRefused, passkeyRequired } from '../../passkeys/errors.ts'
import { invalidFields, invalidState } from '../../platform/errors.ts'
import {
  cardNotProven,
  merchantSuspended,
  moreTimeGiven,
  moreTimeNever,
  moreTimeTooEarly,
  sessionChanged,
  sessionExpired,
  sessionNotFound,
  sessionOver,
  sessionRevoked,
} from '../../sessions/errors.ts'
import type { SessionService } from '../../sessions/service.ts'
import { perLaunch, perSecretEntry, perSession, sessionToken } from './credential.ts'

/** What a passkey is asked with. It is no step: the cardholder stands where they stood. */
type Asking = Pick<SessionService, 'registrationOptions' | 'approvalOptions'>

/** The backend of the cardholder's page, on the page's own origin. */
export function surfaceRoutes(cardholder: CardholderService, sessions: Asking): Route[] {
  return [
    launchRoute(cardholder),
    viewRoute(cardholder),
    ...cardRoutes(cardholder),
    ...passkeyRoutes(cardholder, sessions),
    ...endRoutes(cardholder),
  ]
}

function launchRoute(cardholder: CardholderService): Route {
  return route({
    method: 'POST',
    path: '/api/launch',
    operationId: 'launchSurface',
    summary: "Trade the launch secret for the session's authority",
    tag: 'Surface',
    auth: open('The launch secret in the body is the credential; it is compared as a keyed hash.'),
    limit: perLaunch,
    body: LaunchRequest,
    status: 200,
    response: LaunchResponse,
    noStore: true,
    errors: [sessionNotFound, sessionExpired, sessionRevoked, merchantSuspended],
    async handler({ body }) {
      const launched = await cardholder.launch(body.merchant_id, body.session_id, body.launch_secret)
      return { session_token: launched.sessionToken, view: launched.view }
    },
  })
}

/** What all rows that a session token opens share. */
const STEP = {
  method: 'POST',
  tag: 'Surface',
  auth: [sessionToken],
  limit: perSession,
  goesOn: true,
  status: 200,
  response: SurfaceView,
  noStore: true,
} as const
const OVER = [sessionExpired, sessionRevoked, sessionChanged, merchantSuspended] as const

function viewRoute(cardholder: CardholderService): Route {
  return route({
    ...STEP,
    method: 'GET',
    path: '/api/session',
    operationId: 'getSurfaceSession',
    summary: 'Where the cardholder stands',
    errors: OVER,
    handler: ({ caller }) => cardholder.view(caller),
  })
}

/** What tells of a number, a CVV or a code whether it is right. */
const REFUSALS = {
  errors: [cardRefused, stepUpInvalid],
  limits: [refusedOfCustomer, refusedOfAddress, refusedOfMerchant],
}

function cardRoutes(cardholder: CardholderService): Route[] {
  return [
    route({
      ...STEP,
      path: '/api/cards',
      operationId: 'enterCard',
      summary: 'Enter a card, or the CVV of the preselected one',
      limit: perSecretEntry,
      refusals: REFUSALS,
      body: EnterCardRequest,
      errors: [...OVER, invalidFields, cardRefused, cardInactive, cardNotFound, networkUnavailable],
      handler: ({ caller, body }) => cardholder.enterCard(caller, body),
    }),
    route({
      ...STEP,
      path: '/api/cards/select',
      operationId: 'selectCard',
      summary: 'Choose a saved card',
      body: SelectCardRequest,
      errors: [...OVER, cardNotFound, cardInactive],
      handler: ({ caller, body }) => cardholder.selectCard(caller, body.card_id),
    }),
    route({
      ...STEP,
      path: '/api/cards/verify',
      operationId: 'verifyCard',
      summary: 'Enter the verification code the network sent',
      limit: perSecretEntry,
      refusals: REFUSALS,
      body: VerifyCardRequest,
      errors: [...OVER, stepUpInvalid, cardRefused, cardInactive, networkUnavailable],
      handler: ({ caller, body }) => cardholder.verifyCard(caller, body.code),
    }),
  ]
}

function passkeyRoutes(cardholder: CardholderService, sessions: Asking): Route[] {
  return [
    route({
      ...STEP,
      path: '/api/passkeys/registration-options',
      operationId: 'passkeyRegistrationOptions',
      summary: 'Begin to register a passkey',
      body: CeremonyOptionsRequest,
      response: CeremonyOptions,
      errors: [...OVER, invalidState, cardNotProven],
      handler: ({ caller, body }) => sessions.registrationOptions(caller, body.frame.embedded),
    }),
    route({
      ...STEP,
      path: '/api/passkeys/registrations',
      operationId: 'registerPasskey',
      summary: 'Finish registering a passkey',
      body: RegistrationRequest,
      response: RegistrationResponse,
      errors: [...OVER, passkeyFailed, passkeyFrameRefused, invalidState, cardNotProven],
      handler: ({ caller, body }) => cardholder.register(caller, body.response, body.frame, body.reader),
    }),
    route({
      ...STEP,
      path: '/api/approval-options',
      operationId: 'approvalOptions',
      summary: 'The terms, and the passkey challenge that binds them',
      body: ApprovalOptionsRequest,
      response: ApprovalOptions,
      errors: [...OVER, passkeyRequired, cardNotFound, cardInactive, cardNotProven],
      handler: ({ caller, body }) =>
        sessions.approvalOptions(caller, { ...body.frame, reader: body.reader }, body.adjust),
    }),
    route({
      ...STEP,
      path: '/api/approvals',
      operationId: 'approve',
      summary: 'Approve the terms with a passkey',
      body: CeremonyRequest,
      errors: [...OVER, passkeyFailed, passkeyFrameRefused, passkeyRequired],
      handler: ({ caller, body }) => cardholder.approve(caller, body.response),
    }),
  ]
}

function endRoutes(cardholder: CardholderService): Route[] {
  return [
    route({
      ...STEP,
      path: '/api/more-time',
      operationId: 'extendSession',
      summary: 'Ten minutes more: once, in the last two minutes',
      errors: [...OVER, moreTimeTooEarly, moreTimeGiven, moreTimeNever],
      handler: ({ caller }) => cardholder.extend(caller),
    }),
    route({
      ...STEP,
      path: '/api/cancel',
      operationId: 'cancelSession',
      summary: 'Walk away before approving',
      errors: [...OVER, sessionOver],
      handler: ({ caller }) => cardholder.cancel(caller),
    }),
  ]
}
