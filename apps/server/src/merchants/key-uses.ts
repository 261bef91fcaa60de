import { single } from '../db/command.ts'
import type { Log } from '../platform/log.ts'
import type { MerchantDeps } from './issue.ts'
import * as store from './store.ts'

/**
 * When which key was used, as this process has seen it. A request leaves a note in memory, and what was noted is written together, once in a
 * while. Only keys that are there leave one, so there are never more notes than keys.
 */
export interface KeyUses {
  note(keyId: string): void
  /** Writes what was noted since the last time, in one statement, and nothing where nothing was. What is not written stays noted. */
  write(): Promise<void>
}

export function createKeyUses(deps: Pick<MerchantDeps, 'pool' | 'clock'>): KeyUses {
  let noted = new Map<string, Date>()
  return {
    note(keyId) {
      noted.set(keyId, deps.clock.now())
    },
    async write() {
      if (noted.size === 0) return
      const uses = noted
      noted = new Map()
      // In one order everywhere: processes that write the same keys wait for each other instead of ending in a deadlock.
      const keyIds = [...uses.keys()].sort()
      const times = keyIds.map((keyId) => uses.get(keyId) ?? null)
      try {
        await single(deps, { name: 'merchants.write_key_uses', silent: 'operator' }, ({ on }) =>
          store.updateKeysUsed(on, { keyIds, times }),
        )
      } catch (error) {
        for (const [keyId, at] of uses) if (!noted.has(keyId)) noted.set(keyId, at)
        throw error
      }
    },
  }
}

/** So long a killed process may have known better than the database. */
const WRITE_MILLIS = 5 * 60_000

/** Writes what requests have noted: each key once in five minutes at most, and what is left at the stop. */
export function keepKeyUses(uses: Pick<KeyUses, 'write'>, log: Log): { stop(): Promise<void> } {
  let last: Promise<void> = Promise.resolve()
  // One at a time: while the database is silent they must not pile up in front of the stop.
  const write = () => {
    last = last.then(uses.write).catch((error: unknown) => log.failure('the last uses of keys come later', error))
    return last
  }
  const timer = setInterval(write, WRITE_MILLIS).unref()
  return {
    stop() {
      clearInterval(timer)
      return write()
    },
  }
}
