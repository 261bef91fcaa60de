import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import type { Account } from './account.ts'

/** Where the system's lists are; other files in tests. */
export interface SystemFiles {
  passwd: string
  group: string
  proc: string
}

export const SYSTEM_FILES: SystemFiles = { passwd: '/etc/passwd', group: '/etc/group', proc: '/proc' }

/** Set aside for services that get a user id at run time (systemd's `DynamicUser`), so no person has one of them. */
const FIRST_ID = 61_184
const LAST_ID = 65_519
const MAX_TRIES = 64

/**
 * A user id of its own for a data directory, which no account has and no process runs as. A process of the same user id
 * could reach the working directory of PostgreSQL, and with it the data; many services share `nobody`.
 * `creator` makes the data directory, because initdb wants an id with a name: an account of the system that cannot log in
 * and has no process. Undefined where the system has nothing to give.
 */
export async function unusedAccount(
  dataDirectory: string,
  files: SystemFiles = SYSTEM_FILES,
): Promise<(Account & { creator: Account }) | undefined> {
  if (process.platform !== 'linux') return undefined
  try {
    const passwd = entriesOf(await readFile(files.passwd, 'utf8'))
    const groups = entriesOf(await readFile(files.group, 'utf8'))
    const taken = new Set([...passwd.map(([, , uid]) => Number(uid)), ...groups.map(([, , gid]) => Number(gid))])
    const running = await runningIds(files.proc)
    const creator = passwd.find((entry) => isIdle(entry, running))
    const id = await firstFreeId(
      dataDirectory,
      files.proc,
      (candidate) => taken.has(candidate) || running.has(candidate),
    )
    if (creator === undefined || id === undefined) return undefined
    return { uid: id, gid: id, creator: { uid: Number(creator[2]), gid: Number(creator[3]) } }
  } catch {
    // A system that keeps these lists elsewhere, or closed.
    return undefined
  }
}

function entriesOf(text: string): string[][] {
  return text
    .split('\n')
    .map((line) => line.split(':'))
    .filter(({ length }) => length >= 4)
}

function isIdle([name, , uid, , , , shell = '']: string[], running: ReadonlySet<number>): boolean {
  const id = Number(uid)
  const isOfSystem = Number.isInteger(id) && id > 0 && id < 1000 && name !== 'nobody'
  return isOfSystem && /\/(?:nologin|false)$/.test(shell) && !running.has(id)
}

/** The user ids that some process has. */
async function runningIds(proc: string): Promise<Set<number>> {
  const ids = new Set<number>()
  for (const entry of await readdir(proc)) {
    if (!/^\d+$/.test(entry)) continue
    const found = await stat(`${proc}/${entry}`).catch(() => undefined)
    if (found !== undefined) ids.add(found.uid)
  }
  return ids
}

/** Begins at a place that differs between homes, so that two of them seldom meet. */
async function firstFreeId(
  dataDirectory: string,
  proc: string,
  isTaken: (id: number) => boolean,
): Promise<number | undefined> {
  const span = LAST_ID - FIRST_ID + 1
  const start = createHash('sha256').update(dataDirectory).digest().readUInt32BE(0) % span
  const [users, groups] = await Promise.all([mappedIds(`${proc}/self/uid_map`), mappedIds(`${proc}/self/gid_map`)])
  for (let step = 0; step < MAX_TRIES; step += 1) {
    const id = FIRST_ID + ((start + step) % span)
    if (!isTaken(id) && users(id) && groups(id)) return id
  }
  return undefined
}

/** In a container's user namespace not every id exists. */
async function mappedIds(file: string): Promise<(id: number) => boolean> {
  const ranges = (await readFile(file, 'utf8')).trim().split('\n')
  const parsed = ranges.map((line) => line.trim().split(/\s+/).map(Number))
  return (id) => parsed.some(([first = 0, , count = 0]) => id >= first && id < first + count)
}
