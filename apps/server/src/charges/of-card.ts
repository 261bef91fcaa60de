import type { Change } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import { wake } from '../jobs/wake.ts'
import type { OfCard } from '../mandates/of-card.ts'
import type { ChargeDeps } from './deps.ts'
import * as store from './of-card-store.ts'
import { RECONCILE_JOB } from './store.ts'

/**
 * A card was deleted, in this transaction, after its mandates were cancelled: what they have minted is dead at the network, so no caller is
 * shown it from the commit on. A worker asks the network what was used, and ends the rest (`runOut`). What the service buys at a shop is the shop's
 * to say. A charge that is being minted at this moment is found by the work of its mandate (`becomeDue`).
 */
export async function endOfCard(_deps: ChargeDeps, { tx, at }: Change, card: OfCard): Promise<void> {
  const ended = await store.updateEndedWithCard(tx, { ...card, at })
  if (ended > 0) wake(tx, RECONCILE_JOB)
}

/** What was minted while the card was being deleted is looked at now. Returns how many were due later. */
export async function becomeDue(
  _deps: ChargeDeps,
  { on, at }: { on: Queryable; at: Date },
  charges: { merchantId: string; ids: string[] },
): Promise<number> {
  const due = await store.updateDue(on, { ...charges, at })
  if (due > 0) wake(on, RECONCILE_JOB)
  return due
}
