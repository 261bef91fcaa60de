import { createLog, type Log } from '../log.ts'
import { createRowSeals, type RowSeals } from '../row-seals.ts'
import { secret } from '../secret.ts'

/** Seals under a key of the tests; a silent log unless one is given. */
export function testSeals(log: Log = createLog({ level: 'silent' })): RowSeals {
  return createRowSeals({ key: secret(Buffer.alloc(32, 9)), log })
}
