import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { postgresProcessesIn, sendSignal } from '@mintmark/embedded-postgres/processes'
import type { DevFile } from '../../src/commands/dev-file.ts'
import { type Answer, call, jsonRequest } from '../service.ts'
import { killAll, runProgram } from './spawn.ts'

export { freePort, freePorts, type Program, runProgram, startProgram } from './spawn.ts'

const directories = new Set<string>()

/** Ends every program that a test left running, and removes the homes that were made; `after-file.ts` calls it. */
export async function endPrograms(): Promise<void> {
  killAll()
  for (const directory of directories) {
    for (const pid of await databaseProcesses(join(directory, 'home'))) sendSignal(pid, 'SIGKILL')
    await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
  directories.clear()
}

/** A path for a home, not made yet, in a directory that only we may enter. */
export async function temporaryHome(): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'mintmark-process-')))
  directories.add(directory)
  return join(directory, 'home')
}

/**
 * A home with an empty migrated database in it and a root key, as `migrate` leaves it, and with no process. Making a database is most of a
 * first start: it is made once for all files of a worker, and copied.
 */
export async function preparedHome(): Promise<string> {
  template ??= makeTemplate()
  const home = await temporaryHome()
  // With owners and modes, on which a start insists.
  await promisify(execFile)('cp', ['-a', await template, home])
  return home
}

let template: Promise<string> | undefined

async function makeTemplate(): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'mintmark-process-')))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const home = join(directory, 'home')
  const { code, output } = await runProgram(['migrate'], { home })
  if (code !== 0) throw new Error(`There is no home to copy:\n${output}`)
  return home
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
  // Number 0 is no process: a signal to it goes to our own whole group.
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

/** For what never comes. What comes late comes: a busy machine is no fault. */
const EVENTUALLY_MILLIS = 240_000

/** Polls until `look` returns something. */
export async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + EVENTUALLY_MILLIS
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`It did not happen within ${EVENTUALLY_MILLIS} ms.`)
    await delay(50)
  }
}

/** A measurement for the reader of the run; nothing is asserted of it. */
export function note(text: string): void {
  process.stdout.write(`${text}\n`)
}
