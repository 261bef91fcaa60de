import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { EmbeddedPostgresError } from './errors.ts'
import type { HomePaths } from './paths.ts'
import { isAlive, postgresProcessesIn, sendSignal, waitUntil } from './processes.ts'

/** How long each step may take before the next, harder one. */
export interface Patience {
  readonly fastMs: number
  readonly immediateMs: number
  readonly killMs: number
}

/** Children of a dead postmaster end at once when idle; one that computes does not notice until it is told. */
const childrenNoticeMs = 1_000
const orphanPatience: Patience = { fastMs: 8_000, immediateMs: 4_000, killMs: 4_000 }

/** First line of postmaster.pid, or nothing. */
export async function readPostmasterPid(dataDirectory: string): Promise<number | undefined> {
  const text = await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number.parseInt(text, 10)
  return pid > 0 ? pid : undefined
}

/**
 * Ends what an earlier service that was killed left running in this home. Call only with the home lock held: then no
 * living service owns these processes.
 */
export async function clearLeftovers(paths: HomePaths, patience = orphanPatience): Promise<void> {
  await removeStagings(paths.root)
  const pid = await readPostmasterPid(paths.data)
  if (pid === undefined) return
  await endProcessesIn(paths.data, pid, patience)
  // A dead pid is left to PostgreSQL, which then also checks for shared memory still in use. One that lives but is no
  // PostgreSQL of ours (reused, or a zombie nobody reaps) would make it refuse to start.
  if (isAlive(pid)) await rm(join(paths.data, 'postmaster.pid'), { force: true })
}

/** Stops a postmaster gently, then harder; its children, if it is dead, get the time to notice. */
export async function endProcessesIn(directory: string, postmaster: number, patience: Patience): Promise<void> {
  const gone = async () => (await postgresProcessesIn(directory)).length === 0
  const signalAll = async (signal: NodeJS.Signals) => {
    for (const pid of await postgresProcessesIn(directory)) sendSignal(pid, signal)
  }
  if (await gone()) return
  const alive = (await postgresProcessesIn(directory)).includes(postmaster)
  if (alive) sendSignal(postmaster, 'SIGINT')
  if (await waitUntil(gone, alive ? patience.fastMs : childrenNoticeMs)) return
  await signalAll('SIGQUIT')
  if (await waitUntil(gone, patience.immediateMs)) return
  // Committed data is in the write-ahead log: the next start recovers it.
  await signalAll('SIGKILL')
  if (await waitUntil(gone, patience.killMs)) return
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
