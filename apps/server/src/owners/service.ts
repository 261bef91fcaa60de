import { bound } from '../platform/bound.ts'
import type { OwnerDeps } from './deps.ts'
import { allowEscalation, denyEscalation, escalationApproval, lookAtEscalation, openMandate } from './escalations.ts'
import { cardOfAgent, home, publishAgent, revokeAgent, unpublishAgent } from './home.ts'
import { approveLimits, limitsApproval, narrowLimits } from './limits.ts'
import { approveLink, denyLink, linkApproval, look } from './links.ts'
import {
  deleteOver,
  nameOf,
  newOwnerOptions,
  registerOwner,
  resolve,
  signIn,
  signInOptions,
  signOut,
} from './sign-in.ts'

export type { OwnerCaller, OwnerDeps } from './deps.ts'
export type { LookedAtEscalation } from './escalations.ts'
export type { Home } from './home.ts'
export type { Decided, LookedAtLink } from './links.ts'
export { type Begun, SESSION_SECONDS } from './sign-in.ts'

const SIGN_IN = { signInOptions, signIn, newOwnerOptions, registerOwner, resolve, nameOf, signOut, deleteOver }
const LINKS = { look, linkApproval, approveLink, denyLink }
const AGENTS = { home, revokeAgent, cardOfAgent, publishAgent, unpublishAgent }
const LIMITS = { limitsApproval, approveLimits, narrowLimits }
const ESCALATIONS = { lookAtEscalation, escalationApproval, allowEscalation, denyEscalation, openMandate }

/** What people do at the owners' page: they sign in, link agents, and answer what these ask. */
export const createOwnerService = (deps: OwnerDeps) =>
  bound(deps, { ...SIGN_IN, ...LINKS, ...ESCALATIONS, ...AGENTS, ...LIMITS })
export type OwnerService = ReturnType<typeof createOwnerService>
