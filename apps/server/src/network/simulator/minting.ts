import { sqlState, type Tx, transaction } from '../../db/transaction.ts'
import { declined, ok } from '../answers.ts'
import { merchantHost } from '../merchant-host.ts'
import type { InquiryResult, MintedCredential, MintRequest, NetworkAnswer } from '../port.ts'
import { newDynamicCvv, newVirtualNumber } from './card-number.ts'
import type { Context } from './context.ts'
import { hang, happensNow, lost } from './faults.ts'
import * as mintStore from './mint-store.ts'
import { type Decision, decideMint, monthEnd } from './rules.ts'
import { findBehaviour, findInstruction } from './store.ts'
import { type Window, windowAt } from './windows.ts'

/** `CardNetwork.mint`, with what the card's script does to question and answer. */
export async function mint(context: Context, request: MintRequest): Promise<NetworkAnswer<MintedCredential>> {
  const { chargeId, mandateId } = request
  const behaviour = (await findBehaviour(context.pool, mandateId))?.behaviour
  if (behaviour === 'mint_request_lost' && (await happensNow(context, chargeId, behaviour))) return lost()
  if (behaviour === 'mint_hangs' && (await happensNow(context, chargeId, behaviour))) await hang(context)
  const answer = await mintOnce(context, request)
  if (behaviour === 'mint_answer_lost' && (await happensNow(context, chargeId, behaviour))) return lost()
  return answer
}

/** Different numbers collide so rarely that a second draw nearly always helps. */
const NUMBER_DRAWS = 5

async function mintOnce(context: Context, request: MintRequest): Promise<NetworkAnswer<MintedCredential>> {
  for (let draw = 1; ; draw += 1) {
    try {
      await transaction(context.pool, (tx) => settle(context, tx, request))
      break
    } catch (error) {
      if (draw === NUMBER_DRAWS || !isNumberTaken(error)) throw error
    }
  }
  // Winner, late comer and retry all read the committed row: one way to answer, one answer.
  const inquiry = await findOutcome(context, request.chargeId)
  switch (inquiry.state) {
    case 'minted':
      return ok(inquiry.credential)
    case 'declined':
      return declined(inquiry.reason)
    case 'not_found':
      throw new Error('A settled mint was not found.')
  }
}

function isNumberTaken(error: unknown): boolean {
  const constraint = error instanceof Error && 'constraint' in error ? error.constraint : undefined
  return sqlState(error) === '23505' && constraint === 'mints_number_lookup_key'
}

/** Gives a charge id its outcome, unless it has one. */
async function settle(context: Context, tx: Tx, request: MintRequest): Promise<void> {
  const host = merchantHost(request.merchantUrl)
  if ((await mintStore.claimMint(tx, request, host, context.clock.now())) === 0) return
  const instruction = await mintStore.lockInstruction(tx, request.mandateId)
  if (instruction === undefined) {
    const tombstone = await findInstruction(tx, request.mandateId)
    await mintStore.updateDeclined(tx, request.chargeId, tombstone ? 'INSTRUCTION_NOT_ACTIVE' : 'NOT_FOUND')
    return
  }
  // Read after the wait for the lock: the rules judge by the time at which they are applied.
  const now = context.clock.now()
  const window = windowAt(instruction.frequency, instruction.registered_at, now)
  const opened = await mintStore.openWindow(tx, request.mandateId, window.startsAt)
  const decision = judge(instruction, opened?.spent_minor ?? 0n, request, now)
  if (decision.allowed) await issue(context, tx, { request, instruction, window, now })
  else await mintStore.updateDeclined(tx, request.chargeId, decision.reason)
}

function judge(
  instruction: mintStore.LockedInstructionRow,
  spentMinor: bigint,
  request: MintRequest,
  now: Date,
): Decision {
  const facts = {
    behaviour: instruction.behaviour,
    tokenActive: instruction.token_active,
    instructionActive: instruction.state === 'active',
    referenceRight: instruction.instruction_ref === request.instructionRef,
    validUntil: instruction.valid_until,
    cap: { minor: instruction.cap_minor, currency: instruction.currency },
    maxCharges: instruction.max_charges,
    chargeCount: instruction.charge_count,
    spentMinor,
    lockedHost: instruction.merchant_host,
    now,
  }
  return decideMint(facts, { amount: request.amount, merchantHost: merchantHost(request.merchantUrl) })
}

interface Issue {
  request: MintRequest
  instruction: mintStore.LockedInstructionRow
  window: Window
  now: Date
}

async function issue({ cipher }: Context, tx: Tx, { request, instruction, window, now }: Issue): Promise<void> {
  const { chargeId, mandateId, amount } = request
  const taken = await mintStore.takeAllowance(tx, mandateId, window.startsAt, amount.minor, now)
  if (taken !== 1) throw new Error('The limits moved although the instruction is locked.')
  const number = newVirtualNumber()
  const { expiryMonth, expiryYear, printedEnd } = printExpiry(now)
  const lapse = new Date(Math.min(printedEnd.getTime(), instruction.valid_until.getTime()))
  await mintStore.updateMinted(tx, chargeId, window.startsAt, {
    numberSealed: cipher.seal(number, { chargeId, field: 'number' }),
    numberLookup: cipher.lookup(number),
    cvvSealed: cipher.seal(newDynamicCvv(), { chargeId, field: 'cvv' }),
    expiryMonth,
    expiryYear,
    validUntil: instruction.behaviour === 'credential_expired' ? now : lapse,
  })
}

/** The card says next month, so every merchant's form takes it today. */
function printExpiry(now: Date): { expiryMonth: string; expiryYear: string; printedEnd: Date } {
  const printed = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
  const [year, month] = [printed.getUTCFullYear(), printed.getUTCMonth() + 1]
  return {
    expiryMonth: String(month).padStart(2, '0'),
    expiryYear: String(year),
    printedEnd: monthEnd({ month, year }),
  }
}

/** `CardNetwork.inquire`. */
export async function inquire(
  context: Context,
  { chargeId }: { chargeId: string },
): Promise<NetworkAnswer<InquiryResult>> {
  return ok(await findOutcome(context, chargeId))
}

async function findOutcome({ pool, cipher }: Context, chargeId: string): Promise<InquiryResult> {
  const found = await mintStore.findMint(pool, chargeId)
  if (found === undefined) return { state: 'not_found' }
  if (found.state === 'declined') return { state: 'declined', reason: found.decline_reason }
  const credential = {
    token: cipher.open(found.number_sealed, { chargeId, field: 'number' }),
    dynamicCvv: cipher.open(found.cvv_sealed, { chargeId, field: 'cvv' }),
    expiryMonth: found.expiry_month,
    expiryYear: found.expiry_year,
    validUntil: found.valid_until,
  }
  return { state: 'minted', credential }
}
