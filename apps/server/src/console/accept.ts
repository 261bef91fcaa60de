import { command } from '../db/command.ts'
import { violates } from '../db/errors.ts'
import type { Queryable } from '../db/statement.ts'
import { sealedInvitation } from '../mail/service.ts'
import type { NewPasskey } from '../passkeys/service.ts'
import { newOrderedId } from '../platform/ids.ts'
import { foldWhiteSpace } from '../platform/text.ts'
import { actBy, SILENT } from './acts.ts'
import { claim, keepingOf, scopeOf } from './ceremony.ts'
import type { Arrival, ConsoleCaller, ConsoleDeps } from './deps.ts'
import { addressKnown, invitationOver, invitedElse, passkeyTaken } from './errors.ts'
import * as store from './invitations-store.ts'
import { findByEmail } from './people-store.ts'
import { sealedMember, sealedPerson } from './seal.ts'
import { openSession, type Token } from './sessions.ts'
import { newVisit, visitOf } from './sign-in.ts'

// Whoever was mailed an invitation proves the address by a code, and makes a passkey; whoever has one joins with it.
// One of any number of acceptances is the first.

/** The invitation of a link, while it waits. Throws for a link that was never mailed, or that is over. */
async function open(deps: ConsoleDeps, link: string): Promise<store.Invitation> {
  const { pool, operatorId: merchantId, clock, seals, mail } = deps
  const invitationId = mail.invitationOfLink(merchantId, link)
  const found = invitationId && (await store.findInvitation(pool, { merchantId, invitationId }))
  if (!found || found.expiresAt <= clock.now()) throw invitationOver()
  seals.check(sealedInvitation({ ...found, merchantId }), found.seal)
  return found
}

/** What an invitation is to. */
export async function readInvitation(deps: ConsoleDeps, link: string) {
  const { accountId, email, role, inviter, expiresAt } = await open(deps, link)
  const account = await deps.merchants.findMerchant(accountId)
  if (account === undefined) throw invitationOver()
  const isKnown = (await findByEmail(deps.pool, { merchantId: deps.operatorId, email })) !== undefined
  return { accountName: account.name, email, role, inviter, expiresAt, isKnown }
}

/** Mails the code that proves the address, in a visit of its own. */
export async function askForCode(deps: ConsoleDeps, link: string) {
  const { email } = await open(deps, link)
  const visit = newVisit()
  const codeEndsAt = await deps.mail.openVisit({ merchantId: deps.operatorId, visit }, email, 'console')
  return { visit, codeEndsAt }
}

/** The code that was mailed. */
export async function proveInvited({ mail, operatorId: merchantId }: ConsoleDeps, visit: string, code: string) {
  await mail.proveVisit({ merchantId, visit }, code)
}

/** The invitation whose address this visit has proven, by whoever has no passkey here yet. */
async function openFor(deps: ConsoleDeps, link: string, visit: string): Promise<store.Invitation> {
  const invitation = await open(deps, link)
  const proven = await deps.mail.provenEmail({ merchantId: deps.operatorId, visit })
  if (proven !== invitation.email) throw invitedElse()
  if ((await findByEmail(deps.pool, { merchantId: deps.operatorId, email: proven })) !== undefined) throw addressKnown()
  return invitation
}

/** A person has the name of the visit that they came in, so that nothing is kept of one who goes away. */
const personOf = (visit: string) => `psn_${visit.slice('vis_'.length)}`

/** The WebAuthn request of a person who has proven the address. */
export async function newPersonOptions(
  deps: ConsoleDeps,
  { link, visit, name }: { link: string; visit: string; name: string },
) {
  const { email } = await openFor(deps, link, visit)
  const scope = scopeOf(deps, visitOf(visit), personOf(visit))
  const challenge = await command(
    deps,
    { name: 'console.ask_registration', why: SILENT, together: 'statement' },
    ({ on, at }) => deps.passkeys.issueRegistration(on, scope, at),
  )
  const shown = { challenge, userLabel: `${foldWhiteSpace(name)}, ${email}`, discoverable: true }
  return { visit, options: await deps.passkeys.registrationOptions(scope, null, shown) }
}

/** Makes the person with their passkey, and signs them in at the account. */
export async function acceptInvitation(
  deps: ConsoleDeps,
  { link, visit, name: given, response }: { link: string; visit: string; name: string; response: unknown },
  arrival: Arrival,
): Promise<Token> {
  const { operatorId: merchantId, passkeys, seals } = deps
  const { id: invitationId, accountId, email, role } = await openFor(deps, link, visit)
  const [personId, name] = [personOf(visit), foldWhiteSpace(given)]
  const answer = passkeys.readRegistration(response)
  const asked = { ceremony: 'registration', challenge: answer.clientData.challenge, passkeyId: '' } as const
  const { claimed } = await claim(deps, visitOf(visit), asked)
  const scope = scopeOf(deps, visitOf(visit), personId)
  const insert = async ({ on, at }: { on: Queryable; at: Date }, { customerId: _, ...passkey }: NewPasskey) => {
    const { browser, system } = arrival.device
    const stored = await store.insertPerson(on, {
      ...{ ...passkey, visit, invitationId, accountId, email, role, browser, system, at },
      ...{ actorId: personId, actor: name, actId: newOrderedId('act', at) },
      personSeal: seals.seal(sealedPerson({ merchantId, id: personId, email, name })),
      memberSeal: seals.seal(sealedMember({ merchantId, accountId, personId, role })),
    })
    if (stored === undefined) throw invitationOver()
    return stored
  }
  const { id: passkeyId } = await passkeys
    .register(scope, answer, claimed, insert, keepingOf(deps, personId).sealed)
    .catch((error: unknown) => {
      if (violates(error, 'people_email_key')) throw addressKnown({ cause: error })
      if (violates(error, 'people_passkeys_pkey')) throw passkeyTaken({ cause: error })
      throw error
    })
  return openSession(deps, { personId, accountId, passkeyId }, arrival)
}

/** A person who is signed in takes the invitation to their address. Returns the account. */
export async function joinAccount(deps: ConsoleDeps, caller: ConsoleCaller, link: string): Promise<string> {
  const { operatorId: merchantId, seals } = deps
  const { id: invitationId, accountId, email, role } = await open(deps, link)
  if (caller.email?.toLowerCase() !== email.toLowerCase()) throw invitedElse()
  const memberSeal = seals.seal(sealedMember({ merchantId, accountId, personId: caller.personId, role }))
  const joined = await command(deps, { name: 'console.join', why: SILENT, together: 'statement' }, ({ on, at }) =>
    store.insertMember(on, { merchantId, invitationId, email, role, memberSeal, ...actBy(caller, at), accountId, at }),
  )
  if (joined === undefined) throw invitationOver()
  return accountId
}
