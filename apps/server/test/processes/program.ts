import { execFile } from 'node:child_process'
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { postgresProcessesIn, sendSignal } from '@mintmark/embedded-postgres/processes'
import { fastDirectory } from '@mintmark/embedded-postgres/testing/fast-directory'
import type { DevFile } from '../../src/commands/dev-file.ts'
import { onceARun } from '../once-a-run.ts'
import { type Answer, call, jsonRequest } from '../service.ts'
import * as spawned from './spawn.ts'

export { freePorts, type Program } from './spawn.ts'

// A start of the sources takes a processor twice as long as a start of the files that `build.ts` makes of them, once a
// run. `spawn.ts` and `bin/mintmark` start the sources: they show what is loaded, and how the service is started.

const BUILD = join(import.meta.dirname, 'build.ts')
/** One thread, and memory that is kept until the end: more take the system three times as long. */
const FRUGAL = { RAYON_NUM_THREADS: '1', TOKIO_WORKER_THREADS: '1', MIMALLOC_PURGE_DELAY: '-1' }
const execute = promisify(execFile)
let main: string | undefined

const directories = new Set<string>()

/** Ends every program that a test left running, and removes the homes that were made; `after-file.ts` calls it. */
export async function endPrograms(): Promise<void> {
  spawned.killAll()
  for (const directory of directories) {
    for (const pid of await databaseProcesses(join(directory, 'home'))) sendSignal(pid, 'SIGKILL')
    await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
  directories.clear()
}

type Settings = Parameters<typeof spawned.startProgram>[1]

/** The service in a process of its own. It has a home, and whoever made that has built it (`temporaryHome`). */
export const startProgram = (words: string[], settings: Settings): spawned.Program =>
  spawned.startProgram(words, { main, ...settings })

/** Runs an admin verb or `migrate` to its end. */
export const runProgram = (words: string[], settings: Settings): ReturnType<typeof spawned.runProgram> =>
  spawned.runProgram(words, { main, ...settings })

/** A path for a home, not made yet, in a directory that only we may enter. */
export async function temporaryHome(): Promise<string> {
  main ??= join(await onceARun('program', build), 'main.js')
  const directory = await realpath(await mkdtemp(join(fastDirectory(), 'mintmark-process-')))
  directories.add(directory)
  return join(directory, 'home')
}

/**
 * A home with an empty migrated database in it and a root key, as `migrate` leaves it, and with no process. Making a
 * database is most of a first start: it is made once a run, and copied.
 */
export async function preparedHome(): Promise<string> {
  const home = await temporaryHome()
  const prepared = await onceARun('home', async (path) => {
    const { code, output } = await runProgram(['migrate'], { home: path })
    if (code !== 0) throw new Error(`There is no home to copy:\n${output}`)
  })
  // With owners and modes, on which a start insists.
  await execute('cp', ['-a', prepared, home])
  return home
}

async function build(folder: string): Promise<void> {
  await execute(process.execPath, [BUILD, folder], { env: { ...process.env, ...FRUGAL } })
}

/** PostgreSQL's processes in a home, the server itself first. */
export async function databaseProcesses(home: string): Promise<number[]> {
  const data = join(home, 'postgres', 'data')
  const pids = await postgresProcessesIn(data).catch(() => [])
  const first = Number.parseInt(await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => ''), 10)
  return pids.sort((a, b) => Number(b === first) - Number(a === first))
}

/** The first of the database's processes, which ends the others with itself. */
export async function postmasterOf(home: string): Promise<number> {
  const [postmaster] = await databaseProcesses(home)
  // To a signal, the number of no process is our own whole group.
  if (postmaster === undefined) throw new Error(`No database of ${home} is running.`)
  return postmaster
}

/** Calls under a secret key. */
export interface Caller {
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
}

export function callerOf(apiUrl: string, secretKey: string): Caller {
  const authorization = `Bearer ${secretKey}`
  return {
    get: (path) => call(apiUrl + path, { headers: { authorization } }),
    post: (path, body) => call(apiUrl + path, jsonRequest(authorization, body)),
  }
}

export async function readDevFile(home: string): Promise<DevFile> {
  return JSON.parse(await readFile(join(home, 'dev.json'), 'utf8')) as DevFile
}

/** Polls until `look` returns something; a generous bound, for a machine that is busy. */
export async function eventually<T>(look: () => Promise<T | undefined>, withinMillis = 20_000): Promise<T> {
  const deadline = performance.now() + withinMillis
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`It did not happen within ${withinMillis} ms.`)
    await delay(50)
  }
}

/** A measurement for the reader of the run; nothing is asserted of it. */
export function note(text: string): void {
  process.stdout.write(`${text}\n`)
}
