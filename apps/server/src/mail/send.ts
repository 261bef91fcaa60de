import { single } from '../db/command.ts'
import { workOff } from '../jobs/handle.ts'
import type { JobResult } from '../jobs/loop.ts'
import type { Claim } from '../jobs/work.ts'
import { addSeconds } from '../platform/clock.ts'
import { isUntouched } from '../platform/row-seals.ts'
import type { MailDeps } from './deps.ts'
import { linkToken, linkUrl } from './link.ts'
import { composeMessage } from './message.ts'
import { codeOf } from './owner-code.ts'
import { type AskedFacts, askedWords, codeWords } from './owner-words.ts'
import type { MailAnswer } from './port.ts'
import { MAX_UNSURE, restSeconds } from './rules.ts'
import { checkOwnerAddress, isOwnContact } from './seal.ts'
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
      const addressed = mail.customerId === null ? toContact(deps, mail) : toOwner(deps, mail, mail.customerId)
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

/** Where a mail goes, or why it is dropped. An address that was edited outside the program is no recipient. */
type Recipient = Addressed | 'no_recipient' | 'answered'

/** A notice goes to an address that was confirmed, a link to one that was not. */
function toContact(deps: MailDeps, mail: HeldMail): Recipient {
  const { merchantId, merchantName, contactId, email, role, verifiedAt, linkId, linkEndsAt, facts } = mail
  if (contactId === null || email === null || role === null || linkEndsAt === null) return 'no_recipient'
  const contact = { merchantId, id: contactId, email, role, verifiedAt, seal: mail.contactSeal }
  if (!isOwnContact(deps, contact)) return 'no_recipient'
  const account = { operatorName: deps.operatorName, merchantId, merchantName }
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
  const { merchantId, ownerEmail: email, ownerVerifiedAt: verifiedAt, ownerSeal: seal, facts } = mail
  if (email === null) return 'no_recipient'
  if (!isUntouched(() => checkOwnerAddress(deps, { merchantId, customerId, email, verifiedAt, seal })))
    return 'no_recipient'
  if (mail.kind === 'owner_code') {
    const { codeId } = facts as { codeId: string }
    if (verifiedAt !== null || codeId !== mail.ownerCodeId) return 'no_recipient'
    const code = codeOf(deps.linksKey, { merchantId, customerId, codeId })
    return { to: email, words: codeWords(deps, { code, endsAt: mail.endsAt }) }
  }
  if (verifiedAt === null) return 'no_recipient'
  return mail.isAsked ? { to: email, words: askedWords(deps, facts as AskedFacts) } : 'answered'
}

async function tryMail(deps: MailDeps, mail: HeldMail, { to, words }: Addressed): Promise<boolean> {
  const { id, createdAt: date } = mail
  const { from, operatorName: sender, surfaceUrl } = deps
  const bytes = await composeMessage({ id, host: new URL(surfaceUrl).hostname, from, sender, to, date }, words)
  let handedOver = false
  // Written before the mail server has a byte of it: a worker that dies after that leaves a mail that may have arrived. One
  // that lost the lease meanwhile hands nothing over.
  const mayHandOver = async () => {
    const held = { ...heldBy(mail), most: MAX_UNSURE }
    handedOver = (await write(deps, (on) => store.updateHandedOver(on, held))) !== undefined
    return handedOver
  }
  const answer = await deps.mailer.send({ id, from, to, bytes }, mayHandOver)
  // Nothing was taken, so that the try counts for nothing.
  if (answer.outcome === 'deferred' && handedOver) await write(deps, (on) => store.updateTakenBack(on, heldBy(mail)))
  return settle(deps, mail, answer)
}

async function settle(deps: MailDeps, mail: HeldMail, answer: MailAnswer): Promise<boolean> {
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

/** The end of a mail. One that its recipient may not have got is an alarm: it is never lost silently. */
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
  const declaration = { name: store.SEND_JOB, silent: 'telling' } as const
  return single(deps, declaration, ({ on, at }) => statement(on, at))
}
