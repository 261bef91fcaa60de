import { countedMinor, totalsOf } from '../network/counted.ts'
import type { ChargeNews, NetworkFact } from '../network/events-port.ts'
import { amountFromMinor } from '../platform/money.ts'
import type { ChargeDeps, ChargeRef } from './deps.ts'
import { findMerchantOfMandate } from './observed-store.ts'
import * as store from './reconcile-store.ts'

// The books of payments: our rows beside those of the network. Nothing is changed.

/** `here`: in our rows; `network`: what the network has in its place. Null: nothing. */
export interface Difference {
  merchantId: string
  chargeId: string
  what: string
  here: string | null
  network: string | null
}

export interface Reconciliation {
  from: string
  to: string
  charges: number
  facts: number
  /** Charges of which the network said nothing: whether they differ is not known. */
  unheard: number
  differences: Difference[]
}

type Compared = ChargeRef & { mandateId: string }

/**
 * Compares all payments that something happened to in a time, by our rows or by the network's. A network that says
 * nothing is asked for nothing else: then the list is not whole, and this throws.
 */
export async function reconcile(deps: ChargeDeps, { from, to }: { from: Date; to: Date }): Promise<Reconciliation> {
  const { networkEvents } = deps
  const result = { from: from.toISOString(), to: to.toISOString(), charges: 0, facts: 0, unheard: 0 }
  const differences: Difference[] = []
  if (networkEvents === null) throw new Error('The card network tells nothing of payments.')
  const listed = await networkEvents.listNews({ since: from })
  if (listed.outcome !== 'ok') throw new Error('The card network does not say which payments there were. Try again.')
  for (const charge of await comparedOf(deps, listed.value.news, { from, to })) {
    const answer = await networkEvents.observed({ chargeId: charge.chargeId })
    result.charges += 1
    if (answer.outcome !== 'ok') {
      result.unheard += 1
      continue
    }
    const isInTime = ({ occurredAt }: { occurredAt: Date }) => occurredAt >= from && occurredAt < to
    const there = answer.value.facts
    result.facts += there.filter(isInTime).length
    differences.push(...(await differencesOf(deps, charge, there, isInTime)))
  }
  return { ...result, differences }
}

/** Each charge once: those that the network lists, and those of our rows. */
async function comparedOf(
  deps: ChargeDeps,
  news: readonly ChargeNews[],
  { from: since, to: until }: { from: Date; to: Date },
): Promise<Compared[]> {
  const found = new Map<string, Compared>()
  for (const { chargeId, mandateId } of news) {
    const owner = await findMerchantOfMandate(deps.pool, { mandateId })
    if (owner !== undefined) found.set(chargeId, { ...owner, chargeId, mandateId })
  }
  for (let after = ''; ; ) {
    const next = await store.findNextMerchant(deps.pool, { after })
    if (next === undefined) return [...found.values()]
    after = next.id
    for (const { chargeId, mandateId } of await store.listObserved(deps.pool, { merchantId: after, since, until })) {
      if (mandateId !== null) found.set(chargeId, { merchantId: after, chargeId, mandateId })
    }
  }
}

async function differencesOf(
  { pool }: ChargeDeps,
  { merchantId, chargeId }: Compared,
  facts: readonly NetworkFact[],
  isInTime: (fact: { occurredAt: Date }) => boolean,
): Promise<Difference[]> {
  const different = (what: string, here: string | null, network: string | null): Difference[] =>
    here === network ? [] : [{ merchantId, chargeId, what, here, network }]
  const charge = await store.findCompared(pool, { merchantId, chargeId })
  if (charge === undefined) return facts.some(isInTime) ? different('charge', null, 'known') : []
  const recorded = await store.listRecorded(pool, { merchantId, chargeId })
  const here = new Map(recorded.filter(isInTime).map((fact) => [fact.factId, inWords(fact.kind, fact)]))
  const there = new Map(
    facts.filter(isInTime).map((fact) => {
      const { minor: amountMinor, currency } = fact.amount
      return [fact.factId, inWords(fact.kind, { amountMinor, currency })]
    }),
  )
  const ids = [...new Set([...there.keys(), ...here.keys()])]
  const ofFacts = ids.flatMap((id) => different(`fact ${id}`, here.get(id) ?? null, there.get(id) ?? null))
  return [...ofFacts, ...ofCharge(charge, facts, different)]
}

type ComparedCharge = NonNullable<Awaited<ReturnType<typeof store.findCompared>>>

/** What the charge is, beside what it would be by all that the network says. */
function ofCharge(
  { status, countedMinor: known, amountMinor, paidMinor, reportedAt, quoteId }: ComparedCharge,
  facts: readonly NetworkFact[],
  different: (what: string, here: string | null, network: string | null) => Difference[],
): Difference[] {
  const totals = totalsOf(facts.map(({ kind, amount }) => ({ kind, amountMinor: amount.minor })))
  const counted = status === 'failed' ? totals.capturedMinor : countedMinor(amountMinor, totals)
  const ours = known ?? (status === 'failed' ? 0n : amountMinor)
  const isPaid = totals.capturedMinor > 0n
  // What is reported by its merchant, or bought by the service, ends by their word.
  const isObserved = reportedAt === null && quoteId === null
  // Completed by an authorization, where the setting says so, it is still held.
  const isUnfounded = isObserved && status === 'completed' && !isPaid && totals.heldMinor === 0n
  return [
    ...(isUnfounded ? different('status', status, 'not captured') : []),
    ...different('counted', amountFromMinor(ours), amountFromMinor(counted)),
    ...(isPaid && isObserved ? different('status', status, 'completed') : []),
    ...(isPaid && isObserved && status === 'completed' && paidMinor === null ? different('paid', null, 'paid') : []),
  ]
}

function inWords(kind: string, { amountMinor, currency }: { amountMinor: bigint; currency: string }): string {
  return `${kind} ${amountFromMinor(amountMinor)} ${currency}`
}
