import type { Part } from '../db/copy.ts'
import { ArchiveError } from '../platform/archive.ts'

// The parts of a backup as bytes: one byte for rows or one for JSON, the length (4, big endian), and the bytes.

const ROWS = 1
const JSON_PART = 2
const HEAD_BYTES = 5

export async function* framesOf(parts: AsyncIterable<Part>): AsyncGenerator<Buffer, void, void> {
  for await (const part of parts) {
    const bytes = part.type === 'rows' ? part.bytes : Buffer.from(JSON.stringify(part), 'utf8')
    const head = Buffer.alloc(HEAD_BYTES)
    head.writeUInt8(part.type === 'rows' ? ROWS : JSON_PART, 0)
    head.writeUInt32BE(bytes.length, 1)
    yield head
    yield bytes
  }
}

export async function* partsOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<Part, void, void> {
  let rest = Buffer.alloc(0)
  for await (const piece of pieces) {
    rest = Buffer.concat([rest, piece])
    let at = 0
    while (rest.length - at >= HEAD_BYTES) {
      const end = at + HEAD_BYTES + rest.readUInt32BE(at + 1)
      if (rest.length < end) break
      const bytes = rest.subarray(at + HEAD_BYTES, end)
      // What was authenticated is as this program wrote it, in this form or an older one.
      yield rest.readUInt8(at) === ROWS ? { type: 'rows', bytes } : (JSON.parse(bytes.toString('utf8')) as Part)
      at = end
    }
    rest = rest.subarray(at)
  }
  if (rest.length > 0) throw new ArchiveError('The backup ends in the middle of a part.')
}
