import type { Pool } from 'pg'
import type { ChargeService } from '../charges/service.ts'
import type { ShopService } from '../checkout/shops/service.ts'
import type { MerchantService } from '../merchants/service.ts'
import { sealedPrivateKeys } from '../receipts/service.ts'
import { type RewrapCount, rewrapPlace, type SealedPlace, type Vault } from '../vault/service.ts'
import { sealedSecrets } from '../webhooks/secrets.ts'
import type { Ground } from './ground.ts'

interface Sealing {
  pool: Pool
  vault: Vault
  merchants: MerchantService
  shops: ShopService
  charges: ChargeService
}

/**
 * Everything that a key-encryption key wraps: a key that a place was forgotten of could be retired with secrets under
 * it.
 */
export function sealedPlacesOf({ pool, vault, merchants, shops, charges }: Sealing): SealedPlace[] {
  return [
    vault.sealedNumbers(),
    merchants.sealedSecrets(),
    shops.sealedKeys(),
    charges.sealedCredentials('charge'),
    charges.sealedCredentials('purchase'),
    sealedPrivateKeys({ pool }),
    ...sealedSecrets({ pool }),
  ]
}

/** Wraps what is in a place with the current key. */
export const rewrapWith =
  ({ keys, log }: Ground) =>
  (place: SealedPlace, keyId: string, onProgress: (count: RewrapCount) => void): Promise<RewrapCount> =>
    rewrapPlace(
      {
        keys: keys.ring,
        onBroken: ({ table, merchantId, id }, error) =>
          log.failure('a sealed value does not open', error, {
            alarm: 'seal_broken',
            table,
            row_id: id,
            merchant_id: merchantId,
          }),
      },
      place,
      keyId,
      onProgress,
    )
