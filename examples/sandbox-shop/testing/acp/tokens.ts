import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { Card } from '../../buying/acquirer.ts'
import type { Database } from '../../buying/database.ts'
import { canonical } from './idempotency.ts'
import { AcpError } from './protocol.ts'

/** `card` is sealed, and gone when the token was used or its time is over; what is left says that its key was used. */
export const TOKEN_TABLE = `
  create table if not exists acp_tokens (
    id text primary key, key text not null unique, fingerprint text not null, session text not null, most integer not null,
    card blob, card_until integer not null, created integer not null) strict;
`

/** What a delegated card may be used for. */
export interface Allowance {
  sessionId: string
  /** In hundredths. */
  most: bigint
  expiresAt: Date
}

interface Delegation {
  card: Card
  allowance: Allowance
}

/** The protocol asks for a day. */
const KEPT_MILLIS = 24 * 3_600_000

interface TokenDeps {
  db: Database
  /** The shop's own: what is written of cards opens with it alone. */
  key: string
  now: () => Date
}

/**
 * Cards that were delegated, until they are used, or for a day: a restart between a delegation and its completion must
 * not cost a buyer the purchase. Cards are sealed under a key that is not in these files when the service runs the
 * shop. Requests are compared by a keyed hash, for the numbers of cards are few enough to be tried.
 */
export function createTokens({ db, key: shopKey, now }: TokenDeps) {
  const cardKey = keyFor('delegated cards', shopKey)
  const requestKey = keyFor('delegation requests', shopKey)
  const byKey = db.prepare('select id, fingerprint, created from acp_tokens where key = ?')
  const byId = db.prepare('select session, most, card from acp_tokens where id = ?')
  const insert = db.prepare(`insert into acp_tokens (id, key, fingerprint, session, most, card, card_until, created)
    values ($id, $key, $fingerprint, $session, $most, $card, $cardUntil, $created)`)
  const erase = db.prepare('update acp_tokens set card = null where id = ?')
  const eraseOld = db.prepare('update acp_tokens set card = null where card_until <= ? and card is not null')
  const forget = db.prepare('delete from acp_tokens where created <= ?')

  function forgetOld(): void {
    const at = now().getTime()
    eraseOld.run(at)
    forget.run(at - KEPT_MILLIS)
  }

  /** The same request again is the same token. */
  function delegate(key: string, body: unknown, { card, allowance }: Delegation) {
    forgetOld()
    const fingerprint = createHmac('sha256', requestKey).update(canonical(body)).digest('base64')
    const known = byKey.get(key)
    if (known !== undefined && known.fingerprint !== fingerprint) {
      const message = 'Idempotency-Key has already been used with a different request body'
      throw new AcpError(422, 'idempotency_conflict', message)
    }
    if (known !== undefined) {
      return { id: String(known.id), created: new Date(Number(known.created)), isReplay: true }
    }
    const [id, created] = [`vt_${randomBytes(16).toString('hex')}`, now()]
    const { sessionId: session, most, expiresAt } = allowance
    const cardUntil = Math.min(created.getTime() + KEPT_MILLIS, expiresAt.getTime())
    const sealed = seal(cardKey, id, card)
    insert.run({ id, key, fingerprint, session, most, card: sealed, cardUntil, created: created.getTime() })
    return { id, created, isReplay: false }
  }

  /**
   * The card of a token that is good for this payment; undefined: it is none, of another session, too small, over or
   * used.
   */
  function find(id: string, payment: { sessionId: string; amount: bigint }): Card | undefined {
    forgetOld()
    const { session, most, card } = byId.get(id) ?? {}
    const isGood = session === payment.sessionId && typeof most === 'bigint' && most >= payment.amount
    return isGood && card instanceof Uint8Array ? open(cardKey, id, card) : undefined
  }

  return { delegate, find, spend: (id: string) => erase.run(id), forgetOld }
}

function keyFor(use: string, shopKey: string): Buffer {
  return Buffer.from(hkdfSync('sha256', shopKey, '', `sandbox shop, ${use}`, 32))
}

const [IV_BYTES, TAG_BYTES] = [12, 16]

function seal(key: Buffer, id: string, card: Card): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(id))
  const sealed = Buffer.concat([cipher.update(JSON.stringify(card), 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), sealed])
}

/** Undefined: sealed under the key that the shop had before. The client delegates again. */
function open(key: Buffer, id: string, sealed: Uint8Array): Card | undefined {
  const [iv, tag] = [sealed.subarray(0, IV_BYTES), sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)]
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(id))
      .setAuthTag(tag)
    const text = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()])
    return JSON.parse(text.toString('utf8')) as Card
  } catch {
    return undefined
  }
}
