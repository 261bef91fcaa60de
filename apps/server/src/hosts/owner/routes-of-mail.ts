import { Done, MailBody, MailCodeBody } from '@mintmark/contract/wire/owner'
import { type Route, route } from '../../http/route.ts'
import { alreadyVerified, codeOver, codeWrong, noMailHere, tooManyCodes } from '../../mail/errors.ts'
import { ownerSession, perOwner, perOwnerMail } from '../../owners/credential.ts'
import type { OwnerService } from '../../owners/service.ts'

const MAIL = {
  method: 'POST',
  tag: 'Owners',
  auth: [ownerSession],
  status: 200,
  noStore: true,
  response: Done,
} as const
const DONE = { done: true } as const

/** Where an owner is mailed what their agents ask. */
export function ownerMailRoutes(owners: OwnerService): Route[] {
  return [
    route({
      ...MAIL,
      path: '/api/mail',
      operationId: 'askForMail',
      summary: 'Mail a code to an address, to be told there of what agents ask',
      limit: perOwnerMail,
      body: MailBody,
      errors: [tooManyCodes, alreadyVerified, noMailHere],
      async handler({ caller, body }) {
        await owners.askForMail(caller, body.email)
        return DONE
      },
    }),
    route({
      ...MAIL,
      path: '/api/mail/confirm',
      operationId: 'confirmMail',
      summary: 'Type the code that was mailed',
      limit: perOwner,
      body: MailCodeBody,
      errors: [codeOver, codeWrong],
      async handler({ caller, body }) {
        await owners.confirmMail(caller, body.code)
        return DONE
      },
    }),
    route({
      ...MAIL,
      path: '/api/mail/stop',
      operationId: 'stopMail',
      summary: 'Be mailed nothing any more',
      limit: perOwner,
      errors: [],
      async handler({ caller }) {
        await owners.stopMail(caller)
        return DONE
      },
    }),
  ]
}
