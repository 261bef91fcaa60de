// A permission for so many more charges: what they come to at most.

/** The place of a day. */
export type Cell = number

interface Few {
  /** The days of each window. */
  cells: readonly (readonly Cell[])[]
  windows: readonly { left: bigint }[]
  days: readonly { most: bigint }[]
  /** The most of one charge; null: no limit. */
  each: bigint | null
  count: number
}

/** Charges of one size, and how many of them there can be. */
interface Pieces {
  size: bigint
  count: bigint
}

/** The largest charges that windows and days have room for. */
export function mostOfFewCharges({ cells, windows, days, each, count }: Few): bigint {
  const all = windows.flatMap(({ left }, place) => {
    const rooms = (cells[place] ?? []).map((day) => least(left, days[day]?.most ?? 0n))
    return within(
      left,
      rooms.flatMap((room) => piecesOf(room, each)),
    )
  })
  return sumOf(largestFirst(all), BigInt(Math.max(0, count)))
}

const least = (one: bigint, other: bigint) => (one < other ? one : other)
const largestFirst = (pieces: Pieces[]) => pieces.sort((one, other) => (one.size < other.size ? 1 : -1))

function piecesOf(room: bigint, each: bigint | null): Pieces[] {
  if (room === 0n) return []
  if (each === null || each >= room) return [{ size: room, count: 1n }]
  const rest = room % each
  return [{ size: each, count: room / each }, ...(rest === 0n ? [] : [{ size: rest, count: 1n }])]
}

/** The largest of them that a window holds; the last one is cut to what is left. */
function within(left: bigint, pieces: Pieces[]): Pieces[] {
  const held: Pieces[] = []
  let room = left
  for (const { size, count } of largestFirst(pieces)) {
    const whole = least(count, room / size)
    if (whole > 0n) held.push({ size, count: whole })
    room -= whole * size
    if (whole === count) continue
    if (room > 0n) held.push({ size: room, count: 1n })
    break
  }
  return held
}

function sumOf(pieces: readonly Pieces[], most: bigint): bigint {
  let [sum, left] = [0n, most]
  for (const { size, count } of pieces) {
    const taken = least(count, left)
    sum += taken * size
    left -= taken
  }
  return sum
}
