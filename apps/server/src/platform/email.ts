import { domainToASCII } from 'node:url'

/** Dot-separated words before the `@`, of any letters (RFC 6531), never an angle bracket, which ends an address elsewhere. */
const EMAIL_LOCAL =
  /^(?!.*[<>])[\w!#$%&'*+/=?^`{|}~\p{L}\p{M}\p{N}\p{S}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\p{L}\p{M}\p{N}\p{S}-]+)*$/u
/** What may stand between quotes (RFC 5321, 4.1.2; RFC 6531): a quote and a backslash after a backslash alone; never a line end. */
const QUOTED_LOCAL = /^"(?!.*[<>])(?:[ !#-[\]-~\p{L}\p{M}\p{N}\p{S}]|\\[ -~])+"$/u
/** What a host may be written with before it is read as an international name. */
const WRITTEN_HOST = /^[\p{L}\p{M}\p{N}.-]+$/u
/** Host labels, at least two, and the last one no number. */
const EMAIL_HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/i
/** In bytes, as mail servers count. */
const MAX_LOCAL_BYTES = 64

/** Whether a mail server could take the address. Without quotes no blank, bracket or comma gets through, and no control character ever. */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const [local, host] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)]
  if (Buffer.byteLength(local) > MAX_LOCAL_BYTES || !isLocalPart(local) || !WRITTEN_HOST.test(host)) return false
  return EMAIL_HOST.test(domainToASCII(host))
}

const isLocalPart = (local: string): boolean => EMAIL_LOCAL.test(local) || QUOTED_LOCAL.test(local)
