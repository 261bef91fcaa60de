import { createLocalKeyProvider, type KeyProvider } from '../platform/key-provider.ts'
import type { Secret } from '../platform/secret.ts'
import { type AwsSettings, createAwsProvider, isAwsKey } from './aws.ts'
import { type CacheBounds, cachedProvider } from './cache.ts'
import { createGoogleProvider, type GoogleSettings, isGoogleKey } from './google.ts'
import { createFileKeyProvider, isFileKey } from './key-files.ts'
import { createVaultTransitProvider, isVaultKey, type VaultTransitSettings } from './vault-transit.ts'

export interface ProviderSettings {
  rootKey: Secret<Buffer>
  /** Key files are beside it. */
  rootKeyFile: string
  aws: AwsSettings
  google: GoogleSettings
  vault: VaultTransitSettings
}

/** The key that comes from the root key, and that every deployment begins with. */
const ROOT_KEY_ID = 'local:1'

/** For each key of a service: as many data keys as a busy node opens in a minute. */
const CACHE: CacheBounds = { entries: 10_000, millis: 60_000 }

/** The adapter of a key, by what its id begins with. Throws for an id that names none. */
export function providersOf(settings: ProviderSettings): (keyId: string) => KeyProvider {
  const { rootKey, rootKeyFile } = settings
  return (keyId) => {
    if (keyId === ROOT_KEY_ID) return createLocalKeyProvider(rootKey)
    if (isFileKey(keyId)) return createFileKeyProvider(rootKeyFile, keyId)
    if (isAwsKey(keyId)) return cachedProvider(createAwsProvider(settings.aws, keyId), CACHE)
    if (isGoogleKey(keyId)) return cachedProvider(createGoogleProvider(settings.google, keyId), CACHE)
    if (isVaultKey(keyId)) return cachedProvider(createVaultTransitProvider(settings.vault, keyId), CACHE)
    throw new Error(`${keyId} names no key. Write ${FORMS}.`)
  }
}

const FORMS =
  'local for a key in a file, aws:ARN, google:projects/…/locations/…/keyRings/…/cryptoKeys/… or vault:MOUNT/NAME'
