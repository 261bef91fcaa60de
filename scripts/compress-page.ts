// Writes the compressed forms of what was built beside it: `node scripts/compress-page.ts <files>`.
import { readFile, writeFile } from 'node:fs/promises'
import { compressed } from '../apps/server/src/http/compression.ts'

const files = process.argv.slice(2)
if (files.length === 0) throw new Error('Name the files.')
for (const file of files) {
  for (const [ending, body] of Object.entries(await compressed(await readFile(file))))
    await writeFile(`${file}.${ending}`, body)
}
