import { createHash, randomBytes } from 'node:crypto'

const TOKEN_BYTES = 32

/** What only the browser has, in a cookie that no script reads. */
export const newToken = () => randomBytes(TOKEN_BYTES).toString('base64url')

/** 256 random bits need no key: trying finds no token. */
export const digestOf = (token: string) => createHash('sha256').update(token).digest()

/** How a token reads. */
export const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/

/** What pages of a session send along: it changes when the session's token does, and opens nothing by itself. */
export const pageTokenFor = (page: 'owner' | 'console', digest: Buffer) =>
  createHash('sha256').update(`mintmark.${page}-page:`).update(digest).digest('base64url')
