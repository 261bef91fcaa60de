import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { Refused } from './http.ts'

// What a payment cannot do without: a key that is known by its hash, tokens, sealed rows, sealed values. One key each.

const newKey = (): KeyObject => createSecretKey(randomBytes(32))
const [rowKey, valueKey, tokenKey, numberKey] = [newKey(), newKey(), newKey(), newKey()]

/** The one merchant, and the hash of its key. */
export const MERCHANT = 'mer_lean'
export const SECRET_KEY = `sk_${randomBytes(24).toString('base64url')}`
const keyHash = hash('sha256', SECRET_KEY, 'buffer')

export function checkKey(bearer: string): void {
  if (!timingSafeEqual(hash('sha256', bearer, 'buffer'), keyHash)) throw new Refused(401, 'key')
}

/** Text or bytes; a null reads like nothing else. */
type Part = string | number | bigint | Buffer | null

/** Over each part with its length. */
export function sealOf(table: string, ...parts: readonly Part[]): Buffer {
  const mac = createHmac('sha256', rowKey).update(table)
  let frame = ''
  for (const part of parts) {
    if (part instanceof Buffer) mac.update(part)
    else frame += part === null ? '-' : `${String(part).length}:${part}`
  }
  return mac.update(frame).digest()
}

export function checkSeal(stored: Buffer, table: string, ...parts: readonly Part[]): void {
  if (!timingSafeEqual(stored, sealOf(table, ...parts))) throw new Error(`A row of ${table} is not what was written.`)
}

const IV_BYTES = 12
const TAG_BYTES = 16

/** Bound to where it is stored: copied elsewhere it cannot be opened. */
export function sealValue(text: string, place: string): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', valueKey, iv).setAAD(Buffer.from(place))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed])
}

export function openValue(sealed: Buffer, place: string): string {
  const cipher = createDecipheriv('aes-256-gcm', valueKey, sealed.subarray(0, IV_BYTES)).setAAD(Buffer.from(place))
  cipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  return Buffer.concat([cipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), cipher.final()]).toString('utf8')
}

/** Equal numbers have equal ones. */
export function fingerprintOf(number: string): Buffer {
  return createHmac('sha256', numberKey).update(number).digest()
}

interface TokenClaims {
  readonly session: string
  readonly customer: string
}

export function signToken(claims: TokenClaims): string {
  const text = Buffer.from(JSON.stringify(claims)).toString('base64url')
  return `${text}.${createHmac('sha256', tokenKey).update(text).digest('base64url')}`
}

export function readToken(token: string): TokenClaims {
  const dot = token.indexOf('.')
  const text = token.slice(0, dot)
  const expected = createHmac('sha256', tokenKey).update(text).digest()
  const given = Buffer.from(token.slice(dot + 1), 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new Refused(401, 'token')
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as TokenClaims
}

export const sha256 = (data: string | Buffer): Buffer => hash('sha256', data, 'buffer')

const POOL_BYTES = 4_096
const ID_BYTES = 10
let random = Buffer.alloc(0)
let at = 0

/** Begins with the time; random bytes are dear in small portions. */
export function newId(prefix: string): string {
  if (at + ID_BYTES > random.length) {
    random = randomBytes(POOL_BYTES)
    at = 0
  }
  const end = random.toString('hex', at, at + ID_BYTES)
  at += ID_BYTES
  return `${prefix}${Date.now().toString(16)}${end}`
}
