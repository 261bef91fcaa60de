import type { EventRow } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'

/** A move by its owner of the mandate of a purchase, as they read it. */
interface Move extends EventRow {
  merchantId: string
  id: string
  /** The charge that has it. */
  chargeId: string
  version: number
  at: Date
}

/** Undefined: it is not as it was read, or its time is over; nothing is written. */
type Moved = Promise<object | undefined>

/** What is written of the mandates of purchases, which are in the rows of their charges. */
export interface PurchaseMandates {
  updatePaused(on: Queryable, move: Move): Moved
  updateResumed(on: Queryable, move: Move): Moved
  /** With it the work begins to tell the network. */
  updateCancelledByOwner(on: Queryable, move: Move): Moved
  /**
   * Those that a card pays and that have not ended are cancelled, and the work begins to tell the network. Those whose
   * time is over end by it, unless the network is still being asked. Returns them, each with its version before.
   */
  updateCancelledWithCard(
    on: Queryable,
    card: { merchantId: string; customerId: string; cardId: string; at: Date },
  ): Promise<{ id: string; version: number; approvedMinor: bigint; currency: string; validUntil: Date }[]>
}
