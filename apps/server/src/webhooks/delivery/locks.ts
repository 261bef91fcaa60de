import { single } from '../../db/command.ts'
import { later } from '../../db/pipeline.ts'
import type { Tx } from '../../db/transaction.ts'
import type { DeliveryDeps } from './deps.ts'
import type { Pace } from './pace.ts'
import * as store from './store.ts'

// Locks of a delivery, in this order: the application, then the endpoint with its work.

/** The endpoint as it is, locked, with the work that this process holds. Undefined: the lease went to another one. */
export function lockHeld(tx: Tx, { merchantId, id, leaseFence }: store.EndpointClaim) {
  return store.lockEndpoint(tx, { merchantId, endpointId: id, leaseFence })
}

export function updatePace(tx: Tx, merchantId: string, { lastClaims, flights, waiting }: Pace): void {
  later(tx, () => store.updateApplication(tx, { merchantId, lastClaims, flights, waiting }))
}

/** The row that is locked, where there is none yet: with the first request of a merchant. */
export async function insertApplication(deps: Pick<DeliveryDeps, 'pool' | 'clock'>, merchantId: string): Promise<void> {
  const declaration = { name: 'webhooks.insert_application', silent: 'telling' } as const
  await single(deps, declaration, ({ on }) => store.insertApplication(on, { merchantId }))
}
