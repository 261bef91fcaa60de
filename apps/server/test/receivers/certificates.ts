import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import * as der from './der.ts'

/** What a TLS server is started with, in PEM. */
export interface Credentials {
  cert: string
  key: string
}

interface Wish {
  /** Host names and addresses that it is good for. */
  names: readonly string[]
  /** From now; below zero: in the past. */
  endsInDays?: number
  hash?: 'sha256' | 'sha1'
  isSelfSigned?: boolean
}

const SIGNED_WITH = { sha256: '1.2.840.10045.4.3.2', sha1: '1.2.840.10045.4.1' }
const COMMON_NAME = '2.5.4.3'
const BASIC_CONSTRAINTS = '2.5.29.19'
const ALTERNATIVE_NAMES = '2.5.29.17'
const DAY_MILLIS = 86_400_000

/** A certificate authority of the tests: made anew in each process, in a millisecond, without any program but Node.js. */
const AUTHORITY_NAME = 'Test authority of Mintmark'
const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** The authority's own certificate, for `NODE_EXTRA_CA_CERTS` of a service that runs as a process. */
export const AUTHORITY_CERTIFICATE = certificate({
  subject: AUTHORITY_NAME,
  issuer: AUTHORITY_NAME,
  key: authority.publicKey,
  issuerKey: authority.privateKey,
  extensions: [extension(BASIC_CONSTRAINTS, der.sequence(der.boolean(true)))],
})

/** From now on this process trusts the authority as `NODE_EXTRA_CA_CERTS` would make it. The product has no door for that. */
export function trustTestAuthority(): void {
  setDefaultCACertificates([...getCACertificates('default'), AUTHORITY_CERTIFICATE])
}

/** A certificate that the authority has signed, or that is self-signed, as a test wishes it. */
export function issue({ names, endsInDays = 1, hash = 'sha256', isSelfSigned = false }: Wish): Credentials {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = names[0] ?? ''
  const cert = certificate({
    subject,
    issuer: isSelfSigned ? subject : AUTHORITY_NAME,
    key: publicKey,
    issuerKey: isSelfSigned ? privateKey : authority.privateKey,
    extensions: [extension(ALTERNATIVE_NAMES, der.sequence(...names.map(alternativeName)))],
    endsInDays,
    hash,
  })
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

interface Fields {
  subject: string
  issuer: string
  key: KeyObject
  issuerKey: KeyObject
  extensions: der.Der[]
  endsInDays?: number
  hash?: 'sha256' | 'sha1'
}

/** X.509 version 3 (RFC 5280, 4.1). */
function certificate({ subject, issuer, key, issuerKey, extensions, endsInDays = 1, hash = 'sha256' }: Fields): string {
  const algorithm = der.sequence(der.objectId(SIGNED_WITH[hash]))
  const end = Date.now() + endsInDays * DAY_MILLIS
  const body = der.sequence(
    der.version(2),
    der.integer(randomBytes(16)),
    algorithm,
    distinguishedName(issuer),
    der.sequence(der.time(new Date(end - 10 * DAY_MILLIS)), der.time(new Date(end))),
    distinguishedName(subject),
    key.export({ type: 'spki', format: 'der' }),
    der.tagged(3, der.sequence(...extensions)),
  )
  const bytes = der.sequence(body, algorithm, der.bits(sign(hash, body, issuerKey)))
  const lines = bytes.toString('base64').replaceAll(/.{64}(?=.)/g, '$&\n')
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
}

function distinguishedName(name: string): der.Der {
  return der.sequence(der.set(der.sequence(der.objectId(COMMON_NAME), der.text(name))))
}

function extension(id: string, value: der.Der): der.Der {
  return der.sequence(der.objectId(id), der.octets(value))
}

function alternativeName(name: string): der.Der {
  if (isIP(name) === 0) return der.plain(2, Buffer.from(name))
  if (isIP(name) === 4) return der.plain(7, Buffer.from(name.split('.').map(Number)))
  throw new Error('No certificates for IPv6 addresses here.')
}
