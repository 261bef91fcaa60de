import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../platform/secret.ts'

/** The owner that the code is for. */
export interface CodeRef {
  merchantId: string
  customerId: string
  /** Another one with each code. */
  codeId: string
}

const DIGITS = 6

/**
 * Six digits, made from the name of the code with a key and stored nowhere: every try of its mail has the same, and no
 * reader of the database.
 */
export function codeOf(key: Secret<Buffer>, { merchantId, customerId, codeId }: CodeRef): string {
  const hash = keyed(key, `owner-code.${merchantId}.${customerId}.${codeId}`)
  return String(hash.readUIntBE(0, 6) % 10 ** DIGITS).padStart(DIGITS, '0')
}

export function isCode(key: Secret<Buffer>, ref: CodeRef, typed: string): boolean {
  return timingSafeEqual(keyed(key, `typed.${typed}`), keyed(key, `typed.${codeOf(key, ref)}`))
}

/** The code of a visit, for the address that it names: no other visit has it, and no owner is called so. */
export const codeOfVisit = ({ merchantId, visit }: { merchantId: string; visit: string }, hash: Buffer): CodeRef => ({
  ...{ merchantId, customerId: `address.${hash.toString('base64url')}`, codeId: visit },
})

/** By which mails to one address are counted, however it is written. */
export function addressHash(key: Secret<Buffer>, email: string): Buffer {
  return keyed(key, `owner-address.${email.toLowerCase()}`)
}

function keyed(key: Secret<Buffer>, text: string): Buffer {
  return createHmac('sha256', createSecretKey(key.reveal())).update(text).digest()
}
