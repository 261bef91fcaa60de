import { isDatabaseUnavailable } from '../db/errors.ts'
import { PublicError } from '../platform/errors.ts'
import { RowTampered } from '../platform/row-seals.ts'
import { chargeNotWritten } from './errors.ts'

/** What fails in the middle of writing a charge was rolled back, and has a code that says so: the same request may be sent again. */
export async function written<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof PublicError || error instanceof RowTampered || isDatabaseUnavailable(error)) throw error
    throw chargeNotWritten({ cause: error })
  }
}
