// Writes the compressed forms of a page that was built beside it: `node scripts/compress-page.ts <file>`.
import { readFile, writeFile } from 'node:fs/promises'
import { compressed } from '../apps/server/src/http/compression.ts'

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('Name the file.')
for (const [ending, body] of Object.entries(await compressed(await readFile(file))))
  await writeFile(`${file}.${ending}`, body)
