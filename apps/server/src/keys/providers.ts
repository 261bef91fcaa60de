import { createLocalKeyProvider, type KeyProvider } from '../platform/key-provider.ts'
import type { Secret } from '../platform/secret.ts'
import { createFileKeyProvider, isFileKey } from './key-files.ts'

export interface ProviderSettings {
  rootKey: Secret<Buffer>
  /** Key files are beside it. */
  rootKeyFile: string
}

/** The key that comes from the root key, and that every deployment begins with. */
const ROOT_KEY_ID = 'local:1'

/** The adapter of a key, by what its id begins with. Throws for an id that names none. */
export function providersOf({ rootKey, rootKeyFile }: ProviderSettings): (keyId: string) => KeyProvider {
  return (keyId) => {
    if (keyId === ROOT_KEY_ID) return createLocalKeyProvider(rootKey)
    if (isFileKey(keyId)) return createFileKeyProvider(rootKeyFile, keyId)
    throw new Error(`${keyId} names no key. Write local for a key in a file.`)
  }
}
