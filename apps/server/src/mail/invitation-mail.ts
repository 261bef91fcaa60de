import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import type { ConsoleRole } from '@mintmark/contract/console'
import type { Queryable } from '../db/statement.ts'
import { wake } from '../jobs/wake.ts'
import { newOrderedId } from '../platform/ids.ts'
import type { SealedRow } from '../platform/row-seals.ts'
import type { Secret } from '../platform/secret.ts'
import type { MailDeps } from './deps.ts'
import { addressHash } from './owner-code.ts'
import { SEND_JOB } from './store.ts'
import { inert, shown, text, type Words } from './words.ts'

// Whoever is to look after an account is mailed a link, by the statement that writes the invitation.

/** The person whom an invitation lets in, where, as what, and until when. */
export function sealedInvitation(invitation: {
  merchantId: string
  id: string
  accountId: string
  email: string
  role: ConsoleRole
  expiresAt: Date
}): SealedRow {
  const { merchantId, id, accountId, email, role, expiresAt } = invitation
  return { table: 'account_invitations', merchantId, id, parts: [accountId, email, role, expiresAt.getTime()] }
}

/** The parameters of that statement. */
export function invitationMail(
  { linksKey }: MailDeps,
  on: Queryable,
  { id, email }: { id: string; email: string },
  at: Date,
) {
  wake(on, SEND_JOB)
  return {
    ...{ mailId: newOrderedId('mail', at), mailFacts: { invitation: id } },
    addressHash: addressHash(linksKey, email),
  }
}

interface InvitationRef {
  merchantId: string
  id: string
}

/** The page that the mail names. What is behind the `#` is sent to no server by opening it, and kept by no log. */
const invitationUrl = ({ consoleUrl, linksKey }: Pick<MailDeps, 'consoleUrl' | 'linksKey'>, ref: InvitationRef) =>
  `${consoleUrl}/invitation#${ref.id}.${macOf(linksKey, ref)}`

/** The invitation of a link. Undefined: no mail has named this one. */
export function invitationOfLink({ linksKey }: MailDeps, merchantId: string, link: string): string | undefined {
  const [id = '', mac = ''] = link.split('.')
  const [own, given] = [Buffer.from(macOf(linksKey, { merchantId, id })), Buffer.from(mac)]
  return own.length === given.length && timingSafeEqual(own, given) ? id : undefined
}

/** Made from the name of the invitation with a key, and stored nowhere: a reader of the database can open no link. */
function macOf(key: Secret<Buffer>, { merchantId, id }: InvitationRef): string {
  return createHmac('sha256', createSecretKey(key.reveal()))
    .update(`console-invitation.${merchantId}.${id}`)
    .digest('base64url')
}

/** What is read of an invitation to mail it. */
export interface InvitedFacts {
  id: string
  accountName: string
  role: ConsoleRole
  inviter: string | null
  expiresAt: Date
}

/** Says who asks for what, and until when. The name of who invites is theirs to choose, and must not become a link. */
export function invitationWords(
  deps: Pick<MailDeps, 'consoleUrl' | 'linksKey'>,
  merchantId: string,
  { id, accountName, role, inviter, expiresAt }: InvitedFacts,
): Words {
  const { host } = new URL(deps.consoleUrl)
  const by = inviter === null ? 'The operator of this Mintmark service' : inert(inviter)
  return {
    subject: `Look after ${inert(accountName)} at ${host}`,
    heading: `You are invited to ${inert(accountName)}`,
    parts: [
      text(`${by} invites you to look after the account ${inert(accountName)} at the console, as ${ROLES[role]}.`),
      { type: 'link', text: 'Open the invitation', url: invitationUrl(deps, { merchantId, id }) },
      text(
        `It can be accepted once, until ${shown(expiresAt)}. A code is mailed to this address then, and you make a passkey. ` +
          'If you do not know the account, do nothing: nothing happens.',
      ),
    ],
    footer: `Sent by Mintmark, ${host}. Nobody who writes or calls ever needs this link.`,
  }
}

const ROLES: Readonly<Record<ConsoleRole, string>> = {
  viewer: 'a viewer',
  support: 'support',
  developer: 'a developer',
  admin: 'an admin',
  owner: 'an owner',
}

/** The code for a person who was invited. */
export function invitedCodeWords(consoleUrl: string, { code, endsAt }: { code: string; endsAt: Date }): Words {
  const { host } = new URL(consoleUrl)
  return {
    subject: `${code} is your code`,
    heading: 'Your code',
    parts: [
      text(`An invitation to this address was opened at ${host}. If it was you, type this code there:`),
      { type: 'facts', facts: [['Code', code]] },
      text(`It can be typed until ${shown(endsAt)}. If it was not you, do nothing: without the code nothing happens.`),
    ],
    footer: `Sent by Mintmark, ${host}. Nobody who writes or calls ever needs this code.`,
  }
}
