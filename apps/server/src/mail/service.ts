import { bound } from '../platform/bound.ts'
import { addContact, linkState, listContacts, removeContact, resendLink, verifyContact } from './contacts.ts'
import type { MailDeps } from './deps.ts'
import { deleteFormerAddresses, formerAddresses } from './former-address.ts'
import { invitationMail, invitationOfLink } from './invitation-mail.ts'
import {
  askOwnerAddress,
  confirmOwnerAddress,
  ownerAddress,
  ownerOf,
  removeOwnerAddress,
  sendsMail,
} from './owner-address.ts'
import { recoveryMail, recoveryOfLink } from './recovery-mail.ts'
import { deleteOldMails } from './retention.ts'
import { sendDue } from './send.ts'
import { deleteOverVisits, openVisit, provenEmail, proveVisit } from './visitor.ts'

export type { LinkState } from './contacts.ts'
export type { Contact } from './contacts-store.ts'
export type { MailDeps } from './deps.ts'
export { queueIncidentMail } from './incident.ts'
export { sealedInvitation } from './invitation-mail.ts'
export { createMailer } from './mailer.ts'
export { forgetOwnerAddress, type OwnerAddress, ofOneOwner } from './owner-address.ts'
export { type AskedOwner, queueAskedMail } from './owner-asked.ts'
export { sealedOwnerAddress } from './owner-store.ts'

const OWNERS = {
  deleteFormerAddresses,
  formerAddresses,
  ownerAddress,
  ownerOf,
  recoveryMail,
  recoveryOfLink,
  askOwnerAddress,
  confirmOwnerAddress,
  removeOwnerAddress,
  sendsMail,
}
const VISITS = { invitationMail, invitationOfLink, openVisit, proveVisit, provenEmail, deleteOverVisits }

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
    ...VISITS,
    sendDue,
    deleteOldMails,
  })
export type MailService = ReturnType<typeof createMailService>
