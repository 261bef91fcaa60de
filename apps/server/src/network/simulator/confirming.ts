import { transaction } from '../../db/transaction.ts'
import { declined, ok } from '../answers.ts'
import type { ConfirmRequest, NetworkAnswer } from '../port.ts'
import { type SimulatorDeps, single } from './deps.ts'
import { ConnectionReset, happensNow } from './faults.ts'
import { claimConfirmation, claimUntriedConfirmation, findAuthorized, findMint, lockInstruction } from './mint-store.ts'
import { contradicts } from './rules.ts'
import { findBehaviour, updateCredentialClosed } from './store.ts'
import type { Behaviour } from './test-cards.ts'

/** What a card's script does to a confirmation. */
const SCRIPTED: Behaviour[] = ['confirmation_refused', 'confirmation_fails_once']

/**
 * `CardNetwork.confirm`. The first outcome stands: the same one again is fine, the other one is refused, and so is one
 * that the network's own acquirer contradicts.
 */
export async function confirm(
  deps: SimulatorDeps,
  request: ConfirmRequest,
): Promise<NetworkAnswer<Record<never, never>>> {
  const { pool, clock } = deps
  const { chargeId, outcome, authorizationCode, responseCode } = request
  const paidMinor = request.amountPaid?.minor ?? null
  const values = () => ({ chargeId, outcome, paidMinor, authorizationCode, responseCode, at: clock.now() })
  // Nearly every report: one statement. What it does not match is looked at below.
  const claimed = await claimUntriedConfirmation(single(deps), { ...values(), scripted: SCRIPTED })
  if (claimed !== undefined) return ok({})
  const minted = await findMint(pool, chargeId)
  // It was not spent: that is what such a report says.
  if (minted?.state === 'released') return outcome === 'DECLINED' ? ok({}) : declined('CONFIRMATION_REFUSED')
  if (minted?.state !== 'minted') return declined('NOT_FOUND')
  const behaviour = (await findBehaviour(pool, { mandateId: minted.mandateId }))?.behaviour
  if (behaviour === 'confirmation_refused') return declined('CONFIRMATION_REFUSED')
  if (behaviour === 'confirmation_fails_once' && (await happensNow(deps, chargeId, behaviour))) {
    throw new ConnectionReset()
  }
  return transaction(pool, async (tx) => {
    await lockInstruction(tx, { mandateId: minted.mandateId })
    const authorized = await findAuthorized(tx, { chargeId })
    if (authorized !== undefined && contradicts(request, authorized)) {
      // Reported is reported: nothing more is spent with it, whatever it said.
      await updateCredentialClosed(tx, { chargeId })
      return declined('CONFIRMATION_REFUSED')
    }
    if ((await claimConfirmation(tx, values())) !== undefined) return ok({})
    const stored = await findMint(tx, chargeId)
    const isReleased = stored?.state === 'released' && outcome === 'DECLINED'
    const same = isReleased || (stored?.state === 'minted' && stored.confirmedOutcome === outcome)
    return same ? ok({}) : declined('CONFIRMATION_REFUSED')
  })
}
