import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { ApiKeyKind, ApiKeyRole, Environment } from '@mintmark/contract'
import type { Pool } from 'pg'
import { isUntouched, type RowSeals } from '../platform/row-seals.ts'
import type { Secret } from '../platform/secret.ts'
import { hashKey, type ParsedKey, parseKey, sealedKey } from './api-keys.ts'
import { invalidAuthorization, invalidKey } from './errors.ts'
import type { KeyUses } from './key-uses.ts'
import { RecentAnswers } from './recent-answers.ts'
import { findKey } from './store.ts'

/** The merchant a key belongs to, as the handlers of its routes see it. */
export interface MerchantCaller {
  merchantId: string
  keyId: string
  role: ApiKeyRole
}

export interface KeyAuthentication {
  /**
   * From an `Authorization: Bearer` header. Throws `AUTH_1002` for the header, `AUTH_1001` for the key in it. Only keys of
   * these roles are let in; without `roles`, only those of merchants.
   */
  authenticateKey(header: string | undefined, kind: ApiKeyKind, roles?: readonly ApiKeyRole[]): Promise<MerchantCaller>
  /** From the bare text of a key, for headers of other names. Throws `AUTH_1001`. */
  resolveKey(text: string, kind: ApiKeyKind, roles?: readonly ApiKeyRole[]): Promise<MerchantCaller>
  /** Lets this process see a revocation immediately; other nodes see it when their answers have aged. */
  forgetAll(): void
}

/** A revoked key must be refused within a second on every node; half of that is left for slow answers. */
const MAX_AGE_MILLIS = 500
const MAX_ENTRIES = 10_000

const BEARER = /^bearer +([^\s]+)$/i
const KIND_NAMES: Readonly<Record<ApiKeyKind, string>> = {
  secret: 'a secret key',
  publishable: 'a publishable key',
  wallet: 'a wallet API key',
}

const MERCHANTS: readonly ApiKeyRole[] = ['merchant']
/** Said to one who has the whole key: it tells nothing to others. */
const WRONG_ROLE = "This is a dashboard's control-plane key; the call needs a merchant's own."

/** Compared with when there is no row, so that a miss does the work of a hit. Random: nothing can equal it. */
const NO_HASH = randomBytes(32)

export function createKeyAuthentication(deps: {
  pool: Pool
  apiKeysKey: Secret<Buffer>
  seals: RowSeals
  environment: Environment
  uses: Pick<KeyUses, 'note'>
  monotonicMillis: () => number
}): KeyAuthentication {
  const answers = new RecentAnswers<MerchantCaller | undefined>({
    maxAgeMillis: MAX_AGE_MILLIS,
    maxEntries: MAX_ENTRIES,
    monotonicMillis: deps.monotonicMillis,
  })

  async function resolveKey(text: string, kind: ApiKeyKind, roles = MERCHANTS): Promise<MerchantCaller> {
    const key = parseKey(text)
    if (key === undefined) throw invalidKey()
    rejectOtherKey(key, kind, deps.environment)
    // Remembered by a hash of the whole text, not by the public id: a wrong secret must not find the answer to the right one.
    // A plain hash of 240 random bits tells nothing of them; the keyed one is made when the row is asked.
    const question = hash('sha256', text, 'base64')
    const caller = await answers.ask(question, () => findCaller(deps, key, hashKey(deps.apiKeysKey, text)))
    if (caller === undefined) throw invalidKey()
    // Also where its role is the wrong one: the caller has the whole key, and that is what the operator asks about.
    deps.uses.note(caller.keyId)
    if (!roles.includes(caller.role)) throw invalidKey({ message: WRONG_ROLE })
    return caller
  }

  return {
    authenticateKey: async (header, kind, roles) => resolveKey(parseBearer(header, kind), kind, roles),
    resolveKey,
    forgetAll: () => answers.forgetAll(),
  }
}

function parseBearer(header: string | undefined, kind: ApiKeyKind): string {
  const text = BEARER.exec(header?.trim() ?? '')?.[1]
  if (text !== undefined) return text
  const problem = header === undefined ? 'is missing' : 'is malformed'
  const message = `The Authorization header ${problem}. Send "Authorization: Bearer " and ${KIND_NAMES[kind]}.`
  throw invalidAuthorization({ message })
}

/** The prefix is public, so naming the mistake leaks nothing. */
function rejectOtherKey(key: ParsedKey, kind: ApiKeyKind, environment: Environment): void {
  if (key.kind !== kind) {
    throw invalidKey({ message: `This is ${KIND_NAMES[key.kind]}; the call needs ${KIND_NAMES[kind]}.` })
  }
  if (key.environment !== environment) {
    throw invalidKey({ message: `This key is for ${key.environment}; this is ${environment}.` })
  }
}

/**
 * Looks the row up by the public part of the key, so the time of the lookup says nothing of the secret part, and compares
 * hashes of equal length in constant time, on a miss as well.
 */
async function findCaller(
  { pool, seals }: { pool: Pool; seals: RowSeals },
  key: ParsedKey,
  keyHash: Buffer,
): Promise<MerchantCaller | undefined> {
  const found = await findKey(pool, { keyId: key.id })
  const expected = found?.keyHash.length === keyHash.length ? found.keyHash : NO_HASH
  const matches = timingSafeEqual(keyHash, expected)
  if (found === undefined || !matches || found.revoked || found.kind !== key.kind) return undefined
  // A key whose row was edited, to make it another merchant's, is no key.
  if (!isUntouched(() => seals.check(sealedKey({ ...found, id: key.id }), found.seal))) return undefined
  // Frozen, because all callers that ask within half a second share it.
  return Object.freeze({ merchantId: found.merchantId, keyId: key.id, role: found.role })
}
