import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const DEFENCES = 'docs/security/defences.md'
const ATTACKS = 'docs/security/attacks.md'
const PAGES = ['SECURITY.md', DEFENCES, ATTACKS]

/** A test, or the cases that several tests share. */
const TEST = /`[\w./-]+(?:\.test|\/testing\/[\w-]+)\.ts`/
const PROOF = /^Proof: `[\w./-]+\.test\.ts`/m
/** A name of a setting, code, alarm, field, table or column: it has two words. */
const NAME = /\b[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+\b/g

interface Page {
  path: string
  text: string
}

/**
 * On the pages about security: defences without a test, attacks without a proof, and names that no source has. A claim there that has come
 * loose from the code is believed by those who look for holes in it.
 */
export async function findUnproven(root: string, documents: readonly Page[]): Promise<string[]> {
  const pages = documents.filter(({ path }) => PAGES.includes(path))
  const sources = pages.length > 0 ? await readSources(root) : ''
  return pages.flatMap((page) =>
    [...unproven(page), ...unknownNames(page, sources)].map((problem) => `${page.path}: ${problem}`),
  )
}

function unproven({ path, text }: Page): string[] {
  const [, ...sections] = text.split(/^## /m)
  if (path === ATTACKS) return sections.filter((section) => !PROOF.test(section)).map(withoutProof)
  if (path !== DEFENCES) return []
  const entries = sections.flatMap((section) => section.split(/^- /m).slice(1))
  return entries.filter((entry) => !TEST.test(entry)).map(withoutProof)
}

const withoutProof = (part: string) => `no test is named by "${part.split('\n', 1)[0]}"`

function unknownNames({ text }: Page, sources: string): string[] {
  const quoted = [...text.matchAll(/`([^`\n/]+)`/g)].map(([, inside = '']) => inside)
  const names = quoted.flatMap((inside) => inside.match(NAME) ?? [])
  return [...new Set(names)].filter((name) => !sources.includes(name)).map((name) => `no source has ${name}`)
}

async function readSources(root: string): Promise<string> {
  const texts: string[] = []
  const files = glob('{apps,packages}/**/*.{ts,sql}', { cwd: root, exclude: ['**/node_modules', '**/dist'] })
  for await (const file of files) texts.push(await readFile(join(root, file), 'utf8'))
  return texts.join('\n')
}
