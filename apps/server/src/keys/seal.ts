import type { SealedRow } from '../platform/row-seals.ts'
import type { KeyRow } from './store.ts'

/** What must not be edited of a key: an editor of the database must not choose which key wraps the next card number. */
export function sealedKeyRow({ id, state, probe }: Omit<KeyRow, 'seal'>): SealedRow {
  return { table: 'key_encryption_keys', merchantId: '', id, parts: [state, probe] }
}

/** What the probe of a key is bound to. */
export function probeContext(keyId: string): Buffer {
  return Buffer.from(`mintmark key probe ${keyId}`, 'utf8')
}
