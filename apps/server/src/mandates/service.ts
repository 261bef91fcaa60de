import type { Pool } from 'pg'
import type { Tx } from '../db/transaction.ts'
import type { CardNetwork } from '../network/port.ts'
import { backoffSeconds } from '../platform/backoff.ts'
import { addSeconds, type Clock } from '../platform/clock.ts'
import * as store from './store.ts'

export type { NewTransientMandate } from './store.ts'

export interface MandateRef {
  merchantId: string
  id: string
}

export interface MandateService {
  /** The one-time mandate of an ordinary checkout, in the transaction of its approval. */
  open(tx: Tx, mandate: store.NewTransientMandate): Promise<void>
  /** The network registered the instruction. False when the mandate was ended meanwhile. */
  activate(tx: Tx, mandate: MandateRef, instructionRef: string, at: Date): Promise<boolean>
  /** Paid; the network knows, since it was told the outcome. */
  consume(tx: Tx, mandate: MandateRef, at: Date): Promise<boolean>
  /** Ended before its time; the reconciler tells the network, which then refuses every later mint. */
  cancel(tx: Tx, mandate: MandateRef, at: Date): Promise<boolean>
  /** Its time passed; the network enforces the same time on its own. */
  expire(tx: Tx, mandate: MandateRef, at: Date): Promise<boolean>
  /** Tells the network of permissions that ended. Answers how many it took on. */
  cancelAtNetwork(limit: number): Promise<number>
}

interface Deps {
  pool: Pool
  clock: Clock
  network: Pick<CardNetwork, 'cancelInstruction'>
  leaseSeconds: number
}

export function createMandateService(deps: Deps): MandateService {
  return {
    open: store.insertTransientMandate,
    activate: (tx, { merchantId, id }, instructionRef, at) =>
      store.activateMandate(tx, merchantId, id, instructionRef, at),
    consume: (tx, mandate, at) => store.endMandate(tx, mandate, 'consumed', false, at),
    cancel: (tx, mandate, at) => store.endMandate(tx, mandate, 'cancelled', true, at),
    expire: (tx, mandate, at) => store.endMandate(tx, mandate, 'expired', false, at),
    cancelAtNetwork: (limit) => cancelAtNetwork(deps, limit),
  }
}

async function cancelAtNetwork(deps: Deps, limit: number): Promise<number> {
  const now = deps.clock.now()
  const claims = await store.claimDueCancellations(deps.pool, now, addSeconds(now, deps.leaseSeconds), limit)
  await Promise.all(
    claims.map(async (claim) => {
      const answer = await deps.network.cancelInstruction({ mandateId: claim.id })
      // A refusal is as final as a yes: the network has nothing to end. Only silence is asked again.
      const retryAt =
        answer.outcome === 'unknown' ? addSeconds(deps.clock.now(), backoffSeconds(claim.cancel_attempts)) : null
      await store.finishCancellationAttempt(deps.pool, claim, retryAt)
    }),
  )
  return claims.length
}
