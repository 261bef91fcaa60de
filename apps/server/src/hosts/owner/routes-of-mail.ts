import { Done, MailBody, MailCodeBody } from '@mintmark/contract/wire/owner'
import { type Route, route } from '../../http/route.ts'
import { alreadyVerified, codeOver, codeWrong, noMailHere, tooManyCodes } from '../../mail/errors.ts'
import type { MailService } from '../../mail/service.ts'
import { perOwnerMail } from '../../owners/credential.ts'
import { DONE, OWNERS } from './common.ts'

const MAIL = { ...OWNERS, method: 'POST', response: Done } as const

type OwnAddress = Pick<MailService, 'askOwnerAddress' | 'confirmOwnerAddress' | 'removeOwnerAddress'>

/** Where an owner is mailed what their agents ask. */
export function ownerMailRoutes(mail: OwnAddress): Route[] {
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
        await mail.askOwnerAddress(caller, body.email)
        return DONE
      },
    }),
    route({
      ...MAIL,
      path: '/api/mail/confirm',
      operationId: 'confirmMail',
      summary: 'Type the code that was mailed',
      body: MailCodeBody,
      errors: [codeOver, codeWrong],
      async handler({ caller, body }) {
        await mail.confirmOwnerAddress(caller, body.code)
        return DONE
      },
    }),
    route({
      ...MAIL,
      path: '/api/mail/stop',
      operationId: 'stopMail',
      summary: 'Be mailed nothing any more',
      errors: [],
      async handler({ caller }) {
        await mail.removeOwnerAddress(caller)
        return DONE
      },
    }),
  ]
}
