import type { CommandDeps } from '../db/command.ts'
import type { Tx } from '../db/transaction.ts'
import type { Log } from '../platform/log.ts'
import type { Secret } from '../platform/secret.ts'

/** Events of a merchant that have just got their numbers: those with `after < feed_pos <= upTo`. */
export interface Numbered {
  merchantId: string
  after: bigint
  upTo: bigint
  /** The clock reading of the sequencer. */
  at: Date
}

/**
 * Runs in the transaction that numbers, under the head of the merchant: what it writes is there exactly if the events
 * can be read. It must be short and must not fail for one event, because then none of the merchant's are numbered.
 */
export type OnNumbered = (tx: Tx, numbered: Numbered) => Promise<void>

export interface EventDeps extends CommandDeps {
  log: Log
  /** Authenticates the cursors of feeds. */
  cursorKey: Secret<Buffer>
  onNumbered: readonly OnNumbered[]
}
