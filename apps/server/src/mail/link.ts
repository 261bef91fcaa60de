import { createHmac, createSecretKey } from 'node:crypto'
import { idFrom, randomText } from '../platform/ids.ts'
import type { Secret } from '../platform/secret.ts'

/** Whose link it is. */
interface LinkRef {
  merchantId: string
  contactId: string
  /** Another one with each link. */
  linkId: string
}

/**
 * The id of a contact, from its address in lower case: where one address is added twice, the primary key refuses the second. With
 * a key, because the id stands in links and in logs, where it must not tell the address to a reader who guesses it.
 */
export function contactIdOf(key: Secret<Buffer>, merchantId: string, email: string): string {
  const hash = createHmac('sha256', createSecretKey(key.reveal()))
    .update(`contact.${merchantId}.${email.toLowerCase()}`)
    .digest()
  return idFrom('contact', hash)
}

export function newLinkId(): string {
  return randomText(16)
}

/**
 * The secret of a link, 256 bits. It is made from the name of the link with a key and is stored nowhere: a reader of the database,
 * outbox included, can open no link, and every try of its mail carries the same one.
 */
export function linkToken(key: Secret<Buffer>, { merchantId, contactId, linkId }: LinkRef): string {
  return createHmac('sha256', createSecretKey(key.reveal()))
    .update(`${merchantId}.${contactId}.${linkId}`)
    .digest('base64url')
}

/** What is stored of it: with a key, like every hash of a secret here. */
export function hashToken(key: Secret<Buffer>, token: string): Buffer {
  return createHmac('sha256', createSecretKey(key.reveal())).update(`stored.${token}`).digest()
}

/** The page that a mail names. */
export function linkUrl(surfaceUrl: string, { merchantId, contactId }: LinkRef, token: string): string {
  return `${surfaceUrl}/contacts/${merchantId}/${contactId}/${token}`
}
