import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedPostgresError, oneLine } from './errors.ts'
import { isAlive } from './processes.ts'

/** Another service already runs on this home. */
export class HomeInUseError extends EmbeddedPostgresError {
  override readonly name = 'HomeInUseError'
  readonly home: string
  readonly holderPid: number | undefined

  constructor(home: string, holderPid: number | undefined) {
    const holder = holderPid === undefined ? 'another process' : `process ${holderPid}`
    super(
      `MINTMARK_HOME ${home} is in use by ${holder}: stop that process, or set another MINTMARK_HOME ` +
        '(several nodes share one database through DATABASE_URL).',
    )
    this.home = home
    this.holderPid = holderPid
  }
}

/** Proof that this process is the only service of a home, until `release`. */
export interface HomeLock {
  release(): void
}

// SQLite takes the lock in steps, so two starters can block each other for a moment; with a busy timeout one of them
// always gives way. It bounds how long the loser's start takes.
const busyTimeoutMs = 300
const sqliteBusy = 5

/**
 * Takes the home for this process, or throws `HomeInUseError`.
 *
 * The lock is a kernel file lock, held through an exclusive SQLite transaction: it ends with the process, however that
 * dies. A pid file alone would survive a SIGKILL, and its pid may then belong to anybody. The pid is only for the
 * message. Never open `lock.sqlite` by other means inside this process: closing any descriptor of it drops the lock.
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
      // Before the unlock: afterwards the file may already be the next holder's.
      rmSync(pidFile, { force: true })
      database.close()
    },
  }
}

function lockExclusively(path: string): DatabaseSync | undefined {
  const sqlite = withoutSqliteWarning(() => process.getBuiltinModule('node:sqlite'))
  let database: DatabaseSync | undefined
  try {
    database = new sqlite.DatabaseSync(path, { timeout: busyTimeoutMs })
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database?.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return undefined
    throw new EmbeddedPostgresError(
      `Cannot lock ${path} (${oneLine(error)}): MINTMARK_HOME must be a writable directory on a local disk.`,
      { cause: error },
    )
  }
}

/** The winner writes its pid just after it locks: a missing or dead pid is read again for a moment. */
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

/** Runs `load` with Node's "SQLite is an experimental feature" warning, and no other, held back. */
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
