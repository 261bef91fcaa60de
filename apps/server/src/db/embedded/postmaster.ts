import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, asAccount } from './account.ts'
import { cleanEnvironment } from './binaries.ts'
import { dataArgument } from './cluster.ts'
import { EmbeddedPostgresError } from './errors.ts'
import { endProcessesIn, type Patience } from './leftovers.ts'
import type { HomePaths } from './paths.ts'
import { sendSignal } from './processes.ts'
import { openServerLog } from './server-log.ts'

/** What to start. */
export interface Launch {
  readonly bin: string
  readonly paths: HomePaths
  readonly account: Account | undefined
  /** `-c` arguments. */
  readonly settings: readonly string[]
  readonly log: ((line: string) => void) | undefined
}

/** A PostgreSQL server that is our child. */
export interface Postmaster {
  readonly pid: number
  /** Resolves, with how it ended, once the process is reaped. */
  readonly ended: Promise<string>
  /** The last fatal line of this run's log. */
  lastFatal(): Promise<string | undefined>
}

const readyTimeoutMs = 300_000
// A fast shutdown writes a checkpoint; the harder steps lose nothing either, the next start recovers.
const stopPatience: Patience = { fastMs: 20_000, immediateMs: 5_000, killMs: 5_000 }

/** Starts the server; it accepts no connection yet. */
export async function launchPostmaster(launch: Launch): Promise<Postmaster> {
  const { paths, account, log } = launch
  const args = ['-D', await dataArgument(paths.data, account), ...launch.settings]
  const output = await openServerLog(paths.log, log)
  try {
    const child = spawn(join(launch.bin, 'postgres'), args, {
      cwd: paths.data,
      env: cleanEnvironment,
      stdio: ['ignore', 'ignore', output.stdio],
      // An own process group: a Ctrl-C in the terminal must reach the service, which still drains its work, and not the
      // database below it.
      detached: true,
      ...asAccount(account),
    })
    output.attach(child.stderr)
    return await watchChild(child, output.lastFatal)
  } finally {
    await output.close()
  }
}

async function watchChild(child: ChildProcess, lastFatal: Postmaster['lastFatal']): Promise<Postmaster> {
  // A process.exit() that forgot to stop us must leave no server behind; SIGKILL is for the next start to heal.
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

/** Waits until the server accepts connections, crash recovery included. */
export async function waitUntilReady(postmaster: Postmaster, paths: HomePaths): Promise<void> {
  let end: string | undefined
  postmaster.ended.then((how) => {
    end = how
  })
  const deadline = performance.now() + readyTimeoutMs
  while (!(await isReady(paths.data, postmaster.pid))) {
    if (end !== undefined) {
      const reason = (await postmaster.lastFatal()) ?? end
      throw new EmbeddedPostgresError(
        `PostgreSQL in ${paths.data} did not start (${reason}): see ${paths.log}, mend that, and start again.`,
      )
    }
    if (performance.now() > deadline) {
      throw new EmbeddedPostgresError(
        `PostgreSQL in ${paths.data} is not ready after ${readyTimeoutMs / 1000} s: see ${paths.log}, and start again.`,
      )
    }
    await sleep(5)
  }
}

/** The server keeps its state in line 8 of postmaster.pid; reading it is quicker than failing to connect. */
async function isReady(dataDirectory: string, pid: number): Promise<boolean> {
  const lines = (await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready'
}

/** Stops the server and waits until it and all its children are gone; also after it died by itself. */
export async function stopPostmaster(postmaster: Postmaster, paths: HomePaths, patience = stopPatience): Promise<void> {
  const timeout = async (ms: number) => {
    const timer = new AbortController()
    const late = sleep(ms, 'late' as const, { signal: timer.signal }).catch(() => 'late' as const)
    const outcome = await Promise.race([postmaster.ended.then(() => 'ended' as const), late])
    timer.abort()
    return outcome
  }
  let outcome = await timeout(0)
  for (const [signal, ms] of [
    ['SIGINT', patience.fastMs],
    ['SIGQUIT', patience.immediateMs],
    ['SIGKILL', patience.killMs],
  ] as const) {
    if (outcome === 'ended') break
    // Never by a bare pid after it was reaped: `ended` says it is still ours.
    sendSignal(postmaster.pid, signal)
    outcome = await timeout(ms)
  }
  await endProcessesIn(paths.data, postmaster.pid, patience)
}
