import { type Tx, transaction } from '../../db/transaction.ts'
import { ok } from '../answers.ts'
import type { NetworkAnswer, ReleaseState } from '../port.ts'
import type { SimulatorDeps } from './deps.ts'
import { ConnectionReset, happensNow, lost } from './faults.ts'
import { findAuthorized, findMint, lockInstruction } from './mint-store.ts'
import { claimRelease, insertTombstone, lockMint } from './release-store.ts'
import { findBehaviour } from './store.ts'

/** `CardNetwork.release`, with what the card's script does to question and answer. */
export async function release(
  deps: SimulatorDeps,
  { chargeId }: { chargeId: string },
): Promise<NetworkAnswer<{ state: ReleaseState }>> {
  const found = await findMint(deps.pool, chargeId)
  const mandateId = found?.mandateId ?? null
  const behaviour = mandateId === null ? undefined : (await findBehaviour(deps.pool, { mandateId }))?.behaviour
  if (behaviour === 'release_fails_once' && (await happensNow(deps, chargeId, behaviour))) throw new ConnectionReset()
  const state = await transaction(deps.pool, (tx) => end(deps, tx, chargeId))
  if (behaviour === 'release_answer_lost' && (await happensNow(deps, chargeId, behaviour))) return lost(deps)
  return ok({ state })
}

/** The tombstone comes first: it waits for a mint that is being decided, and later ones find it. */
async function end({ clock }: SimulatorDeps, tx: Tx, chargeId: string): Promise<ReleaseState> {
  const at = clock.now()
  if ((await insertTombstone(tx, { chargeId, at })) === 1) return 'not_minted'
  const found = await findMint(tx, chargeId)
  if (found === undefined || found.state === 'declined' || found.mandateId === null) return 'not_minted'
  await lockInstruction(tx, { mandateId: found.mandateId })
  // Behind the lock an attempt at the acquirer is committed or has still to come.
  const locked = await lockMint(tx, { chargeId })
  if (locked?.confirmedOutcome === 'APPROVED') return 'used'
  if ((await findAuthorized(tx, { chargeId }))?.approvedMinor != null) return 'used'
  await claimRelease(tx, { chargeId, at })
  return 'released'
}
