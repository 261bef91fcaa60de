import { command } from '../db/command.ts'
import { canonicalJson } from '../platform/canonical-json.ts'
import { newOrderedId, randomText } from '../platform/ids.ts'
import { SILENT } from './acts.ts'
import { claim, keepingOf, scopeOf } from './ceremony.ts'
import type { Arrival, ConsoleDeps } from './deps.ts'
import { noAccount, passkeyUnknown, usedElsewhere } from './errors.ts'
import { listAccounts } from './people-store.ts'
import { newSession, type Token } from './sessions.ts'
import { findPerson, insertSignedIn } from './sessions-store.ts'

// A visit is what a person begins before the service knows them: its challenge is good for this one ceremony.

/** How a visit is called. Only its browser knows it. */
export const newVisit = () => `vis_${randomText(20)}`

export const visitOf = (visit: string) => ({ type: 'console_visit', id: visit }) as const

/** The WebAuthn request for a person who has a passkey. The browser shows which ones it has. */
export async function signInOptions(deps: ConsoleDeps) {
  await deps.ensureAccount()
  const visit = newVisit()
  const place = { merchantId: deps.operatorId, subject: visitOf(visit) }
  const text = canonicalJson({ ceremony: 'console_sign_in', visit })
  return { visit, options: await deps.passkeys.discoveryOptions(place, text) }
}

/** Signs in the person of the passkey, at the account that they came to first. */
export async function signIn(deps: ConsoleDeps, visit: string, response: unknown, arrival: Arrival): Promise<Token> {
  const { operatorId: merchantId, passkeys, pool } = deps
  const answer = passkeys.readAssertion(response)
  const { json, clientData } = answer
  const asked = { ceremony: 'assertion', challenge: clientData.challenge, passkeyId: json.id } as const
  const { claimed, passkey, personId } = await claim(deps, visitOf(visit), asked)
  if (personId === null) throw passkeyUnknown()
  const scope = scopeOf(deps, visitOf(visit), personId)
  const signed = await passkeys.verify(scope, answer, { claimed, passkey }, keepingOf(deps, personId))
  const [account] = await listAccounts(pool, { merchantId, personId, limit: 1 })
  const person = await findPerson(pool, { merchantId, personId })
  if (account === undefined || person === undefined) throw noAccount()
  const { accountId } = account
  const { passkeyId, newSignCount: signCount, backedUp } = signed
  const { token, row } = newSession(deps, { personId, accountId, passkeyId }, arrival)
  const begun = await command(
    deps,
    { name: 'console.begin_session', why: SILENT, together: 'statement' },
    ({ on, at }) => {
      const acted = { actorId: personId, actor: person.name, actId: newOrderedId('act', at), at }
      return insertSignedIn(on, { ...row, passkeyId, signCount, backedUp, ...acted })
    },
  )
  if (begun === undefined) throw usedElsewhere()
  return { token, digest: row.digest, expiresAt: row.expiresAt }
}
