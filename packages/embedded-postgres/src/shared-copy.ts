import { randomUUID } from 'node:crypto'
import { constants, rmSync } from 'node:fs'
import { chmod, copyFile, lstat, mkdir, mkdtemp, readdir, readlink, rename, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { errorCode } from './errors.ts'

/** The installed npm package with the programs of this platform. */
export interface NativePackage {
  name: string
  version: string
  /** Its folder with `bin`, `lib` and `share`. */
  native: string
}

// A directory of its own, which every user may read: never the home of a service.
const SHARED_PLACE = '/var/lib/embedded-postgres'
/** An unfinished copy younger than this may still be written by another process. */
const PARTIAL_LIFETIME_MILLIS = 3_600_000

/**
 * A copy of the programs that every user may run and only root may change; made once per version, 60 MB.
 *
 * An attacker must not be able to plant a program that we then start on our data: a copy is used only if all of it
 * belongs to root, is writable by root alone, and has the size of the original (a power cut leaves empty files).
 */
export async function sharedCopy(source: NativePackage, place = SHARED_PLACE): Promise<string> {
  try {
    await makeOpenDirectory(place)
    if (!(await belongsToRoot(place)) || !(await belongsToRoot(dirname(place)))) return await temporaryCopy(source)
    const names = copyNames(join(place, `postgres-${source.version}-${process.arch}`))
    const existing = await firstGoodCopy(source.native, names)
    if (existing !== undefined) return existing
    await removeOldPartials(place)
    return (await publishCopy(source.native, names)) ?? (await temporaryCopy(source))
  } catch (error) {
    // The place is read-only, full or missing: any other place that can be written is good enough.
    if (errorCode(error) !== undefined) return temporaryCopy(source)
    throw error
  }
}

/**
 * Independent of the umask: other users must be able to enter. Only for a directory that root owns, not through a link.
 */
async function makeOpenDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
  if (await belongsToRoot(directory)) await chmod(directory, 0o755)
}

// A damaged copy is skipped, never replaced: between our check and its removal, another process may have put a good
// copy there and started it.
const copyNames = (base: string) => [base, `${base}.1`, `${base}.2`, `${base}.3`]

async function firstGoodCopy(native: string, names: string[]): Promise<string | undefined> {
  for (const name of names) if (await isGoodCopy(native, name)) return name
  return undefined
}

/**
 * Copies under a temporary name, then takes the first free name in one step. A good copy of another process is used
 * too.
 */
async function publishCopy(native: string, names: string[]): Promise<string | undefined> {
  const partial = `${names[0]}.partial-${randomUUID()}`
  try {
    await copyTree(native, partial)
    for (const name of names) {
      try {
        await rename(partial, name)
        return name
      } catch (error) {
        if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error
        if (await isGoodCopy(native, name)) return name
      }
    }
    return undefined
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

/** Processes that were killed while copying leave unfinished copies behind. */
async function removeOldPartials(place: string): Promise<void> {
  for (const entry of await readdir(place)) {
    if (!entry.includes('.partial-')) continue
    const { mtimeMs } = await lstat(join(place, entry))
    if (Date.now() - mtimeMs > PARTIAL_LIFETIME_MILLIS) await rm(join(place, entry), { recursive: true, force: true })
  }
}

const TEMPORARY_COPIES = new Map<string, Promise<string>>()

/** Where /var/lib is read-only: a fresh copy for this process, removed when it ends. */
function temporaryCopy(source: NativePackage): Promise<string> {
  const known = TEMPORARY_COPIES.get(source.native)
  if (known) return known
  const copy = makeTemporaryCopy(source.native)
  TEMPORARY_COPIES.set(source.native, copy)
  copy.catch(() => TEMPORARY_COPIES.delete(source.native))
  return copy
}

async function makeTemporaryCopy(native: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'embedded-postgres-'))
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
  const target = join(directory, 'native')
  await copyTree(native, target)
  await chmod(directory, 0o755)
  return target
}

/** True if root owns a directory and no other user may rename or replace its entries. */
async function belongsToRoot(directory: string): Promise<boolean> {
  const { uid, mode } = await lstat(directory)
  return uid === 0 && (mode & 0o170000) === constants.S_IFDIR && (mode & 0o022) === 0
}

/** Static libraries are for compilers only. */
const isNeeded = (name: string) => !name.endsWith('.a')

async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copyTree(source, target)
    else if (entry.isSymbolicLink()) await symlink(basename(await readlink(source)), target)
    else if (entry.isFile() && isNeeded(entry.name)) {
      await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
      await chmod(target, basename(from) === 'bin' ? 0o755 : 0o644)
    }
  }
  // Independent of the umask of the clone and of this process.
  await chmod(to, 0o755)
}

async function isGoodCopy(native: string, copy: string): Promise<boolean> {
  try {
    if (!(await belongsToRoot(copy))) return false
    for (const entry of await readdir(native, { withFileTypes: true })) {
      if (!isNeeded(entry.name)) continue
      const [original, copied] = [join(native, entry.name), join(copy, entry.name)]
      if (entry.isDirectory()) {
        if (!(await isGoodCopy(original, copied))) return false
      } else if (!(await isGoodFile(original, copied))) return false
    }
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}

async function isGoodFile(original: string, copied: string): Promise<boolean> {
  const [wanted, got] = [await lstat(original), await lstat(copied)]
  if (got.uid !== 0) return false
  if (got.isSymbolicLink()) return wanted.isSymbolicLink()
  return got.isFile() && got.size === wanted.size && (got.mode & 0o022) === 0
}
