import { claimNext, type Started } from './claim.ts'
import type { DeliveryDeps } from './deps.ts'
import { record } from './record.ts'
import { send } from './send.ts'

// A delivery has three stages. `claim.ts` decides in one transaction what is sent, and counts the try. `send.ts` sends
// it, outside of every transaction. `record.ts` writes down in a second one what came of it, and whether to go on.

/** Then other endpoints have their turn. */
const MAX_IN_A_ROW = 5

/**
 * Serves an endpoint under its lease: one delivery after the other while its turn lasts, and while `mayGoOn`: each of
 * them may take ten seconds, and a worker that is to stop has little more. It always gives the lease back.
 */
export async function serve(deps: DeliveryDeps, { claim, next }: Started, mayGoOn = () => true): Promise<void> {
  for (let [sent, given] = [1, next]; ; [sent, given] = [sent + 1, 'again']) {
    const attempt = given === 'again' ? await claimNext(deps, claim) : given
    if (attempt === null) return
    const result = await send(deps, attempt)
    if (!(await record(deps, claim, attempt, { result, mayGoOn: sent < MAX_IN_A_ROW && mayGoOn() }))) return
  }
}
