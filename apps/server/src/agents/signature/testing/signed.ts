import { createPrivateKey, createPublicKey, hash, type KeyObject, randomUUID, sign } from 'node:crypto'
import type { SignedMessage } from '../verify.ts'

/** The key of RFC 9421, appendix B.1.4. */
export const PRIVATE_KEY = createPrivateKey({
  format: 'jwk',
  key: {
    kty: 'OKP',
    crv: 'Ed25519',
    x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs',
    d: 'n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU',
  },
})
export const PUBLIC_KEY = createPublicKey(PRIVATE_KEY)

export const NOW = new Date('2026-11-23T12:00:00.400Z')
export const SECONDS = Math.floor(NOW.getTime() / 1_000)
export const COVERED = ['@method', '@authority', '@path', '@query']
export const BODY = Buffer.from('{"total_amount":"12.00","currency":"USD"}')

interface Signed {
  method?: string
  authority?: string
  rawTarget?: string
  body?: Buffer
  /** The covered components as they are written, each with its quotes and parameters. */
  components?: readonly string[]
  /** As they are written; undefined leaves one out. */
  parameters?: Readonly<Record<string, string | undefined>>
  /** What stands behind the parameters, signed as well. */
  more?: string
  label?: string
  key?: KeyObject
  digest?: string
  /** What components beside those of the profile have as values. */
  values?: Readonly<Record<string, string>>
}

export const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`)
export const digestOf = (body: Uint8Array) => `sha-256=:${hash('sha256', body, 'base64')}:`

/** A request as an agent signs it, by the words of RFC 9421 and without any code of the verifier. */
export function signed(request: Signed = {}): SignedMessage {
  const {
    method = 'POST',
    authority = 'api.mintmark.example',
    rawTarget = '/v1/sessions/agent?a=1',
    label = 'sig',
  } = request
  const body = method === 'GET' ? undefined : (request.body ?? BODY)
  const digest = request.digest ?? (body && digestOf(body))
  const covered = request.components ?? quoted(body ? [...COVERED, 'content-digest'] : COVERED)
  const parameters = {
    created: `${SECONDS}`,
    expires: `${SECONDS + 300}`,
    nonce: `"${randomUUID()}"`,
    keyid: '"aa_test"',
    tag: '"agent-payer-auth"',
    ...request.parameters,
  }
  const written = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`;${name}=${value}`],
  )
  const input = `(${covered.join(' ')})${written.join('')}${request.more ?? ''}`
  const at = rawTarget.indexOf('?')
  const values: Readonly<Record<string, string | undefined>> = {
    '"@method"': method,
    '"@authority"': authority,
    '"@path"': at < 0 ? rawTarget : rawTarget.slice(0, at),
    '"@query"': at < 0 ? '?' : rawTarget.slice(at),
    '"content-digest"': digest,
    ...request.values,
  }
  const lines = covered.map((name) => `${name}: ${values[name] ?? 'x'}`)
  const base = [...lines, `"@signature-params": ${input}`].join('\n')
  const signature = sign(null, Buffer.from(base), request.key ?? PRIVATE_KEY).toString('base64')
  const headers: [string, string][] = [
    ['Host', authority],
    ['Content-Type', 'application/json'],
    ...(digest === undefined ? [] : [['Content-Digest', digest] as [string, string]]),
    ['Signature-Input', `${label}=${input}`],
    ['Signature', `${label}=:${signature}:`],
  ]
  return { method, authority, rawTarget, headers, body }
}

/** The same request with another value of a header, or without it. */
export function withHeader(message: SignedMessage, name: string, change: (value: string) => string | undefined) {
  const headers = message.headers.flatMap(([each, value]): [string, string][] => {
    if (each !== name) return [[each, value]]
    const changed = change(value)
    return changed === undefined ? [] : [[each, changed]]
  })
  return { ...message, headers }
}

export function headerOf(message: SignedMessage, name: string): string {
  return message.headers.find(([each]) => each === name)?.[1] ?? ''
}
