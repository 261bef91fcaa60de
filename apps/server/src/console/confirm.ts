import type { ConsoleConfirmation } from '@mintmark/contract/wire/console-people'
import { command } from '../db/command.ts'
import { canonicalJson } from '../platform/canonical-json.ts'
import { SILENT } from './acts.ts'
import { claim, keepingOf, scopeOf } from './ceremony.ts'
import type { ConsoleCaller, ConsoleDeps } from './deps.ts'
import { notConfirmed, usedElsewhere } from './errors.ts'
import { listPasskeys } from './passkey-store.ts'
import { DEMO_PERSON } from './sessions.ts'
import { updatePasskeyUsed } from './sessions-store.ts'

// What widens is signed: the challenge binds who does what, to whom and where, so that a confirmation is good for that
// alone, and a stolen cookie for none of it.

/** What `act` is, byte for byte, as it is signed. */
const textOf = ({ merchantId: account, personId: person }: ConsoleCaller, act: ConsoleConfirmation) =>
  canonicalJson({ ceremony: 'console_act', account, person, ...act })

const actOf = (personId: string) => ({ type: 'console_act', id: personId }) as const

/** The WebAuthn request for an act. Null: whoever opened the demo account by one press has no passkey. */
export async function confirmation(deps: ConsoleDeps, caller: ConsoleCaller, act: ConsoleConfirmation) {
  const { operatorId: merchantId, pool, passkeys } = deps
  const { personId } = caller
  if (personId === DEMO_PERSON.id) return null
  const [passkey = null, ...beside] = await listPasskeys(pool, { merchantId, personId })
  const owner = { merchantId, customerId: personId, subject: actOf(personId) }
  const asked = passkey && { ...passkey, beside }
  return passkeys.assertionOptions(owner, asked, { embedded: false, text: textOf(caller, act) })
}

/**
 * Throws unless the person has just signed this act. In a sandbox whoever opened the demo account by one press may
 * invite, so that people with passkeys come in; nothing else that widens.
 */
export async function confirmed(
  deps: ConsoleDeps,
  caller: ConsoleCaller,
  act: ConsoleConfirmation,
  response: object | null,
): Promise<void> {
  const { operatorId: merchantId, passkeys } = deps
  const { personId } = caller
  if (personId === DEMO_PERSON.id && act.act === 'invite') return
  if (response === null) throw notConfirmed()
  const answer = passkeys.readAssertion(response)
  const asked = { ceremony: 'assertion', challenge: answer.clientData.challenge, passkeyId: answer.json.id } as const
  const { claimed, passkey, personId: signer } = await claim(deps, actOf(personId), asked)
  if (signer !== personId || claimed?.boundText !== textOf(caller, act)) throw notConfirmed()
  const scope = scopeOf(deps, actOf(personId), personId)
  const signed = await passkeys.verify(scope, answer, { claimed, passkey }, keepingOf(deps, personId))
  const { passkeyId, newSignCount: signCount, backedUp } = signed
  const used = await command(deps, { name: 'console.use_passkey', why: SILENT, together: 'statement' }, ({ on, at }) =>
    updatePasskeyUsed(on, { merchantId, personId, passkeyId, signCount, backedUp, at }),
  )
  if (used === undefined) throw usedElsewhere()
}
