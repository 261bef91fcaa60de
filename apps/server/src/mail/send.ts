import { command } from '../db/command.ts'
import { workOff } from '../jobs/handle.ts'
import type { JobResult } from '../jobs/loop.ts'
import type { Claim } from '../jobs/work.ts'
import { addSeconds } from '../platform/clock.ts'
import { isUntouched } from '../platform/row-seals.ts'
import { sealedContact } from './contacts-store.ts'
import type { MailDeps } from './deps.ts'
import { formerOf } from './former-address.ts'
import { invitationWords, invitedCodeWords, sealedInvitation } from './invitation-mail.ts'
import { linkToken, linkUrl } from './link.ts'
import { composeMessage } from './message.ts'
import { addressHash, codeOf, codeOfVisit } from './owner-code.ts'
import { sealedOwnerAddress } from './owner-store.ts'
import { type AskedFacts, askedWords, codeWords, visitWords } from './owner-words.ts'
import type { MailAnswer } from './port.ts'
import { stopUrl } from './recovery-mail.ts'
import { begunWords, doneWords, type RecoveryFacts, replacedWords, stoppedWords } from './recovery-words.ts'
import { MAX_UNSURE, restSeconds } from './rules.ts'
import type { MailReason, MailState } from './states.ts'
import type { ClaimedMail } from './store.ts'
import * as store from './store.ts'
import { closedWords, type IncidentFacts, linkWords, openedWords, type Words } from './words.ts'

type HeldMail = Claim & ClaimedMail

/** Sends what is due of the outbox. */
export function sendDue(deps: MailDeps, limit: number): Promise<JobResult> {
  return workOff(deps, store.mailWork, {
    name: store.SEND_JOB,
    limit,
    async handle(mail) {
      const addressed = recipientOf(deps, mail)
      if (addressed === 'no_recipient' || addressed === 'answered') return end(deps, mail, 'dropped', addressed)
      if (deps.clock.now() >= mail.endsAt) return end(deps, mail, 'expired')
      if (mail.unsure >= MAX_UNSURE) return end(deps, mail, 'unconfirmed')
      return tryMail(deps, mail, addressed)
    },
  })
}

interface Addressed {
  to: string
  words: Words
}

/** The address a mail goes to, or why it goes to none any more, or that the address was edited. */
type Recipient = Addressed | 'no_recipient' | 'answered'

function recipientOf(deps: MailDeps, mail: HeldMail): Recipient {
  if (mail.kind === 'visit_code') return toVisitor(deps, mail)
  if (mail.kind === 'console_invitation') return toInvited(deps, mail)
  return mail.customerId === null ? toContact(deps, mail) : toOwner(deps, mail, mail.customerId)
}

/** A code goes to the address that it is made from, so an edited address has none. */
function toVisitor({ linksKey, ownerUrl, consoleUrl }: MailDeps, mail: HeldMail): Recipient {
  const { merchantId, visitorEmail: email, addressHash: hash, facts, endsAt } = mail
  if (email === null || hash === null || !addressHash(linksKey, email).equals(hash)) return 'no_recipient'
  const { visit, page } = facts as { visit: string; page?: 'console' }
  const code = codeOf(linksKey, codeOfVisit({ merchantId, visit }, hash))
  const words =
    page === 'console' ? invitedCodeWords(consoleUrl, { code, endsAt }) : visitWords(ownerUrl, { code, endsAt })
  return { to: email, words }
}

/** An invitation goes to the address that it is made for, while it waits. */
function toInvited(deps: MailDeps, mail: HeldMail): Recipient {
  const { merchantId, invitedEmail: email, invitedRole: role, invitedUntil: expiresAt, addressHash: hash } = mail
  const { invitedTo: accountId, invitedToName: accountName, invitationSeal: seal, inviter } = mail
  if (email === null || role === null || expiresAt === null || accountId === null || accountName === null)
    return 'no_recipient'
  const { invitation: id } = mail.facts as { invitation: string }
  const isOwn = isUntouched(() =>
    deps.seals.check(sealedInvitation({ merchantId, id, accountId, email, role, expiresAt }), seal),
  )
  if (!isOwn || hash === null || !addressHash(deps.linksKey, email).equals(hash)) return 'no_recipient'
  return { to: email, words: invitationWords(deps, merchantId, { id, accountName, role, inviter, expiresAt }) }
}

