import { execFile } from 'node:child_process'
import { readdir, readlink, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { errorCode } from './errors.ts'

/** True while a process with this id exists, of any user (a zombie counts). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

/** Sends a signal. A process that is already gone is no error. A negative id means the process group. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error
  }
}

/** Polls until `check` holds; false when `timeoutMillis` passed first. */
export async function waitUntil(check: () => Promise<boolean>, timeoutMillis: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMillis
  while (!(await check())) {
    if (performance.now() > deadline) return false
    await sleep(20)
  }
  return true
}

/**
 * Ids of the PostgreSQL programs (postmaster, its children, initdb) that run in this directory.
 *
 * A pid from a file proves nothing, because ids are reused. Each of these programs keeps the data directory as its
 * working directory, so the kernel can be asked. On systems other than Linux only the postmaster is found, by its
 * command line.
 */
export async function postgresProcessesIn(directory: string): Promise<number[]> {
  return process.platform === 'linux' ? scanProc(directory) : scanPs(directory)
}

async function scanProc(directory: string): Promise<number[]> {
  const wanted = await stat(directory, { bigint: true })
  const found: number[] = []
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      // Through the kernel's own link, by inode: this works for renamed homes and needs no permission on parent
      // folders.
      const cwd = await stat(`/proc/${entry}/cwd`, { bigint: true })
      if (cwd.ino !== wanted.ino || cwd.dev !== wanted.dev) continue
      const program = basename(await readlink(`/proc/${entry}/exe`)).replace(/ \(deleted\)$/, '')
      if (program === 'postgres' || program === 'initdb') found.push(Number(entry))
    } catch {
      // It ended in the meantime, is a zombie, or belongs to another user, so we did not start it.
    }
  }
  return found
}

async function scanPs(directory: string): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axww', '-o', 'pid=,command='], { maxBuffer: 64 << 20 })
  return stdout
    .split('\n')
    .filter((line) => line.includes('/bin/postgres ') && line.includes(` -D ${directory} `))
    .map((line) => Number.parseInt(line, 10))
}
