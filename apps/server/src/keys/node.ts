import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { Pool } from 'pg'
import { autocommit } from '../db/transaction.ts'
import { KeyProviderUnavailable } from '../platform/key-provider.ts'
import type { Log } from '../platform/log.ts'
import type { KeyRing } from './ring.ts'
import { deleteLostNodes, deleteNode, upsertNode } from './store.ts'

const REPORT_MILLIS = 5_000
const EXPLAINED = 'a key-encryption key cannot be used'

interface NodeDeps {
  pool: Pool
  ring: Pick<KeyRing, 'keys' | 'currentKeyId' | 'refresh' | 'prove'>
  log: Log
}

/**
 * Throws when this process cannot use a key that wraps what is stored: it would refuse the reads that others serve. A
 * key management service that does not answer is no reason: the process starts, and answers 503 until it does.
 */
export async function proveKeys({ ring, log }: Omit<NodeDeps, 'pool'>): Promise<void> {
  for (const key of ring.keys) {
    if (key.state === 'added') continue
    try {
      await ring.prove(key)
    } catch (error) {
      const isRemote = !key.id.startsWith('local:')
      if (!(isRemote && error instanceof KeyProviderUnavailable)) throw explained(key.id, error)
      log.failure(EXPLAINED, error, { alarm: 'key_unavailable' })
    }
  }
}

function explained(keyId: string, cause: unknown): Error {
  const reason = cause instanceof KeyProviderUnavailable ? cause.message : 'It does not open what was wrapped with it.'
  return new Error(`The key-encryption key ${keyId} of this database cannot be used here. ${reason}`, { cause })
}

/**
 * Keeps this process informed of the keys, and the operator of this process: it reports which keys it has proven to
 * reach. Only when all have it does `keys rotate` make a key current.
 */
export function startKeyNode({ pool, ring, log, reportMillis = REPORT_MILLIS }: NodeDeps & { reportMillis?: number }): {
  report(): Promise<void>
  stop(): Promise<void>
} {
  const nodeId = randomUUID()
  const name = `${hostname()}:${process.pid}`
  const proven = new Set<string>()
  const complained = new Set<string>()

  const prove = async () => {
    for (const key of ring.keys) {
      if (proven.has(key.id)) continue
      try {
        await ring.prove(key)
        proven.add(key.id)
        complained.delete(key.id)
      } catch (error) {
        if (!complained.has(key.id)) log.failure(EXPLAINED, error, { alarm: 'key_unavailable' })
        complained.add(key.id)
      }
    }
  }
  const report = async () => {
    await ring.refresh()
    await prove()
    const values = { nodeId, name, proven: [...proven], wrapsWith: ring.currentKeyId }
    await autocommit(pool, (on) => upsertNode(on, values))
  }
  // A reading that is missed is made good by the next one, and wrapping refuses to go on with an old one. One at a
  // time: while the database or a service is silent, they must not pile up in front of the stop.
  let isBusy = false
  let last: Promise<unknown> = Promise.resolve()
  const tick = () => {
    if (isBusy) return
    isBusy = true
    last = report()
      .catch(() => undefined)
      .finally(() => {
        isBusy = false
      })
  }
  const tidied = autocommit(pool, deleteLostNodes).catch(() => undefined)
  const timer = setInterval(tick, reportMillis).unref()
  return {
    report,
    async stop() {
      clearInterval(timer)
      await Promise.all([last, tidied])
      await autocommit(pool, (on) => deleteNode(on, { nodeId })).catch(() => undefined)
    },
  }
}
