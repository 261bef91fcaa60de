import type { ApiKeyKind, ApiKeyRole } from '@mintmark/contract'
import { notFound } from '../platform/errors.ts'
import type { Secret } from '../platform/secret.ts'
import { noteAct } from './acts.ts'
import type { ConsoleCaller, ConsoleDeps } from './deps.ts'

// The API keys of an account. What one opens is handed out once, when it is made, and is kept nowhere.

const HOUR = 60 * 60

/** The API keys of the account without what they open, the newest first; and whether each works right now. */
export async function listKeys({ merchants, clock }: ConsoleDeps, { merchantId }: ConsoleCaller) {
  const now = clock.now()
  const keys = await merchants.listKeys(merchantId)
  return keys.toReversed().map((key) => ({ ...key, works: key.revokedAt === null || key.revokedAt > now }))
}

interface MadeKey {
  label: string
  key: Secret
}

/** One more key; the others stay. */
export async function makeKey(
  deps: ConsoleDeps,
  caller: ConsoleCaller,
  { kind, role }: { kind: ApiKeyKind; role: ApiKeyRole },
): Promise<MadeKey> {
  const { keyId, key } = await deps.merchants.createKey(caller.merchantId, kind, role)
  const label = await labelOf(deps, caller, keyId)
  await noteAct(deps, caller, 'key_made', label)
  return { label, key }
}

async function labelOf({ merchants }: ConsoleDeps, { merchantId }: ConsoleCaller, keyId: string): Promise<string> {
  const found = (await merchants.listKeys(merchantId)).find(({ id }) => id === keyId)
  if (found === undefined) throw notFound()
  return found.label
}

/** The key of a label, by which a list names it. */
function idIn(label: string): string {
  const [, id] = /^[a-z]{2}_[a-z]+_([0-9a-z]{16})$/.exec(label) ?? []
  if (id === undefined) throw notFound()
  return id
}

/** Another key in place of one that works for so many hours more. */
export async function rollKey(
  deps: ConsoleDeps,
  caller: ConsoleCaller,
  { label, hours }: { label: string; hours: number },
): Promise<MadeKey> {
  const made = await deps.merchants.rollKey(caller.merchantId, { keyId: idIn(label), seconds: hours * HOUR })
  await noteAct(deps, caller, 'key_rolled', label)
  return made
}

/** It is refused everywhere within a second, for good. */
export async function revokeKey(deps: ConsoleDeps, caller: ConsoleCaller, label: string): Promise<void> {
  await deps.merchants.endKey(caller.merchantId, idIn(label))
  await noteAct(deps, caller, 'key_revoked', label)
}
