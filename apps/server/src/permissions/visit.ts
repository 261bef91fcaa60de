import { command } from '../db/command.ts'
import type { CeremonyScope } from '../passkeys/service.ts'
import { canonicalJson } from '../platform/canonical-json.ts'
import { addSeconds } from '../platform/clock.ts'
import { notFound } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import type { PermissionDeps } from './deps.ts'
import { passkeyUnknown, visitChanged } from './errors.ts'
import * as store from './store.ts'
import type { Visitor } from './token.ts'

// A visit begins before it is known who comes: its challenge is good for this one ceremony, at this merchant. What it
// ends in is a token.

/** Long enough to read, and to look for the right one of many. */
export const VISIT_SECONDS = 10 * 60

/** The WebAuthn request of whoever comes; it is the same whether they have ever allowed anything or not. */
export async function signInOptions(deps: PermissionDeps, merchantId: string) {
  if ((await deps.merchants.findMerchant(merchantId)) === undefined) throw notFound()
  const visit = newId('customer')
  const text = canonicalJson({ ceremony: 'permissions', account: merchantId, visit })
  const options = await deps.passkeys.discoveryOptions(scopeOf(merchantId, visit, visit), text)
  return { visit, options }
}

/** The customer of the passkey. `PASSKEY_FAILED` for one that no customer has at this merchant. */
export async function signIn(
  deps: PermissionDeps,
  { merchantId, visit, response }: { merchantId: string; visit: string; response: unknown },
): Promise<{ token: string; visitor: Visitor }> {
  const answer = deps.passkeys.readAssertion(response)
  const { claimed, passkey, customerId } = await deps.passkeys.claimDiscovered(
    { merchantId, subject: subjectOf(visit) },
    { ceremony: 'assertion', challenge: answer.clientData.challenge, passkeyId: answer.json.id },
  )
  if (customerId === null) throw passkeyUnknown()
  const assertion = await deps.passkeys.verify(scopeOf(merchantId, visit, customerId), answer, { claimed, passkey })
  const { passkeyId, newSignCount: signCount, backedUp } = assertion
  const why = 'Who looks changes nothing.'
  const recorded = await command(deps, { name: 'permissions.sign_in', why, together: 'statement' }, ({ on, at }) =>
    store.recordVisit(on, { merchantId, customerId, passkeyId, signCount, backedUp, at }),
  )
  if (recorded === undefined) throw visitChanged()
  const visitor = { merchantId, customerId, expiresAt: addSeconds(deps.clock.now(), VISIT_SECONDS) }
  return { token: await deps.tokens.sign(visitor), visitor }
}

const subjectOf = (visit: string) => ({ type: 'permissions_visit', id: visit }) as const

function scopeOf(merchantId: string, visit: string, customerId: string): CeremonyScope {
  return { merchantId, customerId, subject: subjectOf(visit), allowedOrigins: [] }
}
