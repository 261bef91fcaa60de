import { onlyHeader, refuse, type SignedHead } from './message.ts'

// RFC 9421, section 2: the text that is signed. Each line ends where the next begins, so no value may have an end of line in it.

type Base = Omit<SignedHead, 'hasBody'>

const METHOD = /^[!#$%&'*+.^_`|~\w-]+$/
const AUTHORITY = /^[\w.~!$&'()*+,;=%:[\]-]+$/
/** In origin form, and nothing in it that may not be sent. */
const TARGET = /^\/[\x21\x22\x24-\x7e]*$/
const FIELD = /^[\x20-\x7e]*$/
const DEFAULT_PORTS = { http: ':80', https: ':443' } as const

/** `input` is the member of `Signature-Input`, as it is written there. */
export function signatureBase(message: Base, components: readonly string[], input: string): Buffer {
  const lines = components.map((name) => `"${name}": ${componentValue(message, name)}\n`)
  return Buffer.from(`${lines.join('')}"@signature-params": ${input}`, 'latin1')
}

function componentValue(message: Base, name: string): string {
  switch (name) {
    case '@method':
      return written(message.method, METHOD, 'method')
    case '@authority':
      return authorityOf(message)
    case '@path':
      return targetOf(message).path
    case '@query':
      return targetOf(message).query
    default:
      return fieldOf(message, name)
  }
}

/** In lower case, without the port that the scheme has anyway. */
function authorityOf(message: Base): string {
  // If there are two, a proxy may have read the other one.
  onlyHeader(message, 'host')
  const { authority, scheme = 'https' } = message
  const lower = written(authority, AUTHORITY, 'authority').toLowerCase()
  const port = DEFAULT_PORTS[scheme]
  return lower.endsWith(port) ? lower.slice(0, -port.length) : lower
}

/** Nothing is decoded: `%7e`, `%7E` and `~` are three texts. No query and an empty one are both `?`. */
function targetOf({ rawTarget }: Base): { path: string; query: string } {
  const target = written(rawTarget, TARGET, 'target')
  const [path = ''] = target.split('?', 1)
  return { path, query: target.slice(path.length) || '?' }
}

function fieldOf(message: Base, name: string): string {
  const value = onlyHeader(message, name)
  if (value === undefined) refuse('signature_invalid', `The header ${name} is covered and not there.`)
  return written(value, FIELD, name)
}

function written(value: string, form: RegExp, what: string): string {
  if (!form.test(value))
    refuse('signature_invalid', `The ${what} of the request has a character that cannot be signed.`)
  return value
}
