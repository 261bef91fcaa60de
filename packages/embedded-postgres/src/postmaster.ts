import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, asAccount } from './account.ts'
import { CLEAN_ENVIRONMENT } from './binaries.ts'
import { dataArgument } from './cluster.ts'
import { EmbeddedPostgresError } from './errors.ts'
import { endProcessesIn, type ShutdownLimits } from './leftovers.ts'
import type { HomePaths } from './paths.ts'
import { sendSignal } from './processes.ts'
import { openServerLog } from './server-log.ts'

/** What to start. */
export interface Launch {
  bin: string
  paths: HomePaths
  account: Account | undefined
  /** `-c` arguments. */
  settings: readonly string[]
  log: ((line: string) => void) | undefined
}

/** A PostgreSQL server that is a child of this process. */
export interface Postmaster {
  pid: number
  /** Resolves once the process is reaped, with the signal or exit code that ended it. */
  ended: Promise<string>
  /** The last fatal line of this run's log. */
  lastFatal(): Promise<string | undefined>
}

const READY_TIMEOUT_MILLIS = 300_000
const SCHEDULING_TIMEOUT_MILLIS = 1_000
// A fast shutdown writes a checkpoint. The harder steps lose nothing either: the next start recovers.
const STOP_LIMITS: ShutdownLimits = { fastMillis: 20_000, immediateMillis: 5_000, killMillis: 5_000 }

/** Starts the server; it accepts no connection yet. */
export async function launchPostmaster(launch: Launch): Promise<Postmaster> {
  const { paths, account, log } = launch
  const args = ['-D', await dataArgument(paths.data, account), ...launch.settings]
  const output = await openServerLog(paths.log, log)
  const configuration = await open(paths.config, 'r')
  try {
    const child = spawn(join(launch.bin, 'postgres'), args, {
      cwd: paths.data,
      env: CLEAN_ENVIRONMENT,
      // The last one is CONFIGURATION_FD.
      stdio: ['ignore', 'ignore', output.stdio, configuration.fd],
      // A process group of its own: a Ctrl-C in the terminal must reach the parent, which still finishes its work, and
      // not the database under it.
      detached: true,
      ...asAccount(account),
    })
    output.attach(child.stderr)
    return await watchChild(child, output.lastFatal)
  } finally {
    await configuration.close()
    await output.close()
  }
}

async function watchChild(child: ChildProcess, lastFatal: Postmaster['lastFatal']): Promise<Postmaster> {
  // A process.exit() without a stop must leave no server behind. After a SIGKILL the next start cleans up.
  const stopAtExit = () => child.kill('SIGINT')
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      process.off('exit', stopAtExit)
      resolve(signal ?? `exit code ${code}`)
    })
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  process.on('exit', stopAtExit)
  if (child.pid === undefined) throw new EmbeddedPostgresError('PostgreSQL did not start: try again.')
  return { pid: child.pid, ended, lastFatal }
}

/**
 * Linux: what the server forks from now on is no longer scheduled ahead of the process that wakes it (SCHED_BATCH).
 * Each statement would else interrupt its caller in the middle of the write that sends it; on two processors that is an
 * eighth of all payments. Shares of processor time stay as they are. Best effort: without the tool, or where it is
 * forbidden, everything works as well.
 */
export async function yieldToCallers({ pid }: Postmaster): Promise<void> {
  if (process.platform !== 'linux') return
  await new Promise<void>((resolve) => {
    execFile('chrt', ['-b', '-p', '0', String(pid)], { timeout: SCHEDULING_TIMEOUT_MILLIS }, () => resolve())
  })
}

/** Waits until the server accepts connections, crash recovery included. */
export async function waitUntilReady(postmaster: Postmaster, paths: HomePaths): Promise<void> {
  let end: string | undefined
  postmaster.ended.then((how) => {
    end = how
  })
  const deadline = performance.now() + READY_TIMEOUT_MILLIS
  while (!(await isReady(paths.data, postmaster.pid))) {
    if (end !== undefined) {
      const reason = (await postmaster.lastFatal()) ?? end
      throw new EmbeddedPostgresError(
        `PostgreSQL in ${paths.data} did not start (${reason}): see ${paths.log}, repair that, and start again.`,
      )
    }
    if (performance.now() > deadline) {
      throw new EmbeddedPostgresError(
        `PostgreSQL in ${paths.data} is not ready after ${READY_TIMEOUT_MILLIS / 1000} s: see ${paths.log}, and start again.`,
      )
    }
    await sleep(5)
  }
}

/** The server keeps its state in line 8 of postmaster.pid. Reading it is faster than trying to connect. */
async function isReady(dataDirectory: string, pid: number): Promise<boolean> {
  const lines = (await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready'
}

/** Stops the server and waits until it and all its children are gone. Also for a server that ended by itself. */
export async function stopPostmaster(postmaster: Postmaster, paths: HomePaths, limits = STOP_LIMITS): Promise<void> {
  const endedWithin = async (millis: number) => {
    const timer = new AbortController()
    const late = sleep(millis, 'late' as const, { signal: timer.signal }).catch(() => 'late' as const)
    const outcome = await Promise.race([postmaster.ended.then(() => 'ended' as const), late])
    timer.abort()
    return outcome
  }
  let outcome = await endedWithin(0)
  for (const [signal, millis] of [
    ['SIGINT', limits.fastMillis],
    ['SIGQUIT', limits.immediateMillis],
    ['SIGKILL', limits.killMillis],
  ] as const) {
    if (outcome === 'ended') break
    // Never to a pid that was reaped, which may be another program's by now: `ended` shows that it is still our child.
    sendSignal(postmaster.pid, signal)
    outcome = await endedWithin(millis)
  }
  await endProcessesIn(paths.data, postmaster.pid, limits)
}
