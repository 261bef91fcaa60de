import { transaction } from '../../db/transaction.ts'
import { declined, ok } from '../answers.ts'
import type { ConfirmRequest, NetworkAnswer } from '../port.ts'
import type { Context } from './context.ts'
import { ConnectionReset, happensNow } from './faults.ts'
import { claimConfirmation, findMint, lockInstruction } from './mint-store.ts'
import { findBehaviour } from './store.ts'

/** `CardNetwork.confirm`. The first outcome stands: the same one again is fine, the other one is refused. */
export async function confirm(context: Context, request: ConfirmRequest): Promise<NetworkAnswer<Record<never, never>>> {
  const { pool, clock } = context
  const { chargeId, outcome } = request
  const minted = await findMint(pool, chargeId)
  if (minted?.state !== 'minted') return declined('NOT_FOUND')
  const behaviour = (await findBehaviour(pool, minted.mandate_id))?.behaviour
  if (behaviour === 'confirmation_refused') return declined('CONFIRMATION_REFUSED')
  if (behaviour === 'confirmation_fails_once' && (await happensNow(context, chargeId, behaviour))) {
    throw new ConnectionReset()
  }
  return transaction(pool, async (tx) => {
    await lockInstruction(tx, minted.mandate_id)
    if ((await claimConfirmation(tx, request, clock.now())) === 1) return ok({})
    const settled = await findMint(tx, chargeId)
    const same = settled?.state === 'minted' && settled.confirmed_outcome === outcome
    return same ? ok({}) : declined('CONFIRMATION_REFUSED')
  })
}
