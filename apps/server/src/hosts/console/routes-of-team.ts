import { mayAs } from '@mintmark/contract/console'
import { ConsoleDone } from '@mintmark/contract/wire/console'
import {
  ActsQuery,
  ConsoleActs,
  ConsoleConfirmation,
  ConsoleConfirmationOptions,
  ConsoleTeam,
  InvitationParams,
  InviteBody,
  PersonParams,
  RoleBody,
} from '@mintmark/contract/wire/console-people'
import { perInviter } from '../../console/credential.ts'
import {
  alreadyInvited,
  invitationNotFound,
  lastOwner,
  noMailAtConsole,
  notConfirmed,
  personNotFound,
  roleTooSmall,
  usedElsewhere,
} from '../../console/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { passkeyFailed, passkeyRequired } from '../../passkeys/errors.ts'
import { invalidFields } from '../../platform/errors.ts'
import { afterPasskey, type Door } from './arriving.ts'
import { ADMIN, DONE, OWN, OWNER, READ } from './common.ts'
import { toWireActs, toWireTeam } from './wire-of-people.ts'

/** What an act may be refused for that asks for the passkey. */
export const CONFIRMING = [notConfirmed, passkeyFailed, usedElsewhere] as const

/** The people who look after the account, and what they did. */
export function teamRoutes(door: Door): Route[] {
  const { console: people } = door
  return [
    route({
      ...READ,
      path: '/api/team',
      operationId: 'getConsoleTeam',
      summary: 'Who looks after the account',
      response: ConsoleTeam,
      errors: [],
      handler: async ({ caller }) => toWireTeam(await people.readTeam(caller)),
    }),
    route({
      ...READ,
      path: '/api/acts',
      operationId: 'listConsoleActs',
      summary: 'What people did at the account, the newest first',
      query: ActsQuery,
      response: ConsoleActs,
      errors: [],
      handler: async ({ caller, query }) => toWireActs(await people.listActs(caller, query.before)),
    }),
    route({
      ...OWN,
      path: '/api/confirm',
      operationId: 'confirmAtConsole',
      summary: 'Begin to confirm with the passkey what widens',
      body: ConsoleConfirmation,
      response: ConsoleConfirmationOptions,
      errors: [passkeyRequired, passkeyFailed],
      handler: async ({ caller, body }) => ({ options: await people.confirmation(caller, body) }),
    }),
    ...invitingRoutes(door),
    ...personRoutes(door),
  ]
}

function invitingRoutes(door: Door): Route[] {
  const { console: people } = door
  return [
    route({
      ...ADMIN,
      path: '/api/team/invite',
      operationId: 'inviteToAccount',
      summary: 'Invite a person to look after the account',
      limit: perInviter,
      body: InviteBody,
      response: ConsoleDone,
      errors: [invalidFields, roleTooSmall, noMailAtConsole, alreadyInvited, ...CONFIRMING],
      async handler({ caller, body: { email, role, answer } }) {
        if (!mayAs(caller.role, role)) throw roleTooSmall()
        await people.confirmed(caller, { act: 'invite', email, role }, answer)
        await people.invite(caller, { email, role })
        return afterPasskey(door, caller, DONE)
      },
    }),
    route({
      ...ADMIN,
      path: '/api/team/invitations/:invitationId/withdraw',
      operationId: 'withdrawInvitation',
      summary: 'Take an invitation back',
      params: InvitationParams,
      response: ConsoleDone,
      errors: [invitationNotFound],
      async handler({ caller, params }) {
        await people.withdrawInvitation(caller, params.invitationId)
        return DONE
      },
    }),
  ]
}

function personRoutes(door: Door): Route[] {
  const { console: people } = door
  return [
    route({
      ...OWNER,
      path: '/api/team/people/:personId/role',
      operationId: 'changeConsoleRole',
      summary: 'Give a person another role; a larger one asks for the passkey',
      params: PersonParams,
      body: RoleBody,
      response: ConsoleDone,
      errors: [personNotFound, lastOwner, ...CONFIRMING],
      async handler({ caller, params: { personId }, body: { role, answer } }) {
        const before = await people.roleOf(caller, personId)
        const widens = !mayAs(before, role)
        if (widens) await people.confirmed(caller, { act: 'change_role', person_id: personId, role }, answer)
        await people.changeRole(caller, { personId, role, before })
        return widens ? afterPasskey(door, caller, DONE) : DONE
      },
    }),
    route({
      ...OWNER,
      path: '/api/team/people/:personId/remove',
      operationId: 'removeFromAccount',
      summary: 'Take a person away from the account',
      params: PersonParams,
      response: ConsoleDone,
      errors: [personNotFound, lastOwner],
      async handler({ caller, params: { personId } }) {
        await people.removePerson(caller, personId)
        return DONE
      },
    }),
  ]
}
