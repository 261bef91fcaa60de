import { createHash } from 'node:crypto'
import { newId } from '../../platform/ids.ts'
import { declined, ok } from '../answers.ts'
import { merchantHost } from '../merchant-host.ts'
import type { InstructionRequest, NetworkAnswer, Registration, Standing } from '../port.ts'
import { chargeLimit } from '../windows.ts'
import { type SimulatorDeps, single } from './deps.ts'
import { happensNow, lost } from './faults.ts'
import { decideRegistration } from './rules.ts'
import * as store from './store.ts'

type Registered = NetworkAnswer<Registration>

/**
 * `CardNetwork.registerInstruction`. The same mandate id with the same terms returns the same reference; with other
 * terms it is refused, since the first reference would let the caller believe in terms that are not enforced.
 */
export async function registerInstruction(deps: SimulatorDeps, request: InstructionRequest): Promise<Registered> {
  const { mandateId, merchant, validUntil } = request
  const termsHash = hashTerms(request)
  const at = deps.clock.now()
  const host = merchant === null ? undefined : merchantHost(merchant.url)
  const asked = { isRefused: false, tokenActive: true, mandateTaken: false, validUntil, merchantHost: host, now: at }
  const row = rowOf(request, { termsHash, merchantHost: host ?? null, at })
  const isLawful = decideRegistration(asked).allowed
  const found = await store.insertInstruction(single(deps), { ...row, isLawful })
  const behaviour = found?.behaviour
  if (behaviour === 'instruction_answer_lost' && (await happensNow(deps, mandateId, behaviour))) return lost(deps)
  if (found?.isRegistered === true) return ok({ instructionRef: row.instructionRef, registeredAt: at })
  const existing = existingOf(found)
  const settled = answerExisting(existing, termsHash)
  if (settled?.outcome === 'ok') return settled
  const tokenActive = found?.isTokenActive === true
  const isRefused = behaviour === 'instruction_refused'
  const facts = { ...asked, isRefused, tokenActive, mandateTaken: existing !== undefined }
  const decision = decideRegistration(facts)
  if (!decision.allowed) return declined(decision.reason)
  // Another call took the mandate id meanwhile, and has committed.
  const winner = answerExisting(await store.findInstruction(deps.pool, { mandateId }), termsHash)
  return winner ?? declined('INSTRUCTION_NOT_ACTIVE')
}

function rowOf(request: InstructionRequest, own: { termsHash: Buffer; merchantHost: string | null; at: Date }) {
  const { mandateId, tokenRef, cap, frequency, maxCharges, validUntil } = request
  const terms = { mandateId, tokenRef, frequency, maxCharges: chargeLimit(frequency, maxCharges), validUntil }
  return { ...terms, ...own, instructionRef: newId('instruction'), currency: cap.currency, capMinor: cap.minor }
}

type Existing = Pick<store.Instruction, 'state' | 'instructionRef' | 'termsHash' | 'registeredAt'>

function existingOf(found: Awaited<ReturnType<typeof store.insertInstruction>>): Existing | undefined {
  if (found === undefined || found.state === null) return undefined
  const { state, instructionRef, termsHash, registeredAt } = found
  return { state, instructionRef, termsHash, registeredAt }
}

function answerExisting(existing: Existing | undefined, termsHash: Buffer): Registered | undefined {
  if (existing === undefined) return undefined
  const { state, instructionRef, registeredAt } = existing
  const isSame = state === 'active' && existing.termsHash?.equals(termsHash) === true
  // A tombstone has neither.
  if (!isSame || instructionRef === null || registeredAt === null) return declined('INSTRUCTION_NOT_ACTIVE')
  return ok({ instructionRef, registeredAt })
}

function hashTerms(request: InstructionRequest): Buffer {
  const { tokenRef, cap, frequency, maxCharges, merchant, validUntil, approvalHash } = request
  const payee = merchant === null ? null : [merchant.name, merchant.url, merchant.country]
  const limits = [cap.minor.toString(), cap.currency, frequency, maxCharges, validUntil.toISOString()]
  return createHash('sha256')
    .update(JSON.stringify([tokenRef, limits, payee, approvalHash]))
    .digest()
}

/** `CardNetwork.cancelInstruction`. */
export async function cancelInstruction(
  deps: SimulatorDeps,
  { mandateId }: { mandateId: string },
): Promise<NetworkAnswer<Record<never, never>>> {
  await store.upsertCancelled(single(deps), { mandateId, at: deps.clock.now() })
  return ok({})
}

/** `CardNetwork.inquireInstruction`. */
export async function inquireInstruction(
  { pool }: SimulatorDeps,
  { mandateId }: { mandateId: string },
): Promise<NetworkAnswer<{ state: Standing }>> {
  const found = await store.findInstruction(pool, { mandateId })
  if (found === undefined) return ok({ state: 'not_found' })
  return ok({ state: found.state === 'active' ? 'active' : 'ended' })
}
