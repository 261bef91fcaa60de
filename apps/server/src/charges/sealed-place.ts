import { single } from '../db/command.ts'
import { countOf, credentialCell, MAX_COUNTED, type SealedPlace } from '../vault/service.ts'
import type { ChargeDeps } from './deps.ts'
import * as store from './store.ts'

const BEFORE_ALL = '-infinity'

/** Where the minted credentials are, for the rotation of keys: those of charges that merchants pay with, or of purchases. */
export function sealedCredentials(deps: ChargeDeps, holder: store.CredentialHolder): SealedPlace {
  return {
    name: `${holder}s.credential`,
    count: (keyId) => store.countCredentialsUnderKey[holder](deps.pool, { keyId, limit: MAX_COUNTED }).then(countOf),
    async list(keyId, after, limit) {
      const { merchantId: afterMerchantId = '', dueAt: afterDueAt = BEFORE_ALL, id: afterId = '' } = after ?? {}
      return store.listCredentialsUnderKey[holder](deps.pool, { keyId, afterMerchantId, afterDueAt, afterId, limit })
    },
    cellOf: ({ merchantId, id }) => credentialCell(merchantId, id),
    update: ({ merchantId, id: chargeId, sealed: broken }, { sealed, keyId }) =>
      single(deps, { name: 'charges.rewrap_credential', silent: 'resealed' }, ({ on }) =>
        store.updateCredential(on, { merchantId, chargeId, broken, sealed, keyId }),
      ),
  }
}
