import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'

const SOURCE = fileURLToPath(new URL('../..', import.meta.url))
const DECLARES =
  /import\s*\{[^}]*\b(?:many|one|execute|dueWork|overdueRows|readsOf)\b[^}]*\}\s*from\s*'[^']*(?:statement|work|overdue|reads-store)\.ts'/

/** Imports every file of the program that declares statements, so that `STATEMENTS` holds them all. */
export async function loadStatements(): Promise<void> {
  for await (const path of glob('**/*.ts', { cwd: SOURCE, exclude: isOfTests })) {
    if (DECLARES.test(await readFile(SOURCE + path, 'utf8'))) await import(pathToFileURL(SOURCE + path).href)
  }
}

function isOfTests(path: string): boolean {
  return path.endsWith('.test.ts') || path.endsWith('testing')
}
