import { type CommandContext, command, rollback } from '../db/command.ts'
import { leaseBound } from '../jobs/due.ts'
import type { NetworkFact } from '../network/events-port.ts'
import type { ChargeDeps, ChargeRef } from './deps.ts'
import { observedEvent, observedPaidEvent, TOLD_BY } from './events.ts'
import { type Decision, decide } from './observed-rules.ts'
import * as store from './observed-store.ts'

// What the network tells of payments by itself is read at its source, recorded once, and followed: a charge that no
// merchant has reported is completed, and its mandate has spent what was captured.

export type ObservedRef = ChargeRef & { mandateId: string }

/**
 * `recorded`: the charge is as the network has told. `unknown`: it told nothing. `busy`: another process has the charge
 * in hand; ask again. `gone`: there is no such charge.
 */
export type Observation =
  | { state: 'recorded'; isOpen: boolean }
  | { state: 'unknown' }
  | { state: 'busy'; isBought: boolean }
  | { state: 'gone' }

const NOTHING: Observation = { state: 'recorded', isOpen: false }

/** Asks the network what has happened to a payment, and follows it. `heldFence`: the caller has the charge in hand. */
export async function observe(deps: ChargeDeps, ref: ObservedRef, heldFence?: bigint): Promise<Observation> {
  const { networkEvents } = deps
  if (!networkEvents) return NOTHING
  const answer = await networkEvents.observed({ chargeId: ref.chargeId })
  if (answer.outcome !== 'ok') return { state: 'unknown' }
  const { facts } = answer.value
  // As nearly everywhere: the sandbox's acquirer never saw it, or it was reported before it was paid with.
  if (facts.length === 0) return NOTHING
  return recordFacts(deps, ref, facts, heldFence)
}

/**
 * Records facts, each once, and makes the charge what it is to be by all that are known. In one transaction behind the
 * locks of mandate and charge: of any number of callers each finds what those before it have written.
 */
export async function recordFacts(
  deps: ChargeDeps,
  ref: ObservedRef,
  facts: readonly NetworkFact[],
  heldFence?: bigint,
): Promise<Observation> {
  let became: Observation = { state: 'gone' }
  let seen: Seen | undefined
  const why = 'Not every fact has an event. Those that have are appended with it.'
  await command(deps, { name: 'charges.record_facts', why }, async (context) => {
    seen = undefined
    const { tx, at } = context
    const mandate = await store.lockStanding(tx, { ...ref })
    const charge = await store.lockCharge(tx, { ...ref, at, leaseBound: leaseBound(at) })
    if (charge === undefined || (charge.standingMandateId !== null && mandate === undefined)) {
      became = { state: 'gone' }
      return rollback
    }
    const isBought = charge.quoteId !== null && charge.status === 'awaiting_result'
    const isTheirs = charge.isHeld === true && charge.leaseFence !== heldFence
    if (isTheirs || isBought || charge.status === 'minting') {
      became = { state: 'busy', isBought }
      return rollback
    }
    const fresh = await insertFacts(context, ref, facts)
    const known = await store.listFacts(tx, { ...ref })
    const decision = decide(charge, known, deps.following, at)
    seen = { charge, fresh, decision }
    became = { state: 'recorded', isOpen: decision.isOpen }
    await follow(deps, context, { ...seen, ref })
    return became
  })
  if (seen !== undefined) warn(deps, seen)
  return became
}

interface Seen {
  charge: store.ObservedCharge
  /** What was not known before, in the order in which it happened. */
  fresh: NetworkFact[]
  decision: Decision
}

async function insertFacts(
  { tx, at }: CommandContext<never>,
  { merchantId, chargeId }: ObservedRef,
  facts: readonly NetworkFact[],
): Promise<NetworkFact[]> {
  const inserted = await store.insertFacts(tx, {
    ...{ merchantId, chargeId, at },
    factIds: facts.map(({ factId }) => factId),
    kinds: facts.map(({ kind }) => kind),
    amounts: facts.map(({ amount }) => amount.minor),
    currencies: facts.map(({ amount }) => amount.currency),
    merchantNames: facts.map(({ merchant }) => merchant),
    times: facts.map(({ occurredAt }) => occurredAt),
  })
  // One that is told twice in an answer is new once.
  const fresh = new Set(inserted.map(({ id }) => id))
  return facts
    .filter(({ factId }) => fresh.delete(factId))
    .toSorted((one, other) => Number(one.occurredAt) - Number(other.occurredAt))
}

