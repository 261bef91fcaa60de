import { createHash } from 'node:crypto'
import { command } from '../db/command.ts'
import { violates } from '../db/errors.ts'
import type { Queryable } from '../db/statement.ts'
import type { NewPasskey } from '../passkeys/service.ts'
import type { Device } from '../platform/device.ts'
import { idFrom } from '../platform/ids.ts'
import { foldWhiteSpace } from '../platform/text.ts'
import { actBy, SILENT } from './acts.ts'
import { claim, keepingOf, scopeOf } from './ceremony.ts'
import type { ConsoleCaller, ConsoleDeps } from './deps.ts'
import { lastPasskey, ownPasskeyNotFound, passkeyTaken, tooManyPasskeys } from './errors.ts'
import * as store from './passkey-store.ts'

// What a person sees of their passkeys, makes and ends. Ending takes away, so it asks for none; the last one stays.

const MAX_PASSKEYS = 10

/** How one is named to its person: credential ids are long, and those of some keepers say who keeps them. */
const nameOf = (credentialId: string) => idFrom('passkey', createHash('sha256').update(credentialId).digest())

const subjectOf = (personId: string) => ({ type: 'console_act', id: personId }) as const

export async function listPasskeys(
  { pool, operatorId: merchantId }: ConsoleDeps,
  { personId, passkeyId }: ConsoleCaller,
) {
  const found = await store.listPasskeys(pool, { merchantId, personId })
  return found.map((passkey) => ({ ...passkey, ref: nameOf(passkey.id), isThis: passkey.id === passkeyId }))
}
export type ListedPasskey = Awaited<ReturnType<typeof listPasskeys>>[number]

/** The WebAuthn request for another passkey, of a person who has just used one. */
export async function newPasskeyOptions(deps: ConsoleDeps, caller: ConsoleCaller) {
  const { personId, name, email } = caller
  const scope = scopeOf(deps, subjectOf(personId), personId)
  const challenge = await command(
    deps,
    { name: 'console.ask_registration', why: SILENT, together: 'statement' },
    ({ on, at }) => deps.passkeys.issueRegistration(on, scope, at),
  )
  const userLabel = email === null ? name : `${name}, ${email}`
  return deps.passkeys.registrationOptions(scope, null, { challenge, userLabel, discoverable: true })
}

/** Stores another passkey beside those of the person. */
export async function addPasskey(
  deps: ConsoleDeps,
  caller: ConsoleCaller,
  { name: given, response, device }: { name: string; response: unknown; device: Device },
): Promise<void> {
  const { passkeys } = deps
  const { personId } = caller
  const answer = passkeys.readRegistration(response)
  const asked = { ceremony: 'registration', challenge: answer.clientData.challenge, passkeyId: '' } as const
  const { claimed } = await claim(deps, subjectOf(personId), asked)
  const insert = async ({ on, at }: { on: Queryable; at: Date }, { customerId: _, ...passkey }: NewPasskey) => {
    const { browser, system } = device
    const shown = { name: foldWhiteSpace(given), browser, system, most: MAX_PASSKEYS, at }
    const stored = await store.insertPasskey(on, { ...passkey, ...actBy(caller, at), ...shown })
    if (stored === undefined) throw tooManyPasskeys()
    return stored
  }
  const scope = scopeOf(deps, subjectOf(personId), personId)
  await passkeys.register(scope, answer, claimed, insert, keepingOf(deps, personId).sealed).catch((error: unknown) => {
    throw violates(error, 'people_passkeys_pkey') ? passkeyTaken({ cause: error }) : error
  })
}

async function find(deps: ConsoleDeps, caller: ConsoleCaller, ref: string): Promise<ListedPasskey> {
  const found = (await listPasskeys(deps, caller)).find((passkey) => passkey.ref === ref)
  if (found === undefined) throw ownPasskeyNotFound()
  return found
}

export async function namePasskey(deps: ConsoleDeps, caller: ConsoleCaller, ref: string, name: string): Promise<void> {
  const { operatorId: merchantId } = deps
  const { id: passkeyId } = await find(deps, caller, ref)
  const values = { merchantId, personId: caller.personId, passkeyId, name: foldWhiteSpace(name) }
  const named = await command(deps, { name: 'console.name_passkey', why: SILENT, together: 'statement' }, ({ on }) =>
    store.updateName(on, values),
  )
  if (named === undefined) throw ownPasskeyNotFound()
}

/** Ends it, and with it the sessions that it began. */
export async function endPasskey(deps: ConsoleDeps, caller: ConsoleCaller, ref: string): Promise<{ isThis: boolean }> {
  const { operatorId: merchantId } = deps
  const { id: passkeyId, isThis } = await find(deps, caller, ref)
  const ended = await command(deps, { name: 'console.end_passkey', why: SILENT, together: 'statement' }, ({ on, at }) =>
    store.retirePasskey(on, { merchantId, passkeyId, ...actBy(caller, at), at }),
  )
  if (ended === undefined) {
    // Another press may have ended it meanwhile: then it is not there any more, and was not the last.
    await find(deps, caller, ref)
    throw lastPasskey()
  }
  return { isThis }
}
