import { createHash, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto'
import { AGENT_SIGNATURE_LIFETIME_SECONDS, AGENT_SIGNATURE_TAG, BODY_COMPONENT } from '../agent-signature.ts'
import type { AgentKitRequest } from './cases.ts'

/** A request as it is sent, byte for byte. */
export interface WireRequest {
  method: string
  target: string
  /** In their order; a name may come twice. */
  headers: readonly (readonly [name: string, value: string])[]
  body: Buffer | undefined
}

export interface AgentKitServer {
  /** Where the server is: scheme and authority count. */
  url: URL
  read: { target: string }
  write: { target: string; body: string }
  keyId: string
  privateKey: KeyObject
  /** One that the server does not know. */
  anotherKey: KeyObject
}

/** What two requests of a case have in common. */
export interface Occasion {
  /** The server's time in seconds. */
  now: number
  nonce: string
}

export const newNonce = () => randomBytes(16).toString('base64url')

/** Signs as RFC 9421 says, but for what the case says otherwise. */
export function buildRequest(kit: AgentKitRequest, server: AgentKitServer, occasion: Occasion): WireRequest {
  const { signed = {}, sent = {} } = kit
  const isRead = kit.route === 'read'
  const method = isRead ? 'GET' : 'POST'
  const text = kit.body ?? (isRead ? undefined : server.write.body)
  const body = text === undefined ? undefined : Buffer.from(text)
  const places = placesOf(kit, server, occasion, body)
  const fill = (text: string) => text.replaceAll(/\{([\w:]+)\}/g, (whole, name) => places[name] ?? whole)

  const target = fill(signed.target ?? '{target}')
  const at = target.indexOf('?')
  const digest = fill(signed.digest ?? (signed.bodyOfDigest ? digestOf(Buffer.from(signed.bodyOfDigest)) : '{digest}'))
  const values: Readonly<Record<string, string>> = {
    '"@method"': signed.method ?? method,
    '"@authority"': fill(signed.authority ?? '{authority}'),
    '"@path"': at < 0 ? target : target.slice(0, at),
    '"@query"': at < 0 ? '?' : target.slice(at),
    '"content-type"': 'application/json',
    [`"${BODY_COMPONENT}"`]: digest,
  }
  const components =
    signed.components ??
    Object.keys(values).filter((name) => name.startsWith('"@') || (body && name.includes('digest')))
  const input = `(${components.join(' ')})${fill(parametersOf(signed))}`
  // A component with parameters has its value all the same: only its name may be what is refused.
  const lines = components.map((name) => `${name}: ${values[name.split(';', 1)[0] ?? name] ?? ''}`)
  const base = [...lines, `"@signature-params": ${input}`].join('\n')
  const key = signed.byAnotherKey ? server.anotherKey : server.privateKey
  const signature = sign(null, Buffer.from(base), key).toString('base64')
  const other = sign(null, Buffer.from(`${base} `), key).toString('base64')

  const late = (text: string) =>
    fill(
      text
        .replaceAll('{input}', input)
        .replaceAll('{signature}', signature)
        .replaceAll('{signature:unpadded}', signature.replaceAll('=', ''))
        .replaceAll('{signature:other}', other),
    )
  const right: Record<string, readonly string[]> = {
    Host: [sent.authority ?? '{authority}'],
    ...(body && {
      'Content-Type': ['application/json'],
      'Content-Length': [`${body.length}`],
      'Content-Digest': [digest],
    }),
    'Signature-Input': ['sig={input}'],
    Signature: ['sig=:{signature}:'],
  }
  const headers = Object.entries({ ...right, ...sent.headers }).flatMap(([name, texts]) =>
    texts.map((text) => [name, late(text)] as const),
  )
  return { method, target: fill(sent.target ?? '{target}'), headers, body }
}

function placesOf(
  { route, createdIn = 0, lifetime = AGENT_SIGNATURE_LIFETIME_SECONDS }: AgentKitRequest,
  server: AgentKitServer,
  { now, nonce }: Occasion,
  body: Buffer | undefined,
): Readonly<Record<string, string>> {
  const { host, protocol } = server.url
  const { crv, kty, x } = createPublicKey(server.privateKey).export({ format: 'jwk' })
  const created = now + createdIn
  return {
    authority: host,
    'authority:port': `${host}:${protocol === 'https:' ? 443 : 80}`,
    'authority:capitals': host.toUpperCase(),
    target: server[route].target,
    created: `${created}`,
    expires: `${created + lifetime}`,
    nonce,
    keyid: server.keyId,
    thumbprint: createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url'),
    digest: digestOf(body ?? Buffer.alloc(0)),
    sha512: createHash('sha512')
      .update(body ?? '')
      .digest('base64'),
  }
}

/** As a right request has them, but for what the case says otherwise. */
function parametersOf({ parameters, more = '' }: NonNullable<AgentKitRequest['signed']>): string {
  const all: Record<string, string | null> = {
    created: '{created}',
    expires: '{expires}',
    nonce: '"{nonce}"',
    keyid: '"{keyid}"',
    alg: '"ed25519"',
    tag: `"${AGENT_SIGNATURE_TAG}"`,
    ...parameters,
  }
  const written = Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [`;${name}=${value}`]))
  return written.join('') + more
}

const digestOf = (body: Buffer) => `sha-256=:${createHash('sha256').update(body).digest('base64')}:`
