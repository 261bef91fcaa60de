import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { remark } from 'remark'
import remarkValidateLinks from 'remark-validate-links'
import { engine, type Options } from 'unified-engine'
import { findUnknownFaults } from './cited-faults.ts'
import { decisionProblems } from './decisions.ts'
import { findUnproven } from './security-pages.ts'

// node scripts/check-docs.ts   prints what the documentation names that does not exist; exits with 1 if there is anything

const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', '.git', '.mintmark', 'coverage', 'test-results'])
/** Where a path in backticks may start; the second is how text about the server shortens paths. */
const BASES = ['', 'apps/server/src', 'apps/server']
const REPOSITORY_PATH = /^(?:apps|packages|docs|scripts|examples|bench|platform|http|db|sessions|\.ci)\/[\w./-]+$/
const MACHINE_PATH = /(?:^|[\s`"'(=])\/(?:work|root|Users|home|tmp|mnt)\/[^\s`]*/g
const REGISTRY_HOST = /\b(?:registry\.[a-z0-9-]+\.[a-z]+|[a-z0-9-]+\.jfrog\.io|npm\.pkg\.[a-z]+\.[a-z]+)\b/g

/** A page as read, and where. */
export interface Document {
  /** From the root, with `/`. */
  path: string
  text: string
}

/** Every Markdown file of the project. */
async function readDocuments(root: string, folder = ''): Promise<Document[]> {
  const found: Document[] = []
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) found.push(...(await readDocuments(root, path)))
    if (entry.isFile() && entry.name.endsWith('.md'))
      found.push({ path, text: await readFile(join(root, path), 'utf8') })
  }
  return found
}

/**
 * The problems, one line each: links, commands, paths and names that lead nowhere, lines too long to review, decisions whose state is
 * not said or listed or that are cited by another number, faults that code cites and no page describes, defences without a test, and text that
 * has no place in public.
 */
export async function findProblems(root: string): Promise<string[]> {
  const documents = await readDocuments(root)
  const scripts = await readScripts(root)
  const problems = documents.flatMap((document) =>
    [
      ...unknownScripts(document, scripts),
      ...missingPaths(root, document),
      ...movedNames(root, document),
      ...foreignText(document),
      ...longLines(document),
      ...otherDecisions(document),
    ].map((problem) => `${document.path}: ${problem}`),
  )
  const faults = documents.find(({ path }) => path === 'docs/faults.md')
  const unknown = faults === undefined ? [] : await findUnknownFaults(root, faults.text)
  return [
    ...(await brokenLinks(root, documents)),
    ...problems,
    ...decisionProblems(documents),
    ...unknown.map((problem) => `docs/faults.md: ${problem}`),
    ...(await findUnproven(root, documents)),
  ]
}

async function readScripts(root: string): Promise<ReadonlySet<string>> {
  const manifest: unknown = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const scripts: unknown = typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, 'scripts') : {}
  return new Set(Object.keys(scripts ?? {}))
}

/** Links to files that do not exist, and to headings that no page has. */
function brokenLinks(root: string, documents: readonly Document[]): Promise<string[]> {
  const options: Options = {
    processor: remark,
    plugins: [[remarkValidateLinks, { repository: false, root }]] as Options['plugins'],
    cwd: root,
    files: documents.map(({ path }) => path),
    // The report goes to the caller instead.
    streamError: new PassThrough(),
  }
  return new Promise((resolve, reject) => {
    engine(options, (error, _code, context) => {
      if (error) reject(error)
      else resolve(context?.files.flatMap(({ path, messages }) => messages.map((m) => `${path}: ${m.reason}`)) ?? [])
    })
  })
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

/** Each `name` (`folder/file.ts`) whose file declares, has as a member or hands on nothing of that name. */
function movedNames(root: string, { text }: Document): string[] {
  const named = [...withoutCode(text).matchAll(/`(\w+)`\s+\(`([\w.-]+\/[\w./-]+\.ts)`\)/g)]
  return named.flatMap(([, name = '', path = '']) => {
    const file = BASES.map((base) => join(root, base, path)).find((candidate) => existsSync(candidate))
    if (file === undefined) return REPOSITORY_PATH.test(path) ? [] : [`there is no ${path}`]
    const declared = new RegExp(
      `(?:function\\*?|const|class|interface|type) ${name}\\b|^ *(?:async )?${name}[(<:]|^export \\{[^}]*\\b${name}\\b`,
      'm',
    )
    return declared.test(readFileSync(file, 'utf8')) ? [] : [`${path} has no ${name}`]
  })
}

function foreignText({ text }: Document): string[] {
  const machine = [...text.matchAll(MACHINE_PATH)].map(([path]) => `${path.trim()} is a path of one machine`)
  const hosts = [...text.matchAll(REGISTRY_HOST)].map(([host]) => `${host} is the host of a registry`)
  return [...machine, ...hosts]
}

/** In written pages a longer line is a padded table, in which one edit changes every row. */
export const MAX_LINE_LENGTH = 160

function longLines({ path, text }: Document): string[] {
  if (!(path.startsWith('docs/') || path === 'SECURITY.md') || text.startsWith('<!-- Generated')) return []
  return text.split('\n').flatMap((line, at) => {
    const { length } = [...line]
    return length > MAX_LINE_LENGTH ? [`line ${at + 1} has ${length} characters, more than ${MAX_LINE_LENGTH}`] : []
  })
}

/** Links by the number of one decision to another one. */
function otherDecisions({ text }: Document): string[] {
  const links = text.matchAll(/\[(\d{4})\]\((?:[^()\s]*\/)?((\d{4})-[\w-]+\.md)/g)
  return [...links].flatMap(([, said, file, number]) => (said === number ? [] : [`${said} leads to ${file}`]))
}

if (import.meta.main) {
  const problems = await findProblems(join(import.meta.dirname, '..'))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
}
