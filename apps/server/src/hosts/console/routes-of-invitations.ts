import { ConsoleDone, ConsoleSignedIn } from '@mintmark/contract/wire/console'
import {
  ConsoleVisit,
  InvitationAnswer,
  InvitationBody,
  InvitationCode,
  InvitationName,
  InvitationView,
  InvitationVisit,
} from '@mintmark/contract/wire/console-people'
import { perInvited } from '../../console/credential.ts'
import { addressKnown, invitationOver, invitedElse, passkeyTaken } from '../../console/errors.ts'
import { type Route, route } from '../../http/route.ts'
import { addressNotProven, codeOver, codeWrong, noMailHere, tooManyVisits } from '../../mail/errors.ts'
import { passkeyFailed } from '../../passkeys/errors.ts'
import { arrivalOf, begun, type Door, NOT_YET, VISIT, withToken } from './arriving.ts'
import { DONE, OWN } from './common.ts'

const OPEN = { ...VISIT, auth: NOT_YET } as const

/** How a person comes in who was invited: the code that is mailed to the address, then a passkey. */
export function invitationRoutes(door: Door): Route[] {
  const { console: people, cookie, environment } = door
  return [
    route({
      ...OPEN,
      path: '/api/invitation',
      operationId: 'readInvitation',
      summary: 'What an invitation is to',
      body: InvitationBody,
      response: InvitationView,
      errors: [invitationOver],
      async handler({ body }) {
        const { accountName, email, role, inviter, expiresAt, isKnown } = await people.readInvitation(body.link)
        const times = { expires_at: expiresAt.toISOString() }
        return { account: { name: accountName, environment }, email, role, inviter, ...times, known: isKnown }
      },
    }),
    route({
      ...OPEN,
      path: '/api/invitation/code',
      operationId: 'askForInvitationCode',
      summary: 'Mail a code to the address that was invited',
      limit: perInvited,
      body: InvitationBody,
      response: InvitationVisit,
      errors: [invitationOver, noMailHere, tooManyVisits],
      async handler({ body }) {
        const { visit, codeEndsAt } = await people.askForCode(body.link)
        return { visit, code_ends_at: codeEndsAt.toISOString() }
      },
    }),
    route({
      ...OPEN,
      path: '/api/invitation/prove',
      operationId: 'proveInvitation',
      summary: 'Type the code that was mailed',
      body: InvitationCode,
      response: ConsoleDone,
      errors: [codeOver, codeWrong],
      async handler({ body }) {
        await people.proveInvited(body.visit, body.code)
        return DONE
      },
    }),
    route({
      ...OPEN,
      path: '/api/invitation/options',
      operationId: 'invitationOptions',
      summary: 'Begin to make a passkey, with a proven address',
      body: InvitationName,
      response: ConsoleVisit,
      errors: [invitationOver, addressNotProven, invitedElse, addressKnown],
      handler: ({ body }) => people.newPersonOptions(body),
    }),
    route({
      ...OPEN,
      path: '/api/invitation/accept',
      operationId: 'acceptInvitation',
      summary: 'Look after the account with a new passkey, and be signed in',
      body: InvitationAnswer,
      response: ConsoleSignedIn,
      errors: [invitationOver, addressNotProven, invitedElse, addressKnown, passkeyFailed, passkeyTaken],
      handler: async ({ body, client }) =>
        begun(door, await people.acceptInvitation(body, arrivalOf(cookie, client())), client()),
    }),
    route({
      ...OWN,
      path: '/api/invitation/join',
      operationId: 'joinAccount',
      summary: 'Look after one more account, with the passkey that one has',
      body: InvitationBody,
      response: ConsoleDone,
      errors: [invitationOver, invitedElse],
      async handler({ caller, body }) {
        const accountId = await people.joinAccount(caller, body.link)
        return withToken(cookie, await people.openAccount(caller, accountId), DONE)
      },
    }),
  ]
}