/** A notice goes to an address that was confirmed, a link to one that was not. */
function toContact(deps: MailDeps, mail: HeldMail): Recipient {
  const { merchantId, merchantName, contactId, email, role, verifiedAt, linkId, linkEndsAt, facts } = mail
  if (contactId === null || email === null || role === null || linkEndsAt === null) return 'no_recipient'
  const contact = sealedContact({ merchantId, id: contactId, email, role, verifiedAt })
  if (!isUntouched(() => deps.seals.check(contact, mail.contactSeal))) return 'no_recipient'
  const account = { merchantId, merchantName }
  if (mail.kind === 'contact_link') {
    const link = { merchantId, contactId, linkId: (facts as { linkId: string }).linkId }
    if (verifiedAt !== null || link.linkId !== linkId) return 'no_recipient'
    const url = linkUrl(deps.surfaceUrl, link, linkToken(deps.linksKey, link))
    return { to: email, words: linkWords(account, role, { url, endsAt: linkEndsAt }) }
  }
  if (verifiedAt === null) return 'no_recipient'
  const words = mail.kind === 'incident_opened' ? openedWords : closedWords
  return { to: email, words: words(account, facts as IncidentFacts) }
}

/** The same of owners: a question goes to an address that was proven, a code to one that was not. */
function toOwner(deps: MailDeps, mail: HeldMail, customerId: string): Recipient {
  if (mail.kind !== 'owner_code' && (mail.addressHash ?? mail.formerEmail) !== null)
    return toFormer(deps, mail, customerId)
  const { merchantId, ownerEmail: email, ownerVerifiedAt: verifiedAt, ownerSeal: seal, facts } = mail
  if (email === null) return 'no_recipient'
  const address = sealedOwnerAddress({ merchantId, customerId, email, verifiedAt })
  if (!isUntouched(() => deps.seals.check(address, seal))) return 'no_recipient'
  if (mail.kind === 'owner_code') {
    const { codeId } = facts as { codeId: string }
    if (verifiedAt !== null || codeId !== mail.ownerCodeId) return 'no_recipient'
    const code = codeOf(deps.linksKey, { merchantId, customerId, codeId })
    return { to: email, words: codeWords(deps.ownerUrl, { code, endsAt: mail.endsAt }) }
  }
  if (verifiedAt === null) return 'no_recipient'
  if (mail.kind === 'owner_asked' && !mail.isAsked) return 'answered'
  return { to: email, words: ownerWords(deps, mail) }
}

/** An address that was an owner's until of late. */
function toFormer(deps: MailDeps, mail: HeldMail, customerId: string): Recipient {
  const former = formerOf(deps, { merchantId: mail.merchantId, customerId }, mail)
  if (former === null) return 'no_recipient'
  const { email: to, endsAt } = former
  const isNotice = mail.kind === 'address_replaced'
  return { to, words: isNotice ? replacedWords(deps.ownerUrl, mail.createdAt, endsAt) : ownerWords(deps, mail) }
}

/** What an owner is told at an address that was proven. */
function ownerWords(deps: MailDeps, { merchantId, kind, facts: given, addressHash: former }: HeldMail): Words {
  const { ownerUrl } = deps
  if (kind === 'owner_asked') return askedWords(ownerUrl, given as AskedFacts)
  const facts = { ...(given as RecoveryFacts), isFormer: former !== null }
  if (kind === 'recovery_stopped') return stoppedWords(ownerUrl, facts)
  if (kind === 'recovery_done') return doneWords(ownerUrl, facts)
  return begunWords(ownerUrl, facts, stopUrl(deps, { merchantId, recoveryId: facts.recoveryId }))
}

