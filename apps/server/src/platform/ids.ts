import { randomBytes, randomFillSync } from 'node:crypto'

/** Every prefix of the product, once. A secret never shares a prefix with a handle (see `merchants/api-keys.ts`). */
export const ID_PREFIXES = {
  merchant: 'ma_',
  customer: 'cus_',
  session: 'sess_',
  order: 'ord_',
  charge: 'txn_',
  lineItem: 'tli_',
  product: 'prd_',
  card: 'card_',
  mandate: 'mdt_',
  instruction: 'ins_',
  event: 'evt_',
  endpoint: 'we_',
  delivery: 'whd_',
  incident: 'whi_',
  contact: 'ctc_',
  mail: 'mail_',
  recovery: 'whr_',
  shop: 'shop_',
  quote: 'qte_',
  agent: 'aa_',
  agentLink: 'lk_',
  limitsChange: 'lim_',
  escalation: 'esc_',
  owner: 'own_',
} as const
export type IdKind = keyof typeof ID_PREFIXES

/** Lower-case Crockford base 32, without i, l, o and u: what is easily misread. */
export const BASE32_ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** `byteCount` random bytes in base 32: URL-safe, one double click selects it. */
export const randomText = (byteCount: number): string => base32(randomBytes(byteCount))

export function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += BASE32_ALPHABET[(held >>> bits) & 31]
    }
    held &= 31
  }
  return bits > 0 ? text + BASE32_ALPHABET[(held << (5 - bits)) & 31] : text
}

/** What is listed or found by the time in its id, which is that of the program's clock, because times are compared with it. */
export type OrderedKind = 'mandate' | 'event' | 'delivery' | 'recovery' | 'quote' | 'mail'

const TIME_CHARACTERS = 10
const RANDOM_CHARACTERS = 16

// Taken a hundred ids at a time: asking the system for ten bytes costs five times as much as all else of an id, and a session
// has seven. Ids are shown to everyone; secrets are not made of this.
const fresh = Buffer.alloc(100 * RANDOM_CHARACTERS)
let used = fresh.length

/** 80 random bits; no byte is used twice. */
function randomPart(): string {
  if (used === fresh.length) {
    randomFillSync(fresh)
    used = 0
  }
  let text = ''
  for (const end = used + RANDOM_CHARACTERS; used < end; used += 1) text += BASE32_ALPHABET[(fresh[used] ?? 0) & 31]
  return text
}

/**
 * A new id: prefix, the machine's millisecond and 80 random bits, as in a UUID of version 7 (26 characters). None can be
 * guessed from another. The time is there for the indexes: what is written together lies together in them and their pages
 * fill up, where random ids leave a third of each page empty. Only what deletes old rows reads it (`idBefore`).
 */
export function newId(kind: Exclude<IdKind, OrderedKind | 'merchant' | 'contact' | 'owner'>): string {
  return ID_PREFIXES[kind] + timeText(Date.now()) + randomPart()
}

const MERCHANT_CHARACTERS = 10

/**
 * The id of a merchant, from bytes that are random or as good: 50 bits. Short, because it leads every key of tenant data: some
 * thirty times in the rows and indexes of one payment. It is public, and opens nothing. Where two are equal, the primary
 * key refuses the second.
 */
export function merchantIdFrom(bytes: Uint8Array): string {
  const characters = Array.from(bytes.subarray(0, MERCHANT_CHARACTERS), (byte) => BASE32_ALPHABET[byte & 31])
  return ID_PREFIXES.merchant + characters.join('')
}

const FROM_BYTES_CHARACTERS = 26

/** An id that is always the same for the same bytes, which are as good as random: 130 bits of them. */
export function idFrom(kind: 'contact' | 'shop' | 'owner' | 'agentLink', bytes: Uint8Array): string {
  const characters = Array.from(bytes.subarray(0, FROM_BYTES_CHARACTERS), (byte) => BASE32_ALPHABET[byte & 31])
  return ID_PREFIXES[kind] + characters.join('')
}

export function newMerchantId(): string {
  return merchantIdFrom(randomBytes(MERCHANT_CHARACTERS))
}

/** A new id that sorts by its time: prefix, the millisecond, and 80 random bits. None can be guessed from another. */
export function newOrderedId(kind: OrderedKind, at: Date): string {
  return ID_PREFIXES[kind] + timeText(at.getTime()) + randomPart()
}

function timeText(time: number): string {
  let millis = time
  let text = ''
  for (let place = 0; place < TIME_CHARACTERS; place += 1) {
    text = BASE32_ALPHABET[millis % 32] + text
    millis = Math.floor(millis / 32)
  }
  return text
}

/** Sorts after every id of its kind that was made before this time, and before every later one. */
export function idBefore(kind: Exclude<IdKind, 'merchant'>, at: Date): string {
  return ID_PREFIXES[kind] + timeText(Math.max(0, at.getTime()))
}

/** The time in an id of the form that `isOrderedId` accepts. */
export function idTime(kind: OrderedKind, id: string): Date {
  const { length } = ID_PREFIXES[kind]
  let millis = 0
  for (const character of id.slice(length, length + TIME_CHARACTERS)) {
    millis = millis * 32 + BASE32_ALPHABET.indexOf(character)
  }
  return new Date(millis)
}

/** Sorts after every id of its kind. */
export function lastId(kind: OrderedKind): string {
  return ID_PREFIXES[kind] + 'z'.repeat(27)
}

/** A new UUID of version 7: the machine's millisecond and 74 random bits. None can be guessed from another. */
export function newUuid(): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(Date.now(), 0, 6)
  return uuidText(bytes, 7)
}

/** A UUID that is always the same for the same bytes, which are as good as random: version 8, 122 bits of them. */
export function uuidFrom(bytes: Uint8Array): string {
  return uuidText(Buffer.from(bytes.subarray(0, 16)), 8)
}

function uuidText(bytes: Buffer, version: number): string {
  bytes[6] = (version << 4) | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

const ORDERED_ID = new RegExp(`^[${BASE32_ALPHABET}]{26}$`)
/** Ten characters reach to the year 37648. PostgreSQL cannot read how JavaScript writes a year of five digits (`+037648-05-06`). */
const YEAR_10000 = timeText(Date.UTC(10_000, 0))

/** Whether a text has the form of such an id. Its characters sort as what they stand for. */
export function isOrderedId(kind: OrderedKind, text: string): boolean {
  const prefix = ID_PREFIXES[kind]
  const rest = text.slice(prefix.length)
  return text.startsWith(prefix) && ORDERED_ID.test(rest) && rest.slice(0, TIME_CHARACTERS) < YEAR_10000
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** An id that came from outside, as the database spells it; undefined when it has not the form of one, and so names nothing. */
export function uuidOf(text: string): string | undefined {
  return UUID.test(text) ? text.toLowerCase() : undefined
}
