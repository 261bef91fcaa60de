import { single } from '../db/command.ts'
import { unavailable } from '../platform/errors.ts'
import { SealBroken, type SealedField, type WireCredential } from '../vault/service.ts'
import type { ChargeDeps, ChargeRef } from './deps.ts'
import * as store from './store.ts'

/**
 * The credential in plain text, for the response to the merchant and nothing else. One that does not open (the row was
 * changed, or sealed under another root key) is an alarm; the network still knows it, so it is asked and the answer is
 * sealed anew.
 */
export async function unsealCredential(
  deps: ChargeDeps,
  charge: ChargeRef,
  field: SealedField,
): Promise<WireCredential> {
  const { merchantId, chargeId } = charge
  try {
    return await deps.vault.unsealCredential(merchantId, chargeId, field)
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error
    deps.log.failure('a stored credential does not open', error, {
      alarm: 'seal_broken',
      merchant_id: merchantId,
      charge_id: chargeId,
    })
    return fetchAnew(deps, charge, field, error)
  }
}

async function fetchAnew(
  deps: ChargeDeps,
  { merchantId, chargeId }: ChargeRef,
  broken: SealedField,
  reason: SealBroken,
): Promise<WireCredential> {
  const found = await deps.network.inquire({ chargeId })
  if (found.outcome !== 'ok') throw unavailable({ cause: reason })
  if (found.value.state !== 'minted') throw reason
  const fresh = await deps.vault.sealCredential(merchantId, chargeId, found.value.credential)
  const updated = await single(deps, { name: 'charges.seal_again', silent: 'resealed' }, ({ on }) =>
    store.updateCredential(on, { merchantId, chargeId, broken: broken.sealed, ...fresh }),
  )
  // Reported, lapsed or sealed again meanwhile: a caller that asks once more sees which.
  if (updated === 0) throw unavailable({ cause: reason })
  return deps.vault.unsealCredential(merchantId, chargeId, fresh)
}
