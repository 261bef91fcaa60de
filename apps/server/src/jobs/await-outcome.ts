import { waitAway } from '../platform/bounds.ts'

const FIRST_WAIT_MILLIS = 20
const MAX_WAIT_MILLIS = 250

interface OpenCall<Row, Work> {
  isOpen(row: Row): boolean
  /** Takes the work, if it is due and no process holds it: the one that began it may be dead. */
  claim(): Promise<Work | undefined>
  drive(work: Work): Promise<unknown>
  look(): Promise<Row>
  /** The error of a caller whose time is over. The call stays open. */
  late(): Error
}

/**
 * The row of an open network call once its word is recorded, by whichever process holds the call. `deadline`: by `performance.now()`. Throws
 * `late` after it, and what `drive` throws.
 */
export async function awaitOutcome<Row, Work>(
  begun: Row,
  deadline: number,
  { isOpen, claim, drive, look, late }: OpenCall<Row, Work>,
): Promise<Row> {
  let current = begun
  for (let pause = FIRST_WAIT_MILLIS; isOpen(current); pause = Math.min(pause * 2, MAX_WAIT_MILLIS)) {
    if (performance.now() >= deadline) throw late()
    const work = await claim()
    if (work === undefined) await waitAway(pause)
    else await drive(work)
    current = await look()
  }
  return current
}
