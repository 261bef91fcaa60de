import type { Pool } from 'pg'
import type { Config } from '../config.ts'
import { type ProviderSettings, providersOf } from '../keys/providers.ts'
import { KeyRing } from '../keys/ring.ts'
import { deriveKeys } from '../platform/keys.ts'
import type { Log } from '../platform/log.ts'
import { createRowSeals } from '../platform/row-seals.ts'
import type { Secret } from '../platform/secret.ts'
import type { KeyGround } from './ground.ts'

interface KeySettings {
  config: KeyConfig
  pool: Pool
  log: Log
  rootKey: Secret<Buffer>
  rootKeyFile: string
}

type KeyConfig = Pick<
  Config,
  | 'keyProviderTimeoutMillis'
  | 'awsKmsEndpoint'
  | 'googleKmsEndpoint'
  | 'googleCredentialsFile'
  | 'googleMetadataHost'
  | 'vaultAddress'
  | 'vaultTokenFile'
  | 'vaultNamespace'
>

/** Reads which key-encryption keys there are. */
export async function openKeys({ config, pool, log, rootKey, rootKeyFile }: KeySettings): Promise<KeyGround> {
  const seals = createRowSeals({ key: deriveKeys(rootKey).rowSeals, log })
  const providerOf = providersOf({ rootKey, rootKeyFile, ...servicesOf(config) })
  return { ring: await KeyRing.open({ pool, seals, log, providerOf }), rootKeyFile, providerOf }
}

function servicesOf(config: KeyConfig): Pick<ProviderSettings, 'aws' | 'google' | 'vault'> {
  const timeoutMillis = config.keyProviderTimeoutMillis
  return {
    aws: { endpoint: config.awsKmsEndpoint, timeoutMillis },
    google: {
      endpoint: config.googleKmsEndpoint,
      credentialsFile: config.googleCredentialsFile,
      metadataHost: config.googleMetadataHost,
      timeoutMillis,
    },
    vault: {
      address: config.vaultAddress,
      tokenFile: config.vaultTokenFile,
      namespace: config.vaultNamespace,
      timeoutMillis,
    },
  }
}
