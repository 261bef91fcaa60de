import type { Pool } from 'pg'
import { providersOf } from '../keys/providers.ts'
import { KeyRing } from '../keys/ring.ts'
import { deriveKeys } from '../platform/keys.ts'
import type { Log } from '../platform/log.ts'
import { createRowSeals } from '../platform/row-seals.ts'
import type { Secret } from '../platform/secret.ts'
import type { KeyGround } from './ground.ts'

interface KeySettings {
  pool: Pool
  log: Log
  rootKey: Secret<Buffer>
  rootKeyFile: string
}

/** Reads which key-encryption keys there are. */
export async function openKeys({ pool, log, rootKey, rootKeyFile }: KeySettings): Promise<KeyGround> {
  const seals = createRowSeals({ key: deriveKeys(rootKey).rowSeals, log })
  const providerOf = providersOf({ rootKey, rootKeyFile })
  return { ring: await KeyRing.open({ pool, seals, log, providerOf }), rootKeyFile, providerOf }
}
