import type { Tx } from '../../db/transaction.ts'
import type { Pace } from './pace.ts'
import * as store from './store.ts'

// Locks of a delivery, in this order: the application, then the endpoint with its work.

/** The pace of a merchant, locked: what is decided of it is true until the end of the transaction. */
export async function lockApplication(tx: Tx, merchantId: string): Promise<Pace> {
  const found = await store.lockApplication(tx, { merchantId })
  if (found !== undefined) return found
  await store.insertApplication(tx, { merchantId })
  return lockApplication(tx, merchantId)
}

/** The endpoint as it is, locked, with the work that this process holds. Undefined: the lease went to another one. */
export function lockHeld(tx: Tx, { merchantId, id, leaseFence }: store.EndpointClaim) {
  return store.lockEndpoint(tx, { merchantId, endpointId: id, leaseFence })
}

export async function updatePace(tx: Tx, merchantId: string, { lastClaims, flights, waiting }: Pace): Promise<void> {
  await store.updateApplication(tx, { merchantId, lastClaims, flights, waiting })
}
