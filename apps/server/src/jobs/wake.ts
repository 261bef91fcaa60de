import type { Pool } from 'pg'
import type { Connection } from '../db/pool.ts'
import type { Queryable } from '../db/statement.ts'
import { afterCommit } from '../db/transaction.ts'
import type { Log } from '../platform/log.ts'
import { startNotifications } from './notifications.ts'

// A commit can wake the loops that its change concerns, here and in the other processes. It is a hint and never the way
// work is found: a hint that is lost costs the rest of a loop (seconds), not the work.
//
// The notification is sent after the commit, on a connection of its own, and never inside the transaction: PostgreSQL
// lets one transaction with a notification commit at a time, over the whole server. With 16 writers that made 11,200
// commits a second into 3,500.

/** Wakes every loop of every process. */
export const EVERY_LOOP = '*'

/** Wakes the loop of this name once the transaction has committed; never after a rollback. */
export function wake(on: Queryable, name: string): void {
  afterCommit(on, (pool) => wakesOf.get(pool)?.wake(name))
}

/** The loops of one process, and the line to those of the others. */
export interface Wakes {
  /** `wakeLoop` returns true when its loop was resting. */
  add(name: string, wakeLoop: () => boolean): void
  wake(name: string): void
  stop(): Promise<void>
}

interface WakeDeps {
  pool: Pool
  connection: Connection
  log: Log
  /** Reads the clock again: what another process says with `EVERY_LOOP` is that the clock was moved. */
  refreshClock: () => Promise<void>
}

const wakesOf = new WeakMap<Pool, Wakes>()

/** Connects the commits of a pool with the loops. */
export function startWakes({ pool, connection, log, refreshClock }: WakeDeps): Wakes {
  const loops: { name: string; wakeLoop: () => boolean }[] = []
  /** True when a loop was resting and has begun to look. */
  const wakeHere = (name: string): boolean => {
    const named = loops.filter((loop) => name === EVERY_LOOP || loop.name === name)
    return named.map(({ wakeLoop }) => wakeLoop()).includes(true)
  }
  const notifications = startNotifications({
    connection,
    log,
    async onNotification(name) {
      // A loop that looks with the old time finds nothing due.
      if (name === EVERY_LOOP) await refreshClock().catch(() => undefined)
      wakeHere(name)
    },
    // What was sent meanwhile is lost.
    onConnected: () => wakeHere(EVERY_LOOP),
  })
  const wakes: Wakes = {
    add: (name, wakeLoop) => loops.push({ name, wakeLoop }),
    wake(name) {
      // A loop that was resting here takes the work now. Only what comes while it is busy is for all processes.
      const taken = wakeHere(name)
      if (!taken || name === EVERY_LOOP) notifications.send(name)
    },
    async stop() {
      wakesOf.delete(pool)
      await notifications.stop()
    },
  }
  wakesOf.set(pool, wakes)
  return wakes
}
