import {
  PermissionParams,
  PermissionsView,
  ResumeOptions,
  ResumeRequest,
  SignInRequest,
  Visit,
  VisitOptions,
  VisitRequest,
} from '@mintmark/contract/wire/permissions'
import { open } from '../../http/credential.ts'
import { type Route, route } from '../../http/route.ts'
import { mandateForbidden, mandateInvalidTransition, mandateNotFound } from '../../mandates/errors.ts'
import { passkeyFailed, passkeyRequired } from '../../passkeys/errors.ts'
import { passkeyUnknown, resumedTooEarly, visitChanged } from '../../permissions/errors.ts'
import type { PermissionService } from '../../permissions/service.ts'
import { notFound } from '../../platform/errors.ts'
import { perVisit, perVisitor, visitToken } from './credential.ts'

const COMING = { method: 'POST', tag: 'Surface', limit: perVisit, status: 200, noStore: true } as const
/** What all rows that the token of a visit opens share. */
const THERE = {
  method: 'POST',
  tag: 'Surface',
  auth: [visitToken],
  limit: perVisitor,
  status: 200,
  noStore: true,
} as const
const OF_ONE = [mandateNotFound, mandateForbidden, mandateInvalidTransition] as const

/** The backend of the page where cardholders see and stop what they have allowed a merchant. */
export function permissionRoutes(permissions: PermissionService): Route[] {
  return [
    ...signInRoutes(permissions),
    viewRoute(permissions),
    ...narrowingRoutes(permissions),
    ...resumeRoutes(permissions),
  ]
}

function signInRoutes(permissions: PermissionService): Route[] {
  return [
    route({
      ...COMING,
      path: '/api/permissions/sign-in/options',
      operationId: 'permissionsSignInOptions',
      summary: 'The passkey challenge of whoever comes',
      auth: open('Nobody is known yet; it says the same to everybody.'),
      body: VisitRequest,
      response: VisitOptions,
      errors: [notFound],
      handler: ({ body }) => permissions.signInOptions(body.merchant_id),
    }),
    route({
      ...COMING,
      path: '/api/permissions/sign-in',
      operationId: 'signInToPermissions',
      summary: 'Sign in with a passkey',
      auth: open('The signature in the body is the credential.'),
      body: SignInRequest,
      response: Visit,
      errors: [passkeyFailed, passkeyUnknown, visitChanged, notFound],
      handler: ({ body: { merchant_id: merchantId, visit, response } }) =>
        permissions.enter({ merchantId, visit, response }),
    }),
  ]
}

function viewRoute(permissions: PermissionService): Route {
  return route({
    ...THERE,
    method: 'GET',
    path: '/api/permissions',
    operationId: 'listPermissions',
    summary: 'What the cardholder has allowed the merchant to charge again and again',
    response: PermissionsView,
    errors: [notFound],
    handler: ({ caller }) => permissions.view(caller),
  })
}

function narrowingRoutes(permissions: PermissionService): Route[] {
  return [
    route({
      ...THERE,
      path: '/api/permissions/:mandateId/pause',
      operationId: 'pausePermission',
      summary: 'Let nothing be charged until it goes on',
      params: PermissionParams,
      response: PermissionsView,
      errors: OF_ONE,
      handler: ({ caller, params }) => permissions.pause(caller, params.mandateId),
    }),
    route({
      ...THERE,
      path: '/api/permissions/:mandateId/cancel',
      operationId: 'cancelPermission',
      summary: 'End it for good',
      params: PermissionParams,
      response: PermissionsView,
      errors: OF_ONE,
      handler: ({ caller, params }) => permissions.cancel(caller, params.mandateId),
    }),
  ]
}

function resumeRoutes(permissions: PermissionService): Route[] {
  return [
    route({
      ...THERE,
      path: '/api/permissions/:mandateId/resume/options',
      operationId: 'resumePermissionOptions',
      summary: 'What is signed so that it goes on, and the passkey challenge that binds it',
      params: PermissionParams,
      response: ResumeOptions,
      errors: [passkeyRequired, passkeyFailed, resumedTooEarly],
      handler: ({ caller, params }) => permissions.resumeOptions(caller, params.mandateId),
    }),
    route({
      ...THERE,
      path: '/api/permissions/:mandateId/resume',
      operationId: 'resumePermission',
      summary: 'Let it go on, with a passkey',
      params: PermissionParams,
      body: ResumeRequest,
      response: PermissionsView,
      errors: [...OF_ONE, passkeyFailed, visitChanged, resumedTooEarly],
      handler: ({ caller, params, body: { resume_id: resumeId, response } }) =>
        permissions.goOn(caller, params.mandateId, { resumeId, response }),
    }),
  ]
}
