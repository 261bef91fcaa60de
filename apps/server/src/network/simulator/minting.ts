import { violates } from '../../db/errors.ts'
import { type Tx, transaction } from '../../db/transaction.ts'
import { addSeconds } from '../../platform/clock.ts'
import { declined, ok } from '../answers.ts'
import type { Decision } from '../limits.ts'
import { merchantHost } from '../merchant-host.ts'
import type { InquiryResult, MintedCredential, MintRequest, NetworkAnswer } from '../port.ts'
import { type Window, windowAt } from '../windows.ts'
import { newDynamicCvv, newVirtualNumber } from './card-number.ts'
import { type SimulatorDeps, single } from './deps.ts'
import { hang, happensNow, lost } from './faults.ts'
import * as mintStore from './mint-store.ts'
import { decideMint, monthEnd, printedMonth } from './rules.ts'
import { findInstruction } from './store.ts'

/** `CardNetwork.mint`, with what the card's script does to question and answer. */
export async function mint(deps: SimulatorDeps, request: MintRequest): Promise<NetworkAnswer<MintedCredential>> {
  const { chargeId, mandateId } = request
  const instruction = await mintStore.findInstructionAsked(deps.pool, { mandateId, chargeId })
  const behaviour = instruction?.behaviour
  if (behaviour === 'mint_request_lost' && (await happensNow(deps, chargeId, behaviour))) return lost(deps)
  if (behaviour === 'mint_hangs' && (await happensNow(deps, chargeId, behaviour))) await hang(deps)
  const isNew = instruction !== undefined && !instruction.wasAsked
  const minted = isNew ? await mintAtOnce(deps, request, instruction) : undefined
  const answer = minted === undefined ? await mintLocked(deps, request) : ok(minted)
  if (behaviour === 'mint_answer_lost' && (await happensNow(deps, chargeId, behaviour))) return lost(deps)
  return answer
}

/**
 * A mint that nothing stands against, as nearly all are, in one statement. Undefined: something does, or the charge id
 * or the number was taken meanwhile; nothing has changed then. It is judged by the time at which it was asked.
 */
async function mintAtOnce(
  deps: SimulatorDeps,
  request: MintRequest,
  instruction: mintStore.JudgedInstruction,
): Promise<MintedCredential | undefined> {
  const { chargeId, mandateId } = request
  const now = deps.clock.now()
  // What is spent is known when it is locked: the statement looks.
  if (!judge(instruction, 0n, request, now).allowed) return undefined
  const { startsAt: startedAt } = windowAt(instruction.frequency, instruction.registeredAt, now)
  const credential = draw(instruction, request.lifeMinutes, now)
  const row = { mandateId, startedAt, ...askedOf(request), ...sealed(deps, chargeId, credential), at: now }
  try {
    return (await mintStore.insertMinted(single(deps), row)) === undefined ? undefined : credential
  } catch (error) {
    if (violates(error, 'mints_pkey') || violates(error, NUMBER_IN_USE)) return undefined
    throw error
  }
}

/** Different numbers collide so rarely that a second draw nearly always helps. */
const NUMBER_DRAWS = 5
const NUMBER_IN_USE = 'mints_number_lookup_key'

async function mintLocked(deps: SimulatorDeps, request: MintRequest): Promise<NetworkAnswer<MintedCredential>> {
  for (let number = 1; ; number += 1) {
    try {
      await transaction(deps.pool, (tx) => decide(deps, tx, request))
      break
    } catch (error) {
      if (number === NUMBER_DRAWS || !violates(error, NUMBER_IN_USE)) throw error
    }
  }
  // Late comer and retry read the committed row: one way to answer, one answer.
  const inquiry = await findOutcome(deps, request.chargeId)
  switch (inquiry.state) {
    case 'minted':
      return ok(inquiry.credential)
    case 'declined':
      return declined(inquiry.reason)
    // Asked for again after its outcome was confirmed, or after it was released: there is no credential of it any more.
    case 'returned':
      return declined('NOT_FOUND')
    case 'not_found':
    case 'lost':
      throw new Error('A decided mint was not found.')
  }
}

