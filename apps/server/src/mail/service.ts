import { bound } from '../platform/bound.ts'
import { addContact, linkState, listContacts, removeContact, resendLink, verifyContact } from './contacts.ts'
import type { MailDeps } from './deps.ts'
import { askOwnerAddress, confirmOwnerAddress, ownerAddress, removeOwnerAddress, sendsMail } from './owner-address.ts'
import { deleteOldMails } from './retention.ts'
import { sendDue } from './send.ts'

export type { LinkState } from './contacts.ts'
export type { Contact } from './contacts-store.ts'
export type { MailDeps } from './deps.ts'
export { queueIncidentMail } from './incident.ts'
export { createMailer } from './mailer.ts'
export { forgetOwnerAddress, type OwnerAddress } from './owner-address.ts'
export { type AskedOwner, queueAskedMail } from './owner-asked.ts'

const OWNERS = { ownerAddress, askOwnerAddress, confirmOwnerAddress, removeOwnerAddress, sendsMail }

/** The contacts of accounts and the addresses of owners, and the outbox of mails to them. */
export const createMailService = (deps: MailDeps) =>
  bound(deps, {
    addContact,
    listContacts,
    removeContact,
    resendLink,
    linkState,
    verifyContact,
    ...OWNERS,
    sendDue,
    deleteOldMails,
  })
export type MailService = ReturnType<typeof createMailService>
