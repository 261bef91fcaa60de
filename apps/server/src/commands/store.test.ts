// Guarantee: a file of a catalog is read line by line, whatever it is: what is no JSON, hides a key or never ends is
// said by its line.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CatalogReader } from '../wallets/store/catalog-reader.ts'
import type { CatalogLine } from '../wallets/store/service.ts'
import { linesOf } from './store.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mintmark-store-'))
})
afterAll(() => rm(directory, { recursive: true }))

async function read(content: string | Buffer) {
  const file = join(directory, 'catalog.jsonl')
  await writeFile(file, content)
  return all(file)
}

async function all(file: string) {
  const lines: CatalogLine[] = []
  for await (const line of linesOf(file)) lines.push(line)
  return lines
}

test('each line that is not blank is JSON', async () => {
  expect(await read('\uFEFF{"a":1}\r\n\n  \t\r\n[2]\n"é"')).toEqual([
    { number: 1, value: { a: 1 } },
    { number: 4, value: [2] },
    { number: 5, value: 'é' },
  ])
  expect(await read('')).toEqual([])
})

test.each<[string, string | Buffer, Record<string, string>]>([
  ['no JSON', '{"a":', { '': 'it is not valid JSON' }],
  ['a document over several lines', '{', { '': 'it is not valid JSON' }],
  ['a key that comes twice', '{"price":"1.00","price":"2.00"}', { price: expect.any(String) }],
  ['a key that reaches a prototype', '{"a":{"constructor":{}}}', { 'a.constructor': expect.any(String) }],
  ['no text', Buffer.from([0x22, 0xff, 0x22]), { '': 'it is not valid UTF-8' }],
])('%s is said by its line', async (_name, line, problems) => {
  const found = await read(Buffer.concat([Buffer.from('{}\n'), Buffer.from(line), Buffer.from('\n{}')]))
  expect(found).toEqual([
    { number: 1, value: {} },
    { number: 2, problems },
    { number: 3, value: {} },
  ])
})

test('a line that is too long is no line, and what never ends is not read to its end', async () => {
  const long = 'x'.repeat(64 * 1024 + 1)
  const words = 'it is longer than 65536 bytes: each merchant and product has a line'
  expect(await read(`{}\n"${long}"\n{}`)).toEqual([
    { number: 1, value: {} },
    { number: 2, problems: { '': words } },
    { number: 3, value: {} },
  ])
  expect(await read(`{}\n${'x'.repeat(1_000_000)}`)).toEqual([
    { number: 1, value: {} },
    { number: 2, problems: { '': words } },
  ])
})

test('lines are the same wherever the pieces end that a file is read in', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: 8 }), async (lengths) => {
      const values = lengths.map((length, index) => ({ index, text: 'é'.repeat(length / 2) }))
      expect(await read(values.map((value) => JSON.stringify(value)).join('\n'))).toEqual(
        values.map((value, index) => ({ number: index + 1, value })),
      )
    }),
    { numRuns: 30 },
  )
})

test('the file that the guide shows is a catalog', async () => {
  const guide = await readFile(join(import.meta.dirname, '../../../../docs/guides/stores.md'), 'utf8')
  const [, example = ''] = /^```json lines\n([\s\S]*?)^```$/m.exec(guide) ?? []
  const reader = new CatalogReader()
  for (const line of await read(example)) reader.add(line)
  expect(reader.end('import')).toMatchObject({ catalog: { stores: [{ key: 'tea-house' }], entries: [{}, {}] } })
})

test('a file that is not there is said', async () => {
  await expect(all(join(directory, 'none'))).rejects.toThrow('none cannot be read: ENOENT')
})
