import { bound } from '../platform/bound.ts'
import type { InvitingDeps } from './deps.ts'
import { inviteAsOperator, removeAsOperator } from './invitations.ts'

/** What an operator does about the people who look after accounts. */
export const createConsoleOperations = (deps: InvitingDeps) =>
  bound(deps, { invite: inviteAsOperator, remove: removeAsOperator })