async function tryMail(deps: MailDeps, mail: HeldMail, { to, words }: Addressed): Promise<boolean> {
  const { id, createdAt: date } = mail
  const { from, surfaceUrl } = deps
  const bytes = await composeMessage({ id, host: new URL(surfaceUrl).hostname, from, to, date }, words)
  let handedOver = false
  // Written before the mail server has a byte of it: a worker that dies after that leaves a mail that may have arrived.
  // One that lost the lease meanwhile hands nothing over.
  const mayHandOver = async () => {
    const held = { ...heldBy(mail), most: MAX_UNSURE }
    handedOver = (await write(deps, (on) => store.updateHandedOver(on, held))) !== undefined
    return handedOver
  }
  const answer = await deps.mailer.send({ id, from, to, bytes }, mayHandOver)
  // Nothing was taken, so that the try counts for nothing.
  if (answer.outcome === 'deferred' && handedOver) await write(deps, (on) => store.updateTakenBack(on, heldBy(mail)))
  return recordAnswer(deps, mail, answer)
}

async function recordAnswer(deps: MailDeps, mail: HeldMail, answer: MailAnswer): Promise<boolean> {
  switch (answer.outcome) {
    case 'accepted':
      return end(deps, mail, 'sent', null, null)
    case 'refused':
      return end(deps, mail, 'refused', 'refused', answer.replyCode)
    case 'deferred':
      return rest(deps, mail, answer.reason, answer.replyCode)
    case 'unknown':
      return rest(deps, mail, answer.reason, null)
    case 'withheld':
      // Another worker has it.
      return true
  }
}

/** Tries again later. */
async function rest(deps: MailDeps, mail: HeldMail, reason: MailReason, replyCode: number | null): Promise<boolean> {
  deps.log.warn('a mail was not sent; it is tried again', { ...fieldsOf(mail), cause: reason, attempt: mail.attempts })
  await write(deps, (on) => store.updateReason(on, { ...heldBy(mail), reason, replyCode }))
  await write(deps, (on, at) => {
    const next = addSeconds(at, restSeconds(mail.attempts))
    return store.mailWork.postpone(on, mail, next < mail.endsAt ? next : mail.endsAt)
  })
  return true
}

/** The end of a mail. One that may not have arrived is an alarm: it is never lost silently. */
async function end(
  deps: MailDeps,
  mail: HeldMail,
  state: Exclude<MailState, 'queued'>,
  reason: MailReason | null = mail.reason,
  replyCode: number | null = mail.replyCode,
): Promise<boolean> {
  const ended = await write(deps, (on, at) => store.updateEnded(on, { ...heldBy(mail), state, reason, replyCode, at }))
  if (ended === undefined) return true
  const fields = { ...fieldsOf(mail), cause: reason ?? undefined, attempt: mail.attempts }
  if (state === 'sent') deps.log.info('a mail was sent', fields)
  else if (state === 'dropped')
    deps.log.info('a mail was dropped: there is no one to write to, or nothing to say any more', fields)
  else deps.log.error(NOT_SENT[state], { ...fields, alarm: 'mail_not_sent' })
  return true
}

const NOT_SENT: Readonly<Record<'refused' | 'unconfirmed' | 'expired', string>> = {
  refused: 'a mail was refused by the mail server',
  unconfirmed: 'a mail was handed over twice, and the mail server never said that it has it',
  expired: 'a mail could not be sent in its time',
}

const fieldsOf = ({ merchantId, id }: HeldMail) => ({ merchant_id: merchantId, mail_id: id })
const heldBy = ({ merchantId, id, leaseFence }: HeldMail) => ({ merchantId, id, leaseFence })

function write<T>(
  deps: MailDeps,
  statement: (on: Parameters<typeof store.updateTakenBack>[0], at: Date) => Promise<T>,
): Promise<T> {
  const declaration = {
    name: store.SEND_JOB,
    why: 'Mails are no part of any resource.',
    together: 'statement',
  } as const
  return command(deps, declaration, ({ on, at }) => statement(on, at))
}
