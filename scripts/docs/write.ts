import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Page } from './markdown.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Writes what is not on the disk as it should be, and says which. A file that is right is not touched: what watches it would build again. */
export async function writePages(pages: readonly Page[]): Promise<void> {
  for (const { path, text } of pages) {
    const file = join(ROOT, path)
    if ((await readFile(file, 'utf8').catch(() => undefined)) === text) continue
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
    console.log(path)
  }
}
