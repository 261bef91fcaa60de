import { appendFile, readFile } from 'node:fs/promises'
import type { Operated } from '../compose/operated.ts'
import { notFound, PublicError } from '../platform/errors.ts'
import { isRecord } from '../platform/json.ts'

// The list of customers who were erased, kept apart from the backups: a restore brings them back, and they are erased again by it. It has
// ids of ours alone, which are no person's name. Lines of the audit log (`audit: customer_erased`) have them too, and serve as well.

interface Erasure {
  merchant_id: string
  customer_id: string
}

type Erasing = Pick<Operated, 'customers' | 'walletErasure'>

/** One line for each. */
export async function noteErasure(file: string, erasure: Erasure, at: Date): Promise<void> {
  await appendFile(file, `${JSON.stringify({ ...erasure, erased_at: at.toISOString() })}\n`, { mode: 0o600 })
}

/** All of it is read before any customer is erased. */
export async function readErasures(file: string): Promise<Erasure[]> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new Error(`${file} cannot be read (${cause.code}). Nothing was changed.`, { cause })
  })
  const lines = text.split('\n').map((line, index) => ({ line: line.trim(), number: index + 1 }))
  return lines.filter(({ line }) => line !== '').map(({ line, number }) => erasureOf(line, `${file}, line ${number}`))
}

function erasureOf(line: string, place: string): Erasure {
  const read = parsed(line)
  if (isRecord(read)) {
    const { merchant_id, customer_id } = read
    if (typeof merchant_id === 'string' && typeof customer_id === 'string') return { merchant_id, customer_id }
  }
  throw new Error(`${place} names no merchant_id and customer_id. Nothing was changed.`)
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** A customer who is not there was made after the backup. */
export async function eraseAgain({ customers, walletErasure }: Erasing, list: readonly Erasure[]) {
  let [erased, absent] = [0, 0]
  for (const { merchant_id: merchantId, customer_id: customerId } of list) {
    try {
      // The ids of the two APIs never look alike.
      await (customerId.startsWith('cus_')
        ? customers.erase(merchantId, customerId)
        : walletErasure.erase({ merchantId, customerId }))
      erased += 1
    } catch (error) {
      if (error instanceof PublicError && error.status === notFound().status) absent += 1
      else throw new Error(`${customerId} of ${merchantId} was not erased. ${wordsOf(error)}`, { cause: error })
    }
  }
  return { erased, absent }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
