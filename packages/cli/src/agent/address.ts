import { Failure } from '../failure.ts'

/** Where the main API is, without a slash at its end. What is signed goes over the network in the clear to this machine alone. */
export function apiAddress(text: string, where = ''): string {
  if (!URL.canParse(text)) throw refused(text, where)
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  const isPlain = username === '' && password === '' && search === '' && hash === '' && !/[?#]/.test(text)
  if (!isPlain || !(protocol === 'https:' || (protocol === 'http:' && isHere(hostname)))) throw refused(text, where)
  return text.replace(/\/+$/, '')
}

function isHere(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(?:\.\d+){3}$/.test(hostname)
  )
}

function refused(text: string, where: string): Failure {
  const shown = /^https?:\/\/[^@?#]+$/.test(text) ? text : 'That'
  return new Failure(
    'ADDRESS_REFUSED',
    `${shown}${where} is no address of the main API: it begins with https://, or with http:// on this machine, and holds no password, ? or #.`,
  )
}
