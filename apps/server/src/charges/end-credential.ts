import { single } from '../db/command.ts'
import { leaseEnd } from '../jobs/work.ts'
import { releaseCredential } from './confirm.ts'
import type { ChargeDeps, ChargeRef } from './deps.ts'
import { drive } from './finish.ts'
import { lapseNow } from './lapse.ts'
import * as store from './store.ts'

/**
 * Ends the credential of a charge that is not over, before its time: its owner says so, or a restore from a backup has brought back what was
 * used, reported or erased since. `ended`: it is dead at the network, shown to no caller from now on, and its charge has failed with its event;
 * or does in a moment, where another process has it in hand. One that was still being minted comes to nothing. `used`: it was spent, and the
 * charge waits for its report as ever. `unknown`: nothing was changed; ask again. Idempotent.
 */
export async function endCredential(deps: ChargeDeps, charge: ChargeRef): Promise<'ended' | 'used' | 'unknown'> {
  const became = await releaseCredential(deps, charge)
  if (became !== 'ended') return became
  await lapseNow(deps, charge)
  const { merchantId, chargeId: id } = charge
  // Should this process die here, a worker ends what is over by now.
  const work = await single(deps, { name: 'charges.claim_ended', silent: 'work' }, ({ on, at }) =>
    store.chargeWork.claimOne(on, { merchantId, id }, { at, leaseUntil: leaseEnd(deps, at) }),
  )
  if (work !== undefined) await drive(deps, work)
  return 'ended'
}
