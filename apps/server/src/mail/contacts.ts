import type { ContactRole } from '@mintmark/contract'
import { type Change, command, rollback, single } from '../db/command.ts'
import { violates } from '../db/errors.ts'
import { addSeconds } from '../platform/clock.ts'
import { isEmail } from '../platform/email.ts'
import { fieldErrors } from '../platform/errors.ts'
import type { Contact } from './contacts-store.ts'
import * as store from './contacts-store.ts'
import type { MailDeps } from './deps.ts'
import {
  alreadyContact,
  alreadyVerified,
  linkTooYoung,
  noSuchAccount,
  noSuchContact,
  tooManyContacts,
} from './errors.ts'
import { contactIdOf, hashToken, linkToken, newLinkId } from './link.ts'
import { queueMail } from './queue.ts'
import { LINK_REST_SECONDS, LINK_SECONDS, MAX_CONTACTS } from './rules.ts'
import { checkContact, contactSeal, isOwnContact } from './seal.ts'

const ACCOUNT_KEY = 'contacts_merchant_id_fkey'

/** Adds a contact and mails a link to it: until it was opened, nothing else is sent to the address. */
export async function addContact(
  deps: MailDeps,
  merchantId: string,
  { email, role }: { email: string; role: ContactRole },
): Promise<Contact> {
  if (!isEmail(email)) throw fieldErrors({ email: 'must be an email address' })
  const id = contactIdOf(deps.linksKey, merchantId, email)
  const added = await command(deps, { name: 'contacts.add', silent: 'telling' }, async (change) => {
    const { tx, at } = change
    const link = newLink(deps, { merchantId, contactId: id }, change)
    const seal = contactSeal(deps, { merchantId, id, email, role, verifiedAt: null })
    const contact = await store.insertContact(tx, {
      merchantId,
      id,
      email,
      role,
      seal,
      most: MAX_CONTACTS,
      at,
      ...link,
    })
    if (contact === undefined) return rollback
    await queueLink(change, { merchantId, contactId: id, linkId: link.linkId })
    return contact
  }).catch((error: unknown) => {
    throw violates(error, ACCOUNT_KEY) ? noSuchAccount({ cause: error }) : error
  })
  if (added !== null) return added
  throw (await store.findContact(deps.pool, { merchantId, id })) === undefined ? tooManyContacts() : alreadyContact()
}

/** One that was edited outside the program is left out, with an alarm: nothing is sent to it. */
export async function listContacts(deps: MailDeps, merchantId: string): Promise<Contact[]> {
  const contacts = await store.listContacts(deps.pool, { merchantId })
  return contacts.filter((contact) => isOwnContact(deps, contact)).map(asRead)
}

function asRead({
  seal: _,
  merchantId: __,
  ...contact
}: Contact & { seal: Buffer | null; merchantId: string }): Contact {
  return contact
}

/** Forgets an address. What was queued for it is not sent. */
export async function removeContact(deps: MailDeps, merchantId: string, email: string): Promise<{ removed: string }> {
  const id = contactIdOf(deps.linksKey, merchantId, email)
  const declaration = { name: 'contacts.remove', silent: 'telling' } as const
  const removed = await single(deps, declaration, ({ on }) => store.deleteContact(on, { merchantId, id }))
  if (removed === 0) throw noSuchContact()
  return { removed: email }
}

/** Mails another link; the one before opens nothing any more. */
export async function resendLink(deps: MailDeps, merchantId: string, email: string): Promise<Contact> {
  const contactId = contactIdOf(deps.linksKey, merchantId, email)
  const contact = await store.findContact(deps.pool, { merchantId, id: contactId })
  if (contact === undefined) throw noSuchContact()
  checkContact(deps, contact)
  if (contact.verifiedAt !== null) throw alreadyVerified()
  const resent = await command(deps, { name: 'contacts.resend_link', silent: 'telling' }, async (change) => {
    const link = newLink(deps, { merchantId, contactId }, change)
    const madeBefore = addSeconds(change.at, -LINK_REST_SECONDS)
    const row = { merchantId, id: contactId, at: change.at, madeBefore, ...link }
    const updated = await store.updateLink(change.tx, row)
    if (updated === undefined) return rollback
    await queueLink(change, { merchantId, contactId, linkId: link.linkId })
    return updated
  })
  if (resent === null) throw linkTooYoung()
  return resent
}

interface ContactRef {
  merchantId: string
  contactId: string
}

function newLink({ linksKey }: MailDeps, contact: ContactRef, { at }: Change) {
  const linkId = newLinkId()
  const linkHash = hashToken(linksKey, linkToken(linksKey, { ...contact, linkId }))
  return { linkId, linkHash, linkEndsAt: addSeconds(at, LINK_SECONDS) }
}

function queueLink(change: Change, { linkId, ...contact }: ContactRef & { linkId: string }): Promise<void> {
  const mail = { kind: 'contact_link', incidentId: null, facts: { linkId }, seconds: LINK_SECONDS } as const
  return queueMail(change, { ...contact, ...mail })
}

/** How a link stands. `ready`: its owner may press the button. */
export type LinkState = 'ready' | 'done' | 'expired' | 'unknown'

/** What a mailed link leads to. It changes nothing: mail scanners open links too. */
export async function linkState(deps: MailDeps, contact: ContactRef, token: string): Promise<LinkState> {
  const found = await findLinked(deps, contact, token)
  if (found === undefined) return 'unknown'
  if (found.verifiedAt !== null) return 'done'
  return found.linkEndsAt > deps.clock.now() ? 'ready' : 'expired'
}

/** The contact of a link, as this program wrote it: with a link of its own, too, and not that of another one. */
async function findLinked(deps: MailDeps, contact: ContactRef, token: string) {
  const { merchantId, contactId: id } = contact
  const found = await store.findByLink(deps.pool, { merchantId, id, linkHash: hashToken(deps.linksKey, token) })
  if (found === undefined || !isOwnContact(deps, found)) return undefined
  if (linkToken(deps.linksKey, { ...contact, linkId: found.linkId }) === token) return found
  deps.seals.alarm({ table: 'contacts', merchantId, id })
  return undefined
}

/** The owner of the address pressed the button. Returns how the link stands after it: `done`, also for one who came later. */
export async function verifyContact(deps: MailDeps, contact: ContactRef, token: string): Promise<LinkState> {
  const { merchantId, contactId: id } = contact
  const linkHash = hashToken(deps.linksKey, token)
  const found = await findLinked(deps, contact, token)
  if (found === undefined) return 'unknown'
  const verified = await single(deps, { name: 'contacts.verify', silent: 'telling' }, ({ on, at }) => {
    const seal = contactSeal(deps, { ...found, verifiedAt: at })
    return store.updateVerified(on, { merchantId, id, linkHash, seal, at })
  })
  if (verified === undefined) return linkState(deps, contact, token)
  deps.log.info('a contact was verified', { audit: 'contact_verified', merchant_id: merchantId, row_id: id })
  return 'done'
}
