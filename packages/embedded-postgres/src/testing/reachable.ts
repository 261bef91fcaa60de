import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { type Account, closedDirectory } from '../account.ts'

const PACKAGE = join(import.meta.dirname, '..', '..')
const CHECKOUT = join(PACKAGE, '..', '..')
const SCRIPT = join(import.meta.dirname, 'service.ts')

interface ServiceProgram {
  node: string
  script: string
}

/** The service of these tests, as whoever runs the tests starts it. */
export const OWN_PROGRAM: ServiceProgram = { node: process.execPath, script: SCRIPT }

/**
 * The same where this user can start it. A checkout of root's often lies where no other user may enter: then Node, the sources
 * and what they import are linked into a directory that is open to all, which the caller removes.
 */
export async function reachableProgram(user: Account): Promise<ServiceProgram & { directory?: string }> {
  if ((await closedDirectory(dirname(SCRIPT), user)) === undefined) return OWN_PROGRAM
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'embedded-postgres-program-')))
  await chmod(directory, 0o755)
  const root = await realpath(CHECKOUT)
  const packages = [...(await dependenciesOf(PACKAGE)), 'node'].map((name) => join('node_modules', name))
  for (const path of [...packages, relative(CHECKOUT, PACKAGE)]) await link(join(root, path), join(directory, path))
  const moved = (path: string) => join(directory, relative(root, path))
  const node = await realpath(process.execPath)
  return { directory, script: moved(await realpath(SCRIPT)), node: node.startsWith(`${root}/`) ? moved(node) : node }
}

/** Names of all packages that this one loads, directly or not; only the installed one of its platforms. */
async function dependenciesOf(path: string, known = new Set<string>()): Promise<Set<string>> {
  const text = await readFile(join(path, 'package.json'), 'utf8').catch(() => null)
  if (text === null) return known
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(text) as Record<string, object | undefined>
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const place = join(CHECKOUT, 'node_modules', name)
    if (known.has(name) || (await readFile(join(place, 'package.json')).catch(() => null)) === null) continue
    await dependenciesOf(place, known.add(name))
  }
  return known
}

/** Linked where that is possible, as copies of a hundred megabytes take their time; else copied. */
async function link(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  const copy = (how: string) => promisify(execFile)('cp', [how, from, to])
  await copy('-al').catch(() => copy('-a'))
}
