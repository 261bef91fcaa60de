import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { EmbeddedPostgresError } from './errors.ts'
import type { HomePaths } from './paths.ts'
import { isAlive, postgresProcessesIn, sendSignal, waitUntil } from './processes.ts'

/** How long each kind of shutdown may take before the next, harder one. */
export interface ShutdownLimits {
  fastMillis: number
  immediateMillis: number
  killMillis: number
}

/** Idle children of a dead postmaster end immediately; one that computes does not notice until it gets a signal. */
const CHILDREN_NOTICE_MILLIS = 1_000
const ORPHAN_LIMITS: ShutdownLimits = { fastMillis: 8_000, immediateMillis: 4_000, killMillis: 4_000 }

/** The pid in the first line of postmaster.pid, if there is one. */
async function readPostmasterPid(dataDirectory: string): Promise<number | undefined> {
  const text = await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number.parseInt(text, 10)
  return pid > 0 ? pid : undefined
}

/**
 * Ends the processes that an earlier, killed owner left running in this home. Call only with the home lock held: then
 * no living process owns them.
 */
export async function clearLeftovers(paths: HomePaths, limits = ORPHAN_LIMITS): Promise<void> {
  await removeStagings(paths.root)
  const pid = await readPostmasterPid(paths.data)
  if (pid === undefined) return removeUnreadablePidFile(paths.data)
  await endProcessesIn(paths.data, pid, limits)
  // A dead pid is left to PostgreSQL, which then also checks for shared memory still in use. A living pid that is not
  // our PostgreSQL (reused, or a zombie that its parent does not reap) would make it refuse to start.
  if (isAlive(pid)) await rm(join(paths.data, 'postmaster.pid'), { force: true })
}

/** PostgreSQL would refuse it, also the next time. A file without a pid says nothing of a process; the kernel does. */
async function removeUnreadablePidFile(dataDirectory: string): Promise<void> {
  const file = join(dataDirectory, 'postmaster.pid')
  if ((await readFile(file).catch(() => undefined)) === undefined) return
  const running = await postgresProcessesIn(dataDirectory).catch(() => [])
  if (running.length === 0) await rm(file, { force: true })
}

/** Stops a postmaster gently, then harder. If it is dead, its children first get the time to notice. */
export async function endProcessesIn(directory: string, postmaster: number, limits: ShutdownLimits): Promise<void> {
  const gone = async () => (await postgresProcessesIn(directory)).length === 0
  const signalAll = async (signal: NodeJS.Signals) => {
    for (const pid of await postgresProcessesIn(directory)) sendSignal(pid, signal)
  }
  if (await gone()) return
  const alive = (await postgresProcessesIn(directory)).includes(postmaster)
  if (alive) sendSignal(postmaster, 'SIGINT')
  if (await waitUntil(gone, alive ? limits.fastMillis : CHILDREN_NOTICE_MILLIS)) return
  await signalAll('SIGQUIT')
  if (await waitUntil(gone, limits.immediateMillis)) return
  // Committed data is in the write-ahead log: the next start recovers it.
  await signalAll('SIGKILL')
  if (await waitUntil(gone, limits.killMillis)) return
  const pids = (await postgresProcessesIn(directory)).join(', ')
  throw new EmbeddedPostgresError(
    `An earlier PostgreSQL still runs in ${directory} (pid ${pids}): end it, then start again.`,
  )
}

/** An interrupted first start leaves its staging directory, and perhaps an initdb that still runs in it. */
async function removeStagings(root: string): Promise<void> {
  for (const entry of await readdir(root)) {
    if (!entry.startsWith('init-')) continue
    const data = join(root, entry, 'data')
    for (const pid of await postgresProcessesIn(data).catch(() => [])) sendSignal(pid, 'SIGKILL')
    await rm(join(root, entry), { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }
}
