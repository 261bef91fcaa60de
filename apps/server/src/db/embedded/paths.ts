import { chmod, mkdir, open, realpath, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Account } from './account.ts'

/** Where things lie in a home. */
export interface HomePaths {
  readonly home: string
  /** Holds all below. */
  readonly root: string
  readonly data: string
  readonly password: string
  readonly log: string
  readonly sockets: string
  /** Names the directory the socket is really in. */
  readonly socketName: string
}

/** Makes the home if need be, and names what is in it. The path is real: locks and sockets are compared by it. */
export async function openHome(directory: string): Promise<HomePaths> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const home = await realpath(directory)
  const root = join(home, 'postgres')
  return {
    home,
    root,
    data: join(root, 'data'),
    password: join(root, 'password'),
    log: join(root, 'postgres.log'),
    sockets: join(root, 'run'),
    socketName: join(root, 'socket'),
  }
}

/** Makes `home/postgres`. The account must pass through it on its way from `data` to `run`, but not list it. */
export async function makeRoot(paths: HomePaths, account: Account | undefined): Promise<void> {
  await mkdir(paths.root, { recursive: true })
  await chmod(paths.root, account ? 0o711 : 0o700)
}

/** Replaces a file in one step, on disk when this returns. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`
  await rm(temporary, { force: true })
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
}

/** Makes renames inside a directory survive a power cut. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
