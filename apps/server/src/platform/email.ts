import { domainToASCII } from 'node:url'

/** Dot-separated words before the `@`, of any letters (RFC 6531); host labels after it, at least two. */
const EMAIL_LOCAL = /^[\w!#$%&'*+/=?^`{|}~\p{L}\p{M}\p{N}\p{S}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\p{L}\p{M}\p{N}\p{S}-]+)*$/u
/** What a host may be written with before it is read as an international name. */
const WRITTEN_HOST = /^[\p{L}\p{M}\p{N}.-]+$/u
const EMAIL_HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/i
/** In bytes, as mail servers count. */
const LONGEST_LOCAL = 64

/** Whether a mail server could take the address. No white space, quote, bracket, comma or control character gets through. */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const [local, host] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)]
  if (Buffer.byteLength(local) > LONGEST_LOCAL || !EMAIL_LOCAL.test(local) || !WRITTEN_HOST.test(host)) return false
  return EMAIL_HOST.test(domainToASCII(host))
}
