import { mkdir } from 'node:fs/promises'
import type { Config } from '../config.ts'

/**
 * Production keeps nothing in one: it runs on a database and a root key that are elsewhere, perhaps where it may write
 * nothing.
 */
export function hasHome({ environment }: Pick<Config, 'environment'>): boolean {
  return environment === 'sandbox'
}

/** Makes the home, which only its owner may enter. What stands in the way is said in words. */
export async function makeHome(home: string): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
    throw explainHomeError(home, cause)
  })
}

export function explainHomeError(home: string, cause: unknown): Error {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'it failed'
  return new Error(`MINTMARK_HOME ${home} cannot be used: ${REASONS[code] ?? code}.`, { cause })
}

const NOT_WRITABLE = 'this user may not make a directory there. Make it writable, or set another MINTMARK_HOME'

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file. Set MINTMARK_HOME to a directory',
  ENOTDIR: 'a part of its path is a file. Set MINTMARK_HOME to a directory',
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
  // Below a read-only file system a recursive mkdir reports what it could not find.
  ENOENT: NOT_WRITABLE,
  EROFS: 'the file system is read-only. Set another MINTMARK_HOME',
  ENOSPC: 'the disk is full. Free some disk space',
}