/** Gives a charge id its outcome, unless it has one. */
async function decide(deps: SimulatorDeps, tx: Tx, request: MintRequest): Promise<void> {
  const { chargeId, mandateId } = request
  const instruction = await mintStore.lockInstruction(tx, { mandateId })
  if ((await mintStore.claimMint(tx, { mandateId, ...askedOf(request), at: deps.clock.now() })) === 0) return
  if (instruction === undefined) {
    const tombstone = await findInstruction(tx, { mandateId })
    const reason = tombstone === undefined ? 'NOT_FOUND' : 'INSTRUCTION_NOT_ACTIVE'
    await mintStore.updateDeclined(tx, { chargeId, reason })
    return
  }
  // Read after the wait for the lock: the rules judge by the time at which they are applied.
  const now = deps.clock.now()
  const window = windowAt(instruction.frequency, instruction.registeredAt, now)
  const locked = await mintStore.lockWindow(tx, { mandateId, startedAt: window.startsAt })
  const decision = judge(instruction, locked?.spentMinor ?? 0n, request, now)
  if (decision.allowed) await issue(deps, tx, { request, instruction, window, now })
  else await mintStore.updateDeclined(tx, { chargeId, reason: decision.reason })
}

function askedOf({ chargeId, amount, merchantUrl }: MintRequest) {
  return { chargeId, currency: amount.currency, amountMinor: amount.minor, merchantHost: merchantHost(merchantUrl) }
}

function judge(
  instruction: mintStore.JudgedInstruction,
  spentMinor: bigint,
  request: MintRequest,
  now: Date,
): Decision {
  const facts = {
    behaviour: instruction.behaviour,
    tokenActive: instruction.tokenActive,
    instructionActive: instruction.state === 'active',
    referenceRight: instruction.instructionRef === request.instructionRef,
    validUntil: instruction.validUntil,
    cap: { minor: instruction.capMinor, currency: instruction.currency },
    maxCharges: instruction.maxCharges,
    chargeCount: instruction.chargeCount,
    spentMinor,
    lockedHost: instruction.merchantHost,
    now,
  }
  return decideMint(facts, { amount: request.amount, merchantHost: merchantHost(request.merchantUrl) })
}

interface Issue {
  request: MintRequest
  instruction: mintStore.JudgedInstruction
  window: Window
  now: Date
}

async function issue(deps: SimulatorDeps, tx: Tx, { request, instruction, window, now }: Issue): Promise<void> {
  const { chargeId, mandateId, amount } = request
  const startedAt = window.startsAt
  const taken = await mintStore.claimAllowance(tx, { mandateId, startedAt, amountMinor: amount.minor, at: now })
  if (taken !== 1) throw new Error('The limits moved although the instruction is locked.')
  await mintStore.updateMinted(tx, {
    chargeId,
    startedAt,
    ...sealed(deps, chargeId, draw(instruction, request.lifeMinutes, now)),
  })
}

/** A credential that is not stored yet. */
function draw(instruction: mintStore.JudgedInstruction, lifeMinutes: number | null, now: Date): MintedCredential {
  const end = lifeMinutes === null ? null : earlier(addSeconds(now, lifeMinutes * 60), instruction.validUntil)
  const { year, month } = printedMonth(now, { ...instruction, end })
  return {
    token: newVirtualNumber(),
    dynamicCvv: newDynamicCvv(),
    expiryMonth: String(month).padStart(2, '0'),
    expiryYear: String(year),
    validUntil: end ?? earlier(monthEnd({ month, year }), instruction.validUntil),
  }
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other
}

function sealed({ cipher }: SimulatorDeps, chargeId: string, { token, dynamicCvv, ...shown }: MintedCredential) {
  return {
    ...shown,
    numberSealed: cipher.seal(token, { chargeId, field: 'number' }),
    numberLookup: cipher.lookup(token),
    cvvSealed: cipher.seal(dynamicCvv, { chargeId, field: 'cvv' }),
  }
}

/** `CardNetwork.inquire`. */
export async function inquire(
  deps: SimulatorDeps,
  { chargeId }: { chargeId: string },
): Promise<NetworkAnswer<InquiryResult>> {
  return ok(await findOutcome(deps, chargeId))
}

async function findOutcome({ pool, cipher }: SimulatorDeps, chargeId: string): Promise<InquiryResult> {
  const found = await mintStore.findMint(pool, chargeId)
  if (found === undefined) return { state: 'not_found' }
  if (found.state === 'declined') return { state: 'declined', reason: found.declineReason }
  if (found.state === 'released' || found.confirmedOutcome === 'DECLINED') return { state: 'returned' }
  const credential = {
    token: cipher.unseal(found.numberSealed, { chargeId, field: 'number' }),
    dynamicCvv: cipher.unseal(found.cvvSealed, { chargeId, field: 'cvv' }),
    expiryMonth: found.expiryMonth,
    expiryYear: found.expiryYear,
    validUntil: found.validUntil,
  }
  return { state: 'minted', credential }
}
