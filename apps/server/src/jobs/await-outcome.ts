import { waitAway } from '../platform/bounds.ts'

const FIRST_WAIT_MILLIS = 20
const LONGEST_WAIT_MILLIS = 250

interface Awaited<Row, Work> {
  isOpen(row: Row): boolean
  /** The work, if it is due and no process holds it. */
  claim(): Promise<Work | undefined>
  /** Asks the network, and records its word. */
  drive(work: Work): Promise<unknown>
  read(): Promise<Row>
  /** On the monotonic timer, in milliseconds. */
  deadline: number
  /** What a caller is told who has waited for so long. */
  late(): Error
}

/**
 * A row once the network's word on it is recorded, by whichever process holds it. A caller that finds it due and held
 * by no process asks the network itself: the process that opened it may be dead.
 */
export async function awaitOutcome<Row, Work>(opened: Row, awaited: Awaited<Row, Work>): Promise<Row> {
  let row = opened
  for (let pause = FIRST_WAIT_MILLIS; awaited.isOpen(row); pause = Math.min(pause * 2, LONGEST_WAIT_MILLIS)) {
    if (performance.now() >= awaited.deadline) throw awaited.late()
    const work = await awaited.claim()
    if (work === undefined) await waitAway(pause)
    else await awaited.drive(work)
    row = await awaited.read()
  }
  return row
}
