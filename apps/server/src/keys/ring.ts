import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import { type KeyProvider, KeyProviderUnavailable, noSuchKey } from '../platform/key-provider.ts'
import type { Log } from '../platform/log.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import { probeContext, sealedKeyRow } from './seal.ts'
import { type KeyRow, listKeys } from './store.ts'

export interface RingDeps {
  pool: Pool
  seals: RowSeals
  log: Log
  /** The adapter of a key. Throws for an id that names none. */
  providerOf(keyId: string): KeyProvider
}

/** Older than this, a reading must not say which key wraps: an operator may be about to retire that one. */
const MAX_AGE_MILLIS = 30_000
/** Between two readings because of a key that is not in the last one. Rows that an attacker edited may name any. */
const REST_MILLIS = 200

/**
 * All key-encryption keys of the deployment, as one provider: new data keys are wrapped by the one that is current in the
 * database, and every key that has a row opens what it wrapped. A key that this process never heard of is looked up when it
 * is met, so that a rotation elsewhere is no error here.
 */
export class KeyRing implements KeyProvider {
  readonly #deps: RingDeps
  readonly #providers = new Map<string, KeyProvider>()
  #keys = new Map<string, KeyRow>()
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  private constructor(deps: RingDeps) {
    this.#deps = deps
  }

  static async open(deps: RingDeps): Promise<KeyRing> {
    const ring = new KeyRing(deps)
    await ring.refresh()
    return ring
  }

  get currentKeyId(): string {
    for (const { id, state } of this.#keys.values()) if (state === 'current') return id
    throw new KeyProviderUnavailable('No key-encryption key is current.')
  }

  /** The keys of the last reading. */
  get keys(): readonly KeyRow[] {
    return [...this.#keys.values()]
  }

  /** Reads which keys there are. Rows that were edited are refused, with an alarm: the reading before stays. */
  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async wrap(dataKey: Buffer, context: Buffer) {
    if (this.#ageMillis() > MAX_AGE_MILLIS) await this.#look()
    return this.#providerOf(this.currentKeyId).wrap(dataKey, context)
  }

  async unwrap(keyId: string, wrapped: Buffer, context: Buffer): Promise<Buffer> {
    if (!this.#keys.has(keyId)) await this.#lookFor(keyId)
    if (!this.#keys.has(keyId)) throw noSuchKey()
    return this.#providerOf(keyId).unwrap(keyId, wrapped, context)
  }

  /** Throws when this process cannot use the key: `KeyProviderUnavailable` when it could not be asked. */
  async prove(key: KeyRow): Promise<void> {
    if (key.probe === null) return
    const opened = await this.#providerOf(key.id).unwrap(key.id, key.probe, probeContext(key.id))
    opened.fill(0)
  }

  /** A key may have been added after the last reading, however young that is: only one that began later says it is not there. */
  async #lookFor(keyId: string): Promise<void> {
    const askedAt = performance.now()
    while (!this.#keys.has(keyId) && this.#readAt < askedAt) {
      const rest = REST_MILLIS - this.#ageMillis()
      // Those who wait together look once.
      if (rest > 0) await delay(rest)
      else await this.#look()
    }
  }

  /** A ring that cannot be read says nothing of what a key wrapped. */
  async #look(): Promise<void> {
    await this.refresh().catch((cause: unknown) => {
      throw new KeyProviderUnavailable('The list of keys cannot be read.', { code: 'KEYS_UNREADABLE', cause })
    })
  }

  #ageMillis(): number {
    return performance.now() - this.#readAt
  }

  #providerOf(keyId: string): KeyProvider {
    const known = this.#providers.get(keyId)
    if (known !== undefined) return known
    const provider = this.#deps.providerOf(keyId)
    this.#providers.set(keyId, provider)
    return provider
  }

  async #read(): Promise<void> {
    const startedAt = performance.now()
    const rows = await listKeys(this.#deps.pool)
    for (const row of rows) checkKeyRow(this.#deps.seals, row)
    this.#keys = new Map(rows.map((row) => [row.id, row]))
    this.#readAt = startedAt
  }
}

/** The first key is sealed when it is moved for the first time: the migration that made its row has no key. */
export function checkKeyRow(seals: RowSeals, row: KeyRow): void {
  const isUntouched = row.id === 'local:1' && row.state === 'current' && row.seal === null
  if (!isUntouched) seals.check(sealedKeyRow(row), row.seal)
}
