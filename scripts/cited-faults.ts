import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const CITATION = /\bfaults?(?:\.md)?`?,? ((?:[A-F]\d+(?:, | and )?)+)/g
const HEADING = /^## ([A-F]\d+): /gm

/** The faults that a comment cites and the page does not describe, one line each. */
export async function findUnknownFaults(root: string, page: string): Promise<string[]> {
  const described = new Set([...page.matchAll(HEADING)].map(([, number]) => number))
  const problems: string[] = []
  for await (const file of glob('{apps,packages}/**/*.ts', { cwd: root, exclude: ['**/node_modules', '**/dist'] })) {
    for (const number of citedIn(await readFile(join(root, file), 'utf8'))) {
      if (!described.has(number)) problems.push(`${file} cites fault ${number}, which the page does not describe`)
    }
  }
  return problems
}

function citedIn(text: string): string[] {
  return [...text.matchAll(CITATION)].flatMap(([, numbers = '']) => numbers.match(/[A-F]\d+/g) ?? [])
}
