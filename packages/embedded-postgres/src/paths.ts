import { chmod, mkdir, open, realpath, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Account } from './account.ts'
import { errorCode } from './errors.ts'

/** The paths inside a home. */
export interface HomePaths {
  home: string
  /** Contains everything below. */
  root: string
  data: string
  password: string
  log: string
  sockets: string
  /** The server's configuration, which the account it runs as only reads. */
  config: string
  /** A file with the name of the directory that really holds the socket. */
  socketName: string
}

/**
 * Creates the home if it is missing, and returns its paths, without symbolic links: locks and sockets are compared by
 * path.
 */
export async function openHome(directory: string): Promise<HomePaths> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  return pathsOf(await realpath(directory))
}

export function pathsOf(home: string): HomePaths {
  const root = join(home, 'postgres')
  return {
    home,
    root,
    data: join(root, 'data'),
    password: join(root, 'password'),
    log: join(root, 'postgres.log'),
    sockets: join(root, 'run'),
    config: join(root, 'config'),
    socketName: join(root, 'socket'),
  }
}

/** Creates `home/postgres`. The account must be able to go through it from `data` to `run`, but not to list it. */
export async function makeRoot(paths: HomePaths, account: Account | undefined): Promise<void> {
  await mkdir(paths.root, { recursive: true })
  await chmod(paths.root, account ? 0o711 : 0o700)
}

/** A copy may have lost the modes of directories; PostgreSQL refuses a data directory that others can enter. */
export async function closeDataDirectory({ data }: HomePaths): Promise<void> {
  await chmod(data, 0o700).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error
  })
}

/** Replaces a file in one step. The text is on disk when this returns. */
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