type Followed = Seen & { ref: ObservedRef }

async function follow(deps: ChargeDeps, context: CommandContext<never>, followed: Followed): Promise<void> {
  const { charge, fresh, decision, ref } = followed
  const { tx, at } = context
  const { totals, countedMinor, changeMinor, isPaid, waitsUntil } = decision
  const status = isPaid ? 'completed' : charge.status
  const told = fresh.filter(({ kind }) => TOLD_BY[kind] !== null)
  const events = told.map((fact, index) =>
    observedEvent({ ...charge, status, version: charge.version + index + 1 }, fact, { ...totals, countedMinor }),
  )
  const values = { ...ref, version: charge.version, at, countedMinor }
  if (isPaid) {
    const version = charge.version + events.length + 1
    const paid = { ...values, paidMinor: totals.capturedMinor || totals.heldMinor, told: events.length + 1 }
    await complete(deps, context, followed, paid)
    await deps.events.append(tx, [...events, observedPaidEvent({ ...charge, version })], at)
  } else if (events.length > 0 || changeMinor !== 0n) {
    await mustChange(store.updateCounted(tx, { ...values, told: events.length }))
    if (events.length > 0) await deps.events.append(tx, events, at)
  }
  if (waitsUntil !== null) await store.updateAwaited(tx, { ...ref, until: waitsUntil, at })
  if (changeMinor !== 0n) await followInSums(context, followed)
}

interface Paid extends ObservedRef {
  version: number
  at: Date
  countedMinor: bigint
  paidMinor: bigint
  told: number
}

async function complete(
  deps: ChargeDeps,
  { tx, at }: CommandContext<never>,
  { charge, ref }: Followed,
  paid: Paid,
): Promise<void> {
  const { mandateId, ...ofCharge } = paid
  if (charge.standingMandateId === null) {
    return mustChange(store.updatePaid(tx, ofCharge))
  }
  // Behind the lock of the mandate: it is as it is read here.
  const last = await deps.mandates.consumption({ merchantId: ref.merchantId, id: ref.mandateId }, tx)
  if (last === undefined) return mustChange(store.updateStandingPaid(tx, ofCharge))
  await mustChange(store.updateLastPaid(tx, { ...ofCharge, mandateId }))
  await deps.events.append(tx, [last.event], at)
}

async function followInSums(
  { tx, at }: CommandContext<never>,
  { charge, ref, decision: { changeMinor } }: Followed,
): Promise<void> {
  const { merchantId, mandateId } = ref
  const { windowStartedAt, agentId, createdAt, standingMandateId } = charge
  // A purchase's mandate has no window.
  if (standingMandateId === null || windowStartedAt === null) return
  await store.followInWindow(tx, { merchantId, mandateId, windowStartedAt, changeMinor, at })
  if (agentId !== null) await store.followInLimits(tx, { merchantId, agentId, createdAt, changeMinor })
}

async function mustChange(changing: Promise<object | undefined>): Promise<void> {
  if ((await changing) === undefined) throw new Error('A charge moved although it is locked.')
}

/** What an operator should hear of: a shop has taken more than it was authorized for, or of what was over. */
function warn({ log }: ChargeDeps, { charge, fresh, decision: { totals } }: Seen): void {
  if (!fresh.some(({ kind }) => kind === 'captured')) return
  const fields = { merchant_id: charge.merchantId, charge_id: charge.id }
  if (totals.capturedMinor > totals.authorizedMinor || totals.capturedMinor > charge.amountMinor) {
    log.error('more was captured than was authorized', { alarm: 'captured_above_authorization', ...fields })
  }
  if (charge.status === 'failed') {
    log.error('a payment was captured whose charge had failed', { alarm: 'captured_after_end', ...fields })
  }
}
