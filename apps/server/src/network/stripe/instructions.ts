import { createHash } from 'node:crypto'
import { newId } from '../../platform/ids.ts'
import { declined, ok } from '../answers.ts'
import { decide } from '../limits.ts'
import { merchantHost } from '../merchant-host.ts'
import type { InstructionRequest, NetworkAnswer, Registration, Standing } from '../port.ts'
import { chargeLimit } from '../windows.ts'
import { type StripeDeps, single } from './deps.ts'
import { endCardOf } from './ending.ts'
import * as store from './store.ts'

// Stripe has no counterpart of an instruction: it is a row of ours, and what it limits is held when a card is made.

type Registered = NetworkAnswer<Registration>

/** `CardNetwork.registerInstruction`. The same mandate id with other terms is refused. */
export async function registerInstruction(deps: StripeDeps, request: InstructionRequest): Promise<Registered> {
  const { mandateId, tokenRef, cap, frequency, maxCharges, merchant, validUntil } = request
  const at = deps.clock.now()
  const termsHash = hashTerms(request)
  const host = merchant === null ? undefined : merchantHost(merchant.url)
  const decision = decide({
    INSTRUCTION_EXPIRED: validUntil <= at,
    CURRENCY_MISMATCH: cap.currency !== deps.currency,
    MERCHANT_NOT_ALLOWED: host === null,
  })
  if (decision.allowed) {
    const terms = { currency: cap.currency, capMinor: cap.minor, frequency, validUntil, termsHash }
    await store.insertInstruction(single(deps), {
      ...{ ...terms, mandateId, tokenRef, instructionRef: newId('instruction'), at },
      maxCharges: chargeLimit(frequency, maxCharges),
      merchantHost: host ?? null,
      merchantCountry: merchant?.country ?? null,
    })
  }
  const found = await store.findInstruction(deps.pool, { mandateId })
  if (found === undefined) {
    if (!decision.allowed) return declined(decision.reason)
    return declined('TOKEN_NOT_ACTIVE')
  }
  const { state, instructionRef, registeredAt } = found
  const isSame = state === 'active' && found.termsHash?.equals(termsHash) === true
  if (isSame && instructionRef !== null && registeredAt !== null) return ok({ instructionRef, registeredAt })
  const token = await store.findTokenState(deps.pool, { tokenRef })
  return declined(token?.state === 'active' ? 'INSTRUCTION_NOT_ACTIVE' : 'TOKEN_NOT_ACTIVE')
}

function hashTerms(request: InstructionRequest): Buffer {
  const { tokenRef, cap, frequency, maxCharges, merchant, validUntil, approvalHash } = request
  const payee = merchant === null ? null : [merchant.name, merchant.url, merchant.country]
  const limits = [cap.minor.toString(), cap.currency, frequency, maxCharges, validUntil.toISOString()]
  return createHash('sha256')
    .update(JSON.stringify([tokenRef, limits, payee, approvalHash]))
    .digest()
}

/** `CardNetwork.cancelInstruction`: nothing is made from it any more, and every card that was is ended at Stripe. */
export async function cancelInstruction(
  deps: StripeDeps,
  { mandateId }: { mandateId: string },
): Promise<NetworkAnswer<Record<never, never>>> {
  await store.upsertCancelled(single(deps), { mandateId, at: deps.clock.now() })
  for (const { chargeId } of await store.listOpenOfMandate(deps.pool, { mandateId })) {
    const ended = await endCardOf(deps, chargeId)
    if (ended.outcome === 'unknown') return ended
  }
  return ok({})
}

/** `CardNetwork.inquireInstruction`: what the row says. */
export async function inquireInstruction(
  { pool }: StripeDeps,
  { mandateId }: { mandateId: string },
): Promise<NetworkAnswer<{ state: Standing }>> {
  const found = await store.findInstruction(pool, { mandateId })
  if (found === undefined) return ok({ state: 'not_found' })
  return ok({ state: found.state === 'active' ? 'active' : 'ended' })
}
