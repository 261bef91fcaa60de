import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedPostgresError, oneLine } from './errors.ts'
import { isAlive } from './processes.ts'

/** Another process already runs PostgreSQL in this home. */
export class HomeInUseError extends EmbeddedPostgresError {
  override readonly name = 'HomeInUseError'
  home: string
  holderPid: number | undefined

  constructor(home: string, holderPid: number | undefined) {
    const holder = holderPid === undefined ? 'another process' : `process ${holderPid}`
    super(`The home ${home} is in use by ${holder}: stop that process, or choose another home.`)
    this.home = home
    this.holderPid = holderPid
  }
}

/** Proof that this process is the only one that uses the home, until `release`. */
interface HomeLock {
  release(): void
}

// SQLite takes the lock in steps, so two processes that start together can block each other for a moment; with a busy
// time-out one of them always gives way. It limits how long the start of the losing process takes.
const BUSY_TIMEOUT_MILLIS = 300
const SQLITE_BUSY = 5

/**
 * Takes the home for this process, or throws `HomeInUseError`.
 *
 * The lock is a kernel file lock, held through an exclusive SQLite transaction: it ends when the process
 * ends, also after a SIGKILL. A pid file alone would survive that, and its pid may then belong to another program; here
 * the pid is only for the message. Never open `lock.sqlite` in another way inside this process: closing any descriptor
 * of the file drops the lock.
 */
export async function acquireHomeLock(home: string): Promise<HomeLock> {
  const pidFile = join(home, 'lock.pid')
  const database = lockExclusively(join(home, 'lock.sqlite'))
  if (!database) throw new HomeInUseError(home, await readHolder(pidFile))
  try {
    const temporary = `${pidFile}.${process.pid}`
    writeFileSync(temporary, `${process.pid}\n`)
    renameSync(temporary, pidFile)
  } catch (error) {
    database.close()
    throw error
  }
  let held = true
  return {
    release() {
      if (!held) return
      held = false
      // Before the unlock: afterwards the file may already belong to the next holder.
      rmSync(pidFile, { force: true })
      database.close()
    },
  }
}

function lockExclusively(path: string): DatabaseSync | undefined {
  const sqlite = withoutSqliteWarning(() => process.getBuiltinModule('node:sqlite'))
  let database: DatabaseSync | undefined
  try {
    database = new sqlite.DatabaseSync(path, { timeout: BUSY_TIMEOUT_MILLIS })
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database?.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return undefined
    throw new EmbeddedPostgresError(
      `Cannot lock ${path} (${oneLine(error)}): the home must be a writable directory on a local disk.`,
      { cause: error },
    )
  }
}

/** The winner writes its pid just after it locks, so a missing or dead pid is read again for a moment. */
async function readHolder(pidFile: string): Promise<number | undefined> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    try {
      const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
      if (pid > 0 && isAlive(pid)) return pid
    } catch {
      // Not written yet.
    }
    await sleep(10)
  }
  return undefined
}

/** Runs `load` and suppresses Node's warning "SQLite is an experimental feature", and no other. */
export function withoutSqliteWarning<T>(load: () => T): T {
  const emitWarning = process.emitWarning
  process.emitWarning = ((...args: Parameters<typeof emitWarning>) => {
    if (String(args[0]).startsWith('SQLite is an experimental feature')) return
    Reflect.apply(emitWarning, process, args)
  }) as typeof emitWarning
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}
