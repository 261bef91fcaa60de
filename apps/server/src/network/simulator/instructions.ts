import { createHash } from 'node:crypto'
import { type Tx, transaction } from '../../db/transaction.ts'
import { newId } from '../../platform/ids.ts'
import { declined, ok } from '../answers.ts'
import { merchantHost } from '../merchant-host.ts'
import type { InstructionRequest, NetworkAnswer } from '../port.ts'
import type { SimulatorDeps } from './deps.ts'
import { decideRegistration } from './rules.ts'
import * as store from './store.ts'

type Registered = NetworkAnswer<{ instructionRef: string }>

/**
 * `CardNetwork.registerInstruction`. The same mandate id with the same terms returns the same reference; with other
 * terms it is refused, since the first reference would let the caller believe in terms that are not enforced.
 */
export function registerInstruction(deps: SimulatorDeps, request: InstructionRequest): Promise<Registered> {
  return transaction(deps.pool, async (tx) => {
    const termsHash = hashTerms(request)
    const token = await store.lockToken(tx, { tokenRef: request.tokenRef })
    const existing = await store.findInstruction(tx, { mandateId: request.mandateId })
    const settled = answerExisting(existing, termsHash)
    if (settled?.outcome === 'ok') return settled
    const now = deps.clock.now()
    const decision = decideRegistration({
      tokenActive: token?.state === 'active',
      mandateTaken: existing !== undefined,
      validUntil: request.validUntil,
      merchantHost: request.merchant === null ? undefined : merchantHost(request.merchant.url),
      now,
    })
    return decision.allowed ? insert(tx, request, termsHash, now) : declined(decision.reason)
  })
}

async function insert(tx: Tx, request: InstructionRequest, termsHash: Buffer, at: Date): Promise<Registered> {
  const instructionRef = newId('instruction')
  const host = request.merchant === null ? null : merchantHost(request.merchant.url)
  const { mandateId, tokenRef, approvalHash, cap, frequency, maxCharges, validUntil } = request
  const terms = {
    tokenRef,
    approvalHash,
    currency: cap.currency,
    capMinor: cap.minor,
    frequency,
    maxCharges,
    validUntil,
  }
  const own = { mandateId, instructionRef, termsHash, merchantHost: host, at }
  const inserted = await store.insertInstruction(tx, { ...terms, ...own })
  if (inserted === 1) return ok({ instructionRef })
  // Another call took the mandate id since our read, and has committed.
  const winner = answerExisting(await store.findInstruction(tx, { mandateId: request.mandateId }), termsHash)
  return winner ?? declined('INSTRUCTION_NOT_ACTIVE')
}

function answerExisting(existing: store.Instruction | undefined, termsHash: Buffer): Registered | undefined {
  if (existing === undefined) return undefined
  const same = existing.state === 'active' && existing.termsHash?.equals(termsHash) === true
  return same ? ok({ instructionRef: existing.instructionRef ?? '' }) : declined('INSTRUCTION_NOT_ACTIVE')
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
  const at = deps.clock.now()
  await transaction(deps.pool, async (tx) => {
    await store.upsertCancelled(tx, { mandateId, at })
    await store.updateCredentialsClosed(tx, { mandateId })
  })
  return ok({})
}
