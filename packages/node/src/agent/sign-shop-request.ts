import { randomBytes } from 'node:crypto'
import type { PrivateKey } from './key.ts'
import {
  type Covered,
  checkSigningKey,
  lifetimeOf,
  partsOf,
  type RequestToSign,
  signatureOver,
  thumbprintOf,
} from './signature.ts'

/** `web-bot-auth` (drafts of the IETF) says which agent it is. The others (Visa's Trusted Agent Protocol) say that it looks around, or pays. */
export type ShopTag = 'web-bot-auth' | 'agent-browser-auth' | 'agent-payer-auth'

export interface ShopSigning {
  /** The agent's Ed25519 key, the same that is linked: as PEM (PKCS #8), as a JWK, or a `KeyObject`. */
  privateKey: PrivateKey
  /** What the shop expects. Default: `web-bot-auth`. */
  tag?: ShopTag
  /**
   * Where the shop finds the key: the agent's card (`card_url` of `/v1/agents/me`), or the origin of a directory. Needed for `web-bot-auth`.
   * The owner has to have published the agent.
   */
  signatureAgent?: string | URL
  /**
   * Covers the whole `Signature-Agent`, not its member: for shops whose library knows no members, as `web-bot-auth` 0.1 of npm. Default: false,
   * as the draft wants it.
   */
  wholeSignatureAgent?: boolean
  /** When it is signed. Default: now. */
  now?: Date
  /** How long the signature is good: 1 to 480. Default: 60. */
  lifetimeSeconds?: number
}

const TAGS = new Set<ShopTag>(['web-bot-auth', 'agent-browser-auth', 'agent-payer-auth'])
const LIFETIME_SECONDS = 60
/** TAP allows eight minutes, Web Bot Auth a day. */
const MAX_LIFETIME_SECONDS = 480
/** Web Bot Auth's libraries want as many, and no other reader minds them. */
const NONCE_BYTES = 64
const LABEL = 'sig1'

/**
 * Returns the headers that show a shop which agent sends a request: `signature-input`, `signature`, for `web-bot-auth` also `signature-agent`,
 * and with a body `content-digest`. None of them is good at Mintmark. Throws a `TypeError` for what cannot be signed.
 */
export function signShopRequest(request: RequestToSign, signing: ShopSigning): Record<string, string> {
  const { privateKey, tag = 'web-bot-auth', now = new Date(), lifetimeSeconds = LIFETIME_SECONDS } = signing
  if (!TAGS.has(tag)) throw new TypeError(`The tag is none of ${[...TAGS].join(', ')}.`)
  const key = checkSigningKey(privateKey)
  const lifetime = lifetimeOf(now, lifetimeSeconds, MAX_LIFETIME_SECONDS)
  const parts = partsOf(request)
  const nonce = randomBytes(NONCE_BYTES).toString('base64')
  const named = { label: LABEL, ...lifetime, nonce, keyid: thumbprintOf(key), tag }
  // Readers of TAP build the two lines that its specification has.
  if (tag !== 'web-bot-auth') return signatureOver([parts.authority, parts.path], named, key)
  const agent = signatureAgentOf(signing.signatureAgent)
  const header = `${LABEL}=${agent}`
  return {
    ...(parts.digest === undefined ? {} : { 'content-digest': parts.digest }),
    'signature-agent': header,
    ...signatureOver(
      [
        ...narrowed(parts),
        signing.wholeSignatureAgent ? ['"signature-agent"', header] : [`"signature-agent";key="${LABEL}"`, agent],
      ],
      named,
      key,
    ),
  }
}

/** The draft wants the authority alone; each more keeps the signature from another request. Libraries read an absent query differently. */
function narrowed({ method, authority, path, query, content }: ReturnType<typeof partsOf>): Covered[] {
  return [method, authority, path, ...(query[1] === '?' ? [] : [query]), ...content]
}

/** A member of the dictionary: an origin is a directory, and what has a path is a card. */
function signatureAgentOf(given: string | URL | undefined): string {
  if (given === undefined) throw new TypeError('web-bot-auth needs a signatureAgent: where the shop finds the key.')
  const { href, origin, protocol, hostname, pathname, search, hash, username, password } = new URL(given)
  // Only a sandbox is on this machine, and has no certificate.
  const isOwn = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
  const isAddress = protocol === 'https:' || (protocol === 'http:' && isOwn)
  if (!isAddress || search + hash + username + password !== '') {
    throw new TypeError('The signatureAgent is no https address without a query.')
  }
  return pathname === '/' ? `"${origin}"` : `"${href}";type=cimd`
}
