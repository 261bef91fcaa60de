import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import type { Log } from './log.ts'
import type { Secret } from './secret.ts'

/** What a seal covers of a row. The table and the merchant are always part of it. */
export type SealedPart = string | number | bigint | Uint8Array | null

export interface SealedRow {
  table: string
  merchantId: string
  /** Names the row in the log as well. */
  id: string
  parts: readonly SealedPart[]
}

/**
 * A stored row is not the one that this program wrote: an editor of the database changed it. The alarm is in the
 * log; callers learn nothing but that something went wrong.
 */
export class RowTampered extends Error {
  override readonly name = 'RowTampered'

  constructor() {
    super('A stored row was changed outside the program.')
  }
}

/**
 * Keyed hashes over what rows say. An editor of the database does not have the key: a row that they changed, copied to
 * another place or made up has no seal that fits. A seal says nothing of time: an old state of the same row still fits.
 */
export interface RowSeals {
  seal(row: SealedRow): Buffer
  /** Throws `RowTampered`, and writes the alarm, when the stored seal is not this row's. */
  check(row: SealedRow, stored: Uint8Array | null): void
  /** For a change that was found otherwise: writes the alarm and returns the error to throw. */
  alarm(row: Omit<SealedRow, 'parts'>): RowTampered
}

/** False when what `check` looks at is not what this program wrote: its alarm is in the log. */
export function isUntouched(check: () => void): boolean {
  try {
    check()
    return true
  } catch (error) {
    if (error instanceof RowTampered) return false
    throw error
  }
}

export function createRowSeals(deps: { key: Secret<Buffer>; log: Log }): RowSeals {
  const key = createSecretKey(deps.key.reveal())
  const seal = ({ table, merchantId, id, parts }: SealedRow) =>
    createHmac('sha256', key)
      .update(framed([table, merchantId, id, ...parts]))
      .digest()
  const alarm: RowSeals['alarm'] = ({ table, merchantId, id }) => {
    deps.log.error('a stored row was changed outside the program', {
      alarm: 'row_tampered',
      table,
      row_id: id,
      merchant_id: merchantId,
    })
    return new RowTampered()
  }
  return {
    seal,
    alarm,
    check(row, stored) {
      const expected = seal(row)
      if (stored?.length !== expected.length || !timingSafeEqual(expected, stored)) throw alarm(row)
    },
  }
}

/** Each part with its kind and length: `("ab", "c")`, `("a", "bc")` and `("abc", null)` must never read alike. */
function framed(parts: readonly SealedPart[]): Buffer {
  const pieces = parts.map((part) => (part instanceof Uint8Array ? part : String(part ?? '')))
  const frame = Buffer.allocUnsafe(pieces.reduce((size, piece) => size + HEAD_BYTES + Buffer.byteLength(piece), 0))
  let at = 0
  for (const [place, piece] of pieces.entries()) {
    const textAt = at + HEAD_BYTES
    const length = typeof piece === 'string' ? frame.write(piece, textAt) : copied(piece, frame, textAt)
    frame.writeUInt8(parts[place] === null ? 0 : 1, at)
    frame.writeUInt32BE(length, at + 1)
    at = textAt + length
  }
  return frame
}
const HEAD_BYTES = 5

function copied(piece: Uint8Array, into: Buffer, at: number): number {
  into.set(piece, at)
  return piece.length
}
