import { bound } from '../platform/bound.ts'
import { addContact, linkState, listContacts, removeContact, resendLink, verifyContact } from './contacts.ts'
import type { MailDeps } from './deps.ts'
import { deleteOldMails } from './retention.ts'
import { sendDue } from './send.ts'

export type { LinkState } from './contacts.ts'
export type { Contact } from './contacts-store.ts'
export type { MailDeps } from './deps.ts'
export { queueIncidentMail } from './incident.ts'
export { createMailer } from './mailer.ts'

/** The contacts of accounts, and the outbox of mails to them. */
export const createMailService = (deps: MailDeps) =>
  bound(deps, {
    addContact,
    listContacts,
    removeContact,
    resendLink,
    linkState,
    verifyContact,
    sendDue,
    deleteOldMails,
  })
export type MailService = ReturnType<typeof createMailService>
