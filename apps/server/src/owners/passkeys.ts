import { createHash } from 'node:crypto'
import { command } from '../db/command.ts'
import { idFrom } from '../platform/ids.ts'
import { foldWhiteSpace } from '../platform/text.ts'
import type { OwnerCaller, OwnerDeps } from './deps.ts'
import { lastPasskey, ownPasskeyNotFound } from './errors.ts'
import * as store from './passkey-store.ts'

// What an owner sees of their passkeys, and ends. Ending takes away, so it needs no passkey; the last one stays.

/** How one is named to its owner: credential ids are long, and those of some keepers say who keeps them. */
const nameOf = (credentialId: string) => idFrom('passkey', createHash('sha256').update(credentialId).digest())

export async function listPasskeys({ pool }: OwnerDeps, { merchantId, customerId, passkeyId }: OwnerCaller) {
  const found = await store.listPasskeys(pool, { merchantId, customerId })
  return found.map((passkey) => ({ ...passkey, ref: nameOf(passkey.id), isThis: passkey.id === passkeyId }))
}
export type ListedPasskey = Awaited<ReturnType<typeof listPasskeys>>[number]

async function find(deps: OwnerDeps, caller: OwnerCaller, ref: string): Promise<ListedPasskey> {
  const found = (await listPasskeys(deps, caller)).find((passkey) => passkey.ref === ref)
  if (found === undefined) throw ownPasskeyNotFound()
  return found
}

export async function namePasskey(deps: OwnerDeps, caller: OwnerCaller, ref: string, name: string): Promise<void> {
  const { merchantId, customerId } = caller
  const { id: passkeyId } = await find(deps, caller, ref)
  const values = { merchantId, customerId, passkeyId, name: foldWhiteSpace(name) }
  const why = 'Owners have no feed.'
  const named = await command(deps, { name: 'owners.name_passkey', why, together: 'statement' }, ({ on }) =>
    store.upsertName(on, values),
  )
  if (named === undefined) throw ownPasskeyNotFound()
}

/** Ends it, and with it the sessions that it began. */
export async function endPasskey(deps: OwnerDeps, caller: OwnerCaller, ref: string): Promise<{ isThis: boolean }> {
  const { merchantId, customerId } = caller
  const { id: passkeyId, isThis } = await find(deps, caller, ref)
  const why = 'Owners have no feed.'
  const ended = await command(deps, { name: 'owners.end_passkey', why, together: 'statement' }, ({ on, at }) =>
    store.retirePasskey(on, { merchantId, customerId, passkeyId, at }),
  )
  if (ended === undefined) {
    // Another press may have ended it meanwhile: then it is not there any more, and was not the last.
    await find(deps, caller, ref)
    throw lastPasskey()
  }
  return { isThis }
}
