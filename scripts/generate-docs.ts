import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { generatedPages } from './docs/pages.ts'

// npm run docs   writes the pages of docs/ that are made from code. That they are up to date is tested in docs.test.ts.

const ROOT = join(import.meta.dirname, '..')
for (const { path, text } of await generatedPages()) {
  const file = join(ROOT, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  console.log(path)
}
