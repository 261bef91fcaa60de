import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import files, { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ArchiveError, readArchive, writeArchive } from './archive.ts'
import { secret } from './secret.ts'

// Guarantee: an archive gives back what was written, all of it, or an error; under its own key only.

const key = secret(randomBytes(32))
let folder: string
let count = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mintmark-archive-'))
})
afterAll(() => rm(folder, { recursive: true }))

const newFile = () => {
  count += 1
  return join(folder, `archive-${count}`)
}

async function* piecesOf(...pieces: Buffer[]) {
  yield* pieces
}

async function written(...pieces: Buffer[]): Promise<string> {
  const file = newFile()
  await writeArchive(file, key, piecesOf(...pieces))
  return file
}

async function readAll(file: string, under = key): Promise<Buffer> {
  const pieces = []
  for await (const piece of readArchive(file, under)) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function changed(file: string, change: (bytes: Buffer) => Buffer): Promise<string> {
  const other = newFile()
  await writeFile(other, change(await readFile(file)))
  return other
}

const CHUNK = 262_144
const HEAD = 82

test.each([0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 7])('%i bytes come back', async (length) => {
  const bytes = randomBytes(length)
  expect(await readAll(await written(bytes))).toEqual(bytes)
  const halves = [bytes.subarray(0, length >> 1), Buffer.alloc(0), bytes.subarray(length >> 1)]
  expect(await readAll(await written(...halves))).toEqual(bytes)
})

test('nothing of it is readable, and no two are alike', async () => {
  const text = Buffer.from('4242424242424242'.repeat(100))
  const [one, other] = [await readFile(await written(text)), await readFile(await written(text))]
  expect(one.includes('4242424242424242')).toBe(false)
  expect(one.subarray(HEAD)).not.toEqual(other.subarray(HEAD))
})

test('another key is told from damage', async () => {
  const file = await written(randomBytes(10))
  await expect(readAll(file, secret(randomBytes(32)))).rejects.toThrow('made with another root key')
})

test('every cut is noticed', async () => {
  const file = await written(randomBytes(40))
  const { length } = await readFile(file)
  for (let size = 0; size < length; size += 1) {
    await expect(readAll(await changed(file, (bytes) => bytes.subarray(0, size)))).rejects.toThrow(ArchiveError)
  }
  const long = await written(randomBytes(2 * CHUNK + 5))
  const box = CHUNK + 28 + 5
  for (const size of [HEAD + box, HEAD + 2 * box, HEAD + box + 100]) {
    await expect(readAll(await changed(long, (bytes) => bytes.subarray(0, size)))).rejects.toThrow('it was cut off')
  }
})

test('every changed byte is noticed, and what was left out, repeated, moved or added', async () => {
  const file = await written(randomBytes(40))
  const { length } = await readFile(file)
  for (let at = 0; at < length; at += 1) {
    const other = await changed(file, (bytes) => bytes.fill((bytes[at] ?? 0) ^ 1, at, at + 1))
    await expect(readAll(other)).rejects.toThrow(ArchiveError)
  }
  const long = await written(randomBytes(3 * CHUNK))
  const box = CHUNK + 28 + 5
  const chunk = (bytes: Buffer, index: number) => bytes.subarray(HEAD + index * box, HEAD + (index + 1) * box)
  for (const order of [
    [1, 2, 3],
    [0, 0, 1, 2, 3],
    [1, 0, 2, 3],
    [0, 1, 2, 3, 3],
  ]) {
    const other = await changed(long, (bytes) =>
      Buffer.concat([bytes.subarray(0, HEAD), ...order.map((index) => chunk(bytes, index))]),
    )
    await expect(readAll(other)).rejects.toThrow('is damaged')
  }
  await expect(readAll(await changed(long, (bytes) => Buffer.concat([bytes, Buffer.alloc(1)])))).rejects.toThrow(
    'is damaged',
  )
})

test('a file that exists is never replaced, and one that fails leaves nothing', async () => {
  const file = await written(Buffer.from('first'))
  await expect(writeArchive(file, key, piecesOf(Buffer.from('second')))).rejects.toThrow('exists already')
  expect((await readAll(file)).toString()).toBe('first')
  const other = newFile()
  async function* failing() {
    yield randomBytes(CHUNK * 2)
    throw new Error('the database went away')
  }
  await expect(writeArchive(other, key, failing())).rejects.toThrow('the database went away')
  expect((await readdir(folder)).filter((name) => other.endsWith(name) || name.endsWith('.unfinished'))).toEqual([])
  await expect(writeArchive(join(folder, 'none', 'x'), key, piecesOf())).rejects.toThrow('does not exist')
})

test('a disk that is full within the last write is an error, and leaves no file', () => {
  // A limit for files does what a full disk does: the kernel takes a part of a write without an error, and refuses the
  // next one.
  const file = newFile()
  const program = `
    const { writeArchive } = await import('${new URL('archive.ts', import.meta.url)}')
    const { secret } = await import('${new URL('secret.ts', import.meta.url)}')
    const parts = (async function* () { yield Buffer.alloc(200_000) })()
    await writeArchive('${file}', secret(Buffer.alloc(32)), parts).catch(({ code }) => console.log(code))`
  const words = ['-c', 'ulimit -f 100; exec "$0" --input-type=module --eval "$1"', process.execPath, program]
  const { stdout, stderr, status } = spawnSync('/bin/sh', words, { encoding: 'utf8' })
  expect({ stdout, stderr, status }).toEqual({ stdout: 'EFBIG\n', stderr: '', status: 0 })
  expect([existsSync(file), existsSync(`${file}.unfinished`)]).toEqual([false, false])
})

describe('on a file system without links', () => {
  const { link } = files
  const withLinks = (code: string | null) => {
    files.link = code === null ? link : () => Promise.reject(Object.assign(new Error('link'), { code }))
    syncBuiltinESMExports()
  }
  afterEach(() => withLinks(null))

  test.each(['EPERM', 'ENOTSUP', 'ENOSYS'])(
    'that says %s an archive gets its name, and replaces no file',
    async (code) => {
      withLinks(code)
      const file = await written(Buffer.from('one'))
      expect(await readAll(file)).toEqual(Buffer.from('one'))
      await expect(writeArchive(file, key, piecesOf(Buffer.from('two')))).rejects.toThrow('exists already')
      expect(await readAll(file)).toEqual(Buffer.from('one'))
      expect((await readdir(folder)).filter((name) => name.endsWith('.unfinished'))).toEqual([])
    },
  )

  test('any other error is one', async () => {
    withLinks('EIO')
    await expect(written(Buffer.from('one'))).rejects.toMatchObject({ code: 'EIO' })
  })
})
