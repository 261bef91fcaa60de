import type { CredentialRequest } from '../http/credential.ts'
import { type Clock, unmoved } from '../platform/clock.ts'
import { agentSignatureRequired } from './errors.ts'
import { readSignedHead, type SignatureClaim, type SignatureRefusal } from './signature/verify.ts'

export interface OwnAddress {
  clock: Clock
  /** The public origin of the API. */
  apiUrl: string
  /** A sandbox is called by any name that its machine has for itself. */
  isSandbox: boolean
}

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i

/**
 * What a request says of itself, if it is made for this server: one that was made for another, where the same key is
 * linked, is refused. Agents have a clock of their own, which no sandbox moves.
 */
export function claimOf(request: CredentialRequest, { clock, ...address }: OwnAddress): SignatureClaim {
  const { method, path, query, headers, rawHeaders } = request
  const own = new URL(address.apiUrl)
  const authority = headers.host ?? ''
  if (!isOwnAuthority(authority, address))
    throw refused({ reason: 'signature_invalid', message: `The request is not for ${own.host}.` })
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  const claim = readSignedHead(
    {
      method,
      scheme: own.protocol === 'http:' ? 'http' : 'https',
      authority,
      rawTarget: query === '' ? path : `${path}?${query}`,
      headers: pairsOf(rawHeaders),
      hasBody,
    },
    unmoved(clock),
  )
  if ('reason' in claim) throw refused(claim)
  return claim
}

/** Whether it is a name of this server. */
export function isOwnAuthority(authority: string, { apiUrl, isSandbox }: Omit<OwnAddress, 'clock'>): boolean {
  const own = new URL(apiUrl)
  return canonical(authority, own) === own.host || (isSandbox && LOOPBACK.test(authority))
}

function canonical(authority: string, { protocol }: URL): string {
  const port = protocol === 'https:' ? ':443' : ':80'
  const lower = authority.toLowerCase()
  return lower.endsWith(port) ? lower.slice(0, -port.length) : lower
}

function pairsOf(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, at) => [raw[2 * at] ?? '', raw[2 * at + 1] ?? ''])
}

/** The answer to a request whose signature is not taken. */
export function refused({ reason, message, components }: SignatureRefusal) {
  const details = { reason, ...(components === undefined ? {} : { components: components.join(', ') }) }
  return agentSignatureRequired({ message, details })
}
