import { existsSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, realpath, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fastDirectory } from '@mintmark/embedded-postgres/testing/fast-directory'

// What many test files use and none changes is made once a run, by the first that asks.

/** Names the directory to the processes of a run, which inherit it. Runs that are given the same one share it. */
const VARIABLE = 'TEST_RUN_DIRECTORY'
const NAME = /^mintmark-made-(\d+)-\w{6}$/

/** Makes the directory of a run, and removes those of runs that were killed. Returns what removes it. */
export async function openRunDirectory(isAlive: (pid: number) => boolean): Promise<() => void> {
  if (process.env[VARIABLE] !== undefined) return () => undefined
  for (const name of await readdir(fastDirectory())) {
    const pid = Number(NAME.exec(name)?.[1] ?? Number.NaN)
    if (Number.isNaN(pid) || isAlive(pid)) continue
    // Another user's stays: it costs only space.
    await rm(join(fastDirectory(), name), { recursive: true, force: true }).catch(() => undefined)
  }
  const directory = await realpath(await mkdtemp(join(fastDirectory(), `mintmark-made-${process.pid}-`)))
  process.env[VARIABLE] = directory
  const remove = () => rmSync(directory, { recursive: true, force: true })
  process.once('exit', remove)
  return () => {
    process.off('exit', remove)
    remove()
  }
}

/**
 * The path of what `make` makes at the path that it is given. When processes ask at the same time, one makes it and
 * the others wait; where it fails, the next one tries.
 */
export async function onceARun(name: string, make: (path: string) => Promise<void>): Promise<string> {
  const directory = process.env[VARIABLE]
  if (directory === undefined) throw new Error(`${VARIABLE} is set by the global setup of the tests.`)
  const path = join(directory, name)
  const [begun, lock] = [`${path}.new`, `${path}.lock`]
  while (!existsSync(path)) {
    if (!(await isFirst(lock))) {
      await delay(50)
      continue
    }
    try {
      // Another one may have made it between the two questions.
      if (existsSync(path)) break
      await rm(begun, { recursive: true, force: true })
      await make(begun)
      await rename(begun, path)
    } finally {
      await rmdir(lock)
    }
  }
  return path
}

/** One process can make a directory: the system decides. */
async function isFirst(lock: string): Promise<boolean> {
  try {
    await mkdir(lock)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}
