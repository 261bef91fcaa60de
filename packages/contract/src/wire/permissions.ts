import { type Static, Type } from 'typebox'
import { ENVIRONMENTS } from '../accounts.ts'
import { MANDATE_STATUSES, MERCHANT_SCOPES, RECURRING_FREQUENCIES } from '../states.ts'
import { nullable, oneOf, STRICT } from './schema.ts'
import { CeremonyOptions, SurfaceId, SurfaceOperator } from './surface.ts'

/**
 * What the page of permissions and its backend say to each other: what a cardholder allowed a merchant's account to
 * charge again and again, and how they stop it. The page holds the token of a visit; every call but the first two
 * sends it as `Authorization: Bearer`.
 *
 *   GET  /permissions/{merchant_id}                        the page itself
 *   POST /api/permissions/sign-in/options  VisitRequest    → VisitOptions
 *   POST /api/permissions/sign-in          SignInRequest   → Visit
 *   GET  /api/permissions                                  → PermissionsView
 *   POST /api/permissions/{id}/pause                       → PermissionsView
 *   POST /api/permissions/{id}/cancel                      → PermissionsView
 *   POST /api/permissions/{id}/resume/options              → ResumeOptions
 *   POST /api/permissions/{id}/resume      ResumeRequest   → PermissionsView
 */

export const VisitRequest = Type.Object({ merchant_id: SurfaceId }, STRICT)
export type VisitRequest = Static<typeof VisitRequest>

/** The WebAuthn request of whoever comes; the browser shows which passkeys it has. */
export const VisitOptions = Type.Object({ visit: Type.String(), options: CeremonyOptions })
export type VisitOptions = Static<typeof VisitOptions>

export const SignInRequest = Type.Object({ merchant_id: SurfaceId, visit: SurfaceId, response: Type.Unknown() }, STRICT)
export type SignInRequest = Static<typeof SignInRequest>

/** One standing permission as it stands now. */
export const Permission = Type.Object({
  mandate_id: Type.String(),
  merchant_name: Type.String(),
  merchant_url: Type.String(),
  status: oneOf(MANDATE_STATUSES),
  /** The cap of each window; `remaining` is left of the current one. */
  amount: Type.String(),
  remaining: Type.String(),
  spent: Type.String(),
  currency: Type.String(),
  recurring_frequency: oneOf(RECURRING_FREQUENCIES),
  merchant_scope: oneOf(MERCHANT_SCOPES),
  max_charges: nullable(Type.Integer()),
  charge_count: Type.Integer(),
  renews_at: nullable(Type.String()),
  valid_until: Type.String(),
  allowed_at: Type.String(),
  ended_at: nullable(Type.String()),
})
export type Permission = Static<typeof Permission>

export const PermissionsView = Type.Object({
  operator: SurfaceOperator,
  merchant: Type.Object({ name: Type.String() }),
  environment: oneOf(ENVIRONMENTS),
  now: Type.String(),
  expires_at: Type.String(),
  /** Newest first: those that hold, paused ones with them, and those that have ended. */
  permissions: Type.Array(Permission),
  /** There are older ones that are not shown. */
  more: Type.Boolean(),
})
export type PermissionsView = Static<typeof PermissionsView>

/** `token` is good until `expires_at` of the view, and is kept in the page alone. */
export const Visit = Type.Object({ token: Type.String(), view: PermissionsView })
export type Visit = Static<typeof Visit>

/** What is signed when a permission that was paused goes on: all that it allows is what was allowed before. */
export const PermissionResumeTerms = Type.Object({
  type: Type.Literal('permission_resume'),
  version: Type.Literal(1),
  resume_id: Type.String(),
  account_id: Type.String(),
  customer_id: Type.String(),
  mandate_id: Type.String(),
})
export type PermissionResumeTerms = Static<typeof PermissionResumeTerms>

export const ResumeOptions = Type.Object({ terms: PermissionResumeTerms, options: CeremonyOptions })
export type ResumeOptions = Static<typeof ResumeOptions>

export const ResumeRequest = Type.Object({ resume_id: SurfaceId, response: Type.Unknown() }, STRICT)
export type ResumeRequest = Static<typeof ResumeRequest>

export const PermissionParams = Type.Object({ mandateId: SurfaceId }, STRICT)
