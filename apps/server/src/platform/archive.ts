import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from './key-file.ts'
import { openBox, sealBox } from './sealed-box.ts'
import type { Secret } from './secret.ts'

// An encrypted file of any length. Layout: magic, salt (32), check (32), then chunks: 1 for the last one and 0 for the
// others, length of the box (4, big endian), sealed box. Number and last-flag of a chunk are authenticated with it,
// under a key of this file alone: a chunk that is cut off, left out, repeated or moved is noticed.

const MAGIC = Buffer.from('mintmark backup 1\n', 'latin1')
const SALT_BYTES = 32
const CHECK_BYTES = 32
const CHUNK_BYTES = 262_144
/** What a box adds to what is in it. */
const BOX_BYTES = 28

/** The file is no archive, is under another key, or is damaged. The message says which, and what to do. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}

/**
 * Writes an archive. The file gets its name when all of it is on disk; an existing file is never replaced. Returns its
 * length.
 */
export async function writeArchive(file: string, key: Secret<Buffer>, parts: AsyncIterable<Buffer>): Promise<number> {
  const draft = `${file}.unfinished`
  const handle = await open(draft, 'wx', 0o600).catch((error: unknown) => {
    throw explained(error, draft)
  })
  try {
    const length = await writeChunks(handle, key, parts)
    await handle.sync()
    await giveName(draft, file).catch((error: unknown) => {
      throw explained(error, file)
    })
    await syncFolder(dirname(file))
    return length
  } finally {
    await handle.close()
    await rm(draft, { force: true })
  }
}

/**
 * The draft gets its name, unless something has it. `link` does both in one step; where a file system knows no links,
 * as on sticks and shares, an empty file of ours takes the name first.
 */
async function giveName(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file)
  } catch (error) {
    if (!KNOWS_NO_LINKS.has(codeOf(error))) throw error
    await (await open(file, 'wx', 0o600)).close()
    await rename(draft, file).catch(async (cause: unknown) => {
      await rm(file, { force: true })
      throw cause
    })
  }
}

const KNOWS_NO_LINKS = new Set<unknown>(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])
const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)

function explained(error: unknown, file: string): unknown {
  const code = codeOf(error)
  if (code === 'EEXIST')
    return new Error(`${file} exists already. Choose another name, or delete it.`, { cause: error })
  if (code === 'ENOENT') return new Error(`The directory of ${file} does not exist.`, { cause: error })
  return error
}

async function writeChunks(handle: FileHandle, key: Secret<Buffer>, parts: AsyncIterable<Buffer>): Promise<number> {
  const salt = randomBytes(SALT_BYTES)
  const keys = keysOf(key, salt)
  let length = 0
  let index = 0
  const write = async (bytes: Buffer) => {
    // Not `write`: on a disk that is about to be full that takes a part and calls it done, and after the last chunk
    // nothing else fails.
    await handle.writeFile(bytes)
    length += bytes.length
  }
  const writeChunk = async (plain: Buffer, isLast: boolean) => {
    const box = sealBox(keys.chunks, plain, placeOf(index, isLast))
    const head = Buffer.alloc(5)
    head.writeUInt8(isLast ? 1 : 0, 0)
    head.writeUInt32BE(box.length, 1)
    await write(Buffer.concat([head, box]))
    index += 1
  }
  await write(Buffer.concat([MAGIC, salt, keys.check]))
  let rest: Buffer[] = []
  let waiting = 0
  for await (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const piece = part.subarray(at, at + CHUNK_BYTES - waiting)
      rest.push(piece)
      waiting += piece.length
      at += piece.length
      if (waiting < CHUNK_BYTES) continue
      await writeChunk(Buffer.concat(rest), false)
      rest = []
      waiting = 0
    }
  }
  await writeChunk(Buffer.concat(rest), true)
  return length
}

/** Returns what was written, piece by piece. Throws `ArchiveError` at the first piece that is not as it was written. */
export async function* readArchive(file: string, key: Secret<Buffer>): AsyncGenerator<Buffer, void, void> {
  const handle = await open(file, 'r').catch((cause: Error) => {
    throw new ArchiveError(`${file} cannot be read (${'code' in cause ? cause.code : cause.name}).`, { cause })
  })
  try {
    const head = await take(handle, MAGIC.length + SALT_BYTES + CHECK_BYTES)
    if (!head.subarray(0, MAGIC.length).equals(MAGIC)) throw new ArchiveError(`${file} is no backup of Mintmark.`)
    if (head.length < MAGIC.length + SALT_BYTES + CHECK_BYTES) throw cut(file)
    const keys = keysOf(key, head.subarray(MAGIC.length, MAGIC.length + SALT_BYTES))
    if (!timingSafeEqual(head.subarray(-CHECK_BYTES), keys.check)) {
      throw new ArchiveError(`${file} was made with another root key. Name the keys that belong to it.`)
    }
    yield* readChunks(handle, file, keys.chunks)
  } finally {
    await handle.close()
  }
}

async function* readChunks(handle: FileHandle, file: string, key: Buffer): AsyncGenerator<Buffer, void, void> {
  for (let index = 0; ; index += 1) {
    const head = await take(handle, 5)
    if (head.length < 5) throw cut(file)
    const isLast = head.readUInt8(0) === 1
    const length = head.readUInt32BE(1)
    if (length > CHUNK_BYTES + BOX_BYTES) throw damaged(file)
    const box = await take(handle, length)
    if (box.length < length) throw cut(file)
    let plain: Buffer
    try {
      plain = openBox(key, box, placeOf(index, isLast))
    } catch {
      throw damaged(file)
    }
    yield plain
    if (!isLast) continue
    if ((await take(handle, 1)).length > 0) throw damaged(file)
    return
  }
}

const cut = (file: string) => new ArchiveError(`${file} ends too early: it was cut off. Use another copy of it.`)
const damaged = (file: string) =>
  new ArchiveError(`${file} is damaged, or was changed after it was made. Use another copy of it.`)

/** As many bytes as there are, at most `length`. */
async function take(handle: FileHandle, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

function keysOf(key: Secret<Buffer>, salt: Buffer): { chunks: Buffer; check: Buffer } {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', key.reveal(), salt, `mintmark backup ${use}`, 32))
  return {
    chunks: derive('chunks'),
    check: createHmac('sha256', derive('check')).update('key of this archive').digest(),
  }
}

function placeOf(index: number, isLast: boolean): Buffer {
  const place = Buffer.alloc(9)
  place.writeBigUInt64BE(BigInt(index), 0)
  place.writeUInt8(isLast ? 1 : 0, 8)
  return place
}
