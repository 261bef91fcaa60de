import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

// node scripts/check-docs.ts   says what the documentation names that does not exist; exits with 1 if there is anything

const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', '.git', '.mintmark', 'coverage', 'test-results'])
/** Where a path in backticks may start; the second is how text about the server shortens paths. */
const BASES = ['', 'apps/server/src', 'apps/server']
const REPOSITORY_PATH = /^(?:apps|packages|docs|scripts|examples|bench|platform|http|db|sessions|\.ci)\/[\w./-]+$/
const MACHINE_PATH = /(?:^|[\s`"'(=])\/(?:work|root|Users|home|tmp|mnt)\/[^\s`]*/g
const REGISTRY_HOST = /\b(?:registry\.[a-z0-9-]+\.[a-z]+|[a-z0-9-]+\.jfrog\.io|npm\.pkg\.[a-z]+\.[a-z]+)\b/g

/** A page as read, and where. */
export interface Document {
  /** From the root, with `/`. */
  readonly path: string
  readonly text: string
}

/** Every Markdown file that is not somebody else's. */
export async function readDocuments(root: string, folder = ''): Promise<Document[]> {
  const found: Document[] = []
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) found.push(...(await readDocuments(root, path)))
    if (entry.isFile() && entry.name.endsWith('.md'))
      found.push({ path, text: await readFile(join(root, path), 'utf8') })
  }
  return found
}

/** What is wrong, one line each: links, commands and paths that lead nowhere, and what has no place in public text. */
export async function findProblems(root: string): Promise<string[]> {
  const documents = await readDocuments(root)
  const scripts = await readScripts(root)
  return documents.flatMap((document) =>
    [
      ...brokenLinks(root, document, documents),
      ...unknownScripts(document, scripts),
      ...missingPaths(root, document),
      ...foreignText(document),
    ].map((problem) => `${document.path}: ${problem}`),
  )
}

async function readScripts(root: string): Promise<ReadonlySet<string>> {
  const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const scripts: unknown = typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, 'scripts') : {}
  return new Set(Object.keys(scripts ?? {}))
}

function brokenLinks(root: string, { path, text }: Document, documents: readonly Document[]): string[] {
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  return links
    .filter((target) => !/^[a-z]+:/.test(target))
    .flatMap((target) => {
      const [file = '', anchor] = target.split('#')
      const full = file === '' ? path : relative(root, join(root, dirname(path), file))
      if (!existsSync(join(root, full))) return [`the link ${target} leads nowhere`]
      const page = documents.find((document) => document.path === full)
      if (anchor === undefined || page === undefined || anchorsOf(page.text).has(anchor)) return []
      return [`the link ${target} names no heading`]
    })
}

/** Headings as GitHub makes anchors of them; repeated ones are not told apart. */
function anchorsOf(text: string): Set<string> {
  const headings = [...withoutCode(text).matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = '']) => heading)
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gm, '')
}

function unknownScripts({ text }: Document, scripts: ReadonlySet<string>): string[] {
  const named = [...text.matchAll(/npm (?:run(?: -s)? ([\w:-]+)|(start|test)\b)/g)].map(
    ([, script, short]) => script ?? short ?? '',
  )
  return [...new Set(named)]
    .filter((name) => !scripts.has(name))
    .map((name) => `there is no script "${name}" in package.json`)
}

function missingPaths(root: string, { text }: Document): string[] {
  const quoted = [...withoutCode(text).matchAll(/`([^`\n]+)`/g)].map(([, inside = '']) => inside)
  const commands = [...text.matchAll(/node (scripts\/[\w./-]+)|vitest run ([\w./-]+)/g)].map(
    ([, script, test]) => script ?? test ?? '',
  )
  const paths = [...quoted, ...commands].filter((inside) => REPOSITORY_PATH.test(inside) && !/NNNN/.test(inside))
  return [...new Set(paths)]
    .filter((path) => !BASES.some((base) => existsSync(join(root, base, path))))
    .map((path) => `there is no ${path}`)
}

function foreignText({ text }: Document): string[] {
  const machine = [...text.matchAll(MACHINE_PATH)].map(([path]) => `${path.trim()} is a path of one machine`)
  const hosts = [...text.matchAll(REGISTRY_HOST)].map(([host]) => `${host} is the host of a registry`)
  return [...machine, ...hosts]
}

if (import.meta.main) {
  const problems = await findProblems(join(import.meta.dirname, '..'))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}
