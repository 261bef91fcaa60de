import { type Tx, transaction } from '../../db/transaction.ts'
import { addSeconds } from '../../platform/clock.ts'
import { declined, ok } from '../answers.ts'
import { type Decision, decide, limitFindings } from '../limits.ts'
import { merchantHost } from '../merchant-host.ts'
import type { InquiryResult, MintedCredential, MintRequest, NetworkAnswer } from '../port.ts'
import { windowAt } from '../windows.ts'
import { type CardRow, claimCard, findCard, updateDeclined, updateTaken } from './card-store.ts'
import type { StripeDeps } from './deps.ts'
import { giveBackIfUnpaid } from './ending.ts'
import { findMade, isAsked, makeCard } from './making.ts'
import type { IssuedCard } from './shapes.ts'
import * as store from './store.ts'

/**
 * `CardNetwork.mint`. First the row takes amount and count under the lock of its instruction; then Stripe is asked,
 * outside any transaction, with the charge id as its key.
 */
export async function mint(deps: StripeDeps, request: MintRequest): Promise<NetworkAnswer<MintedCredential>> {
  await transaction(deps.pool, (tx) => take(deps, tx, request))
  const row = await findCard(deps.pool, request)
  if (row === undefined) throw new Error('A charge that was taken was not found.')
  if (row.state === 'declined' && row.declineReason !== null) return declined(row.declineReason)
  if (row.state === 'returned' || !isAsked(row)) return declined('NOT_FOUND')
  if (row.issuerCardId !== null) return answerOf(deps, row, row.issuerCardId)
  const made = await makeCard(deps, row)
  return made.outcome === 'ok' ? answerOf(deps, row, made.value.id) : made
}

/** Gives a charge id its row, unless it has one. */
async function take(deps: StripeDeps, tx: Tx, request: MintRequest): Promise<void> {
  const { chargeId, mandateId, amount, lifeMinutes } = request
  const instruction = await store.lockInstruction(tx, { mandateId })
  // Read after the wait for the lock: the rules judge by the time at which they are applied.
  const now = deps.clock.now()
  const end = instruction?.validUntil ?? now
  const life = lifeMinutes === null ? end : addSeconds(now, lifeMinutes * 60)
  const claimed = await claimCard(tx, {
    ...{ chargeId, mandateId, currency: amount.currency, amountMinor: amount.minor, at: now },
    tokenRef: instruction?.tokenRef ?? null,
    merchantCountry: instruction?.merchantCountry ?? null,
    validUntil: life < end ? life : end,
  })
  if (claimed === 0) return
  if (instruction === undefined) {
    const tombstone = await store.findInstruction(tx, { mandateId })
    const reason = tombstone === undefined ? 'NOT_FOUND' : 'INSTRUCTION_NOT_ACTIVE'
    await updateDeclined(tx, { chargeId, reason })
    return
  }
  const { startsAt: startedAt } = windowAt(instruction.frequency, instruction.registeredAt, now)
  const window = await store.lockWindow(tx, { mandateId, startedAt })
  const decision = judge(instruction, window?.spentMinor ?? 0n, request, now)
  if (!decision.allowed) {
    await updateDeclined(tx, { chargeId, reason: decision.reason })
    return
  }
  const taken = await store.claimAllowance(tx, { mandateId, startedAt, amountMinor: amount.minor, at: now })
  if (taken !== 1) throw new Error('The limits moved although the instruction is locked.')
  await updateTaken(tx, { chargeId, startedAt })
}

type Locked = NonNullable<Awaited<ReturnType<typeof store.lockInstruction>>>

function judge(instruction: Locked, spentMinor: bigint, request: MintRequest, now: Date): Decision {
  const { tokenActive, validUntil, maxCharges, chargeCount, merchantHost: lockedHost } = instruction
  const facts = {
    ...{ tokenActive, validUntil, maxCharges, chargeCount, lockedHost, spentMinor, now },
    instructionActive: instruction.state === 'active',
    referenceRight: instruction.instructionRef === request.instructionRef,
    cap: { minor: instruction.capMinor, currency: instruction.currency },
  }
  const asked = { amount: request.amount, merchantHost: merchantHost(request.merchantUrl) }
  return decide(limitFindings(facts, asked))
}

/** The credential of a card that is there. One that is dead and was not paid with is none any more. */
async function answerOf(
  deps: StripeDeps,
  row: CardRow,
  issuerCardId: string,
): Promise<NetworkAnswer<MintedCredential>> {
  const read = await readCredential(deps, row, issuerCardId)
  if (read.outcome !== 'ok') return read
  switch (read.value.state) {
    case 'minted':
      return ok(read.value.credential)
    case 'returned':
      return declined('NOT_FOUND')
    case 'declined':
      return declined(read.value.reason)
    case 'not_found':
    case 'lost':
      return { outcome: 'unknown', cause: 'a card whose number is not told' }
  }
}

/** `CardNetwork.inquire`. `not_found` comes from a whole list alone. */
export async function inquire(
  deps: StripeDeps,
  { chargeId }: { chargeId: string },
): Promise<NetworkAnswer<InquiryResult>> {
  const row = await findCard(deps.pool, { chargeId })
  if (row === undefined) return ok({ state: 'not_found' })
  if (row.state === 'declined' && row.declineReason !== null)
    return ok({ state: 'declined', reason: row.declineReason })
  if (row.state === 'returned' || !isAsked(row)) return ok({ state: 'returned' })
  if (row.issuerCardId !== null) return readCredential(deps, row, row.issuerCardId)
  const found = await findMade(deps, row)
  if (found.outcome !== 'ok') return found
  return found.value === null ? ok({ state: 'not_found' }) : readCredential(deps, row, found.value.id)
}

async function readCredential(
  deps: StripeDeps,
  row: CardRow,
  issuerCardId: string,
): Promise<NetworkAnswer<InquiryResult>> {
  const read = await deps.api.readCard(issuerCardId)
  if (read.outcome === 'unknown') return read
  if (read.outcome === 'refused') return { outcome: 'unknown', cause: `a card that is not there: ${read.code}` }
  if (!read.value.isOpen) {
    const ended = await giveBackIfUnpaid(deps, row, read.value, null)
    if (ended.outcome !== 'ok') return ended
    if (ended.value === 'returned') return ok({ state: 'returned' })
  }
  const credential = credentialOf(row, read.value)
  return ok(credential === null ? { state: 'lost' } : { state: 'minted', credential })
}

function credentialOf({ validUntil }: CardRow, { secrets, expMonth, expYear }: IssuedCard): MintedCredential | null {
  if (secrets === null) return null
  const printedEnd = new Date(Date.UTC(expYear, expMonth, 1))
  return {
    token: secrets.number,
    dynamicCvv: secrets.cvc,
    expiryMonth: String(expMonth).padStart(2, '0'),
    expiryYear: String(expYear),
    validUntil: validUntil !== null && validUntil < printedEnd ? validUntil : printedEnd,
  }
}
