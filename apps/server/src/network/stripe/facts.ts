import type { Currency } from '@mintmark/contract'
import { transaction } from '../../db/transaction.ts'
import { ok } from '../answers.ts'
import { countedMinor, totalsOf } from '../counted.ts'
import type { NetworkFact } from '../events-port.ts'
import type { NetworkAnswer } from '../port.ts'
import { type CardRow, findCard, updateCounted } from './card-store.ts'
import { type StripeDeps, unclear } from './deps.ts'
import type { Authorization, Transaction } from './shapes.ts'
import { lockInstruction } from './store.ts'

/**
 * `NetworkEvents.observed`: what Stripe has of the payments of a card. What the card counts for in its window follows
 * it, in the same way as at the service.
 */
export async function observed(
  deps: StripeDeps,
  { chargeId }: { chargeId: string },
): Promise<NetworkAnswer<{ facts: NetworkFact[] }>> {
  const row = await findCard(deps.pool, { chargeId })
  // A card that may be on its way is not known yet, and one that was never made has no payments.
  if (row?.state === 'asked') return { outcome: 'unknown', cause: 'a card that may be on its way' }
  if (row === undefined || row.issuerCardId === null) return ok({ facts: [] })
  const listed = await deps.api.listAuthorizations(row.issuerCardId)
  if (listed.outcome !== 'ok') return listed.outcome === 'refused' ? unclear(listed) : listed
  const taken = await deps.api.listTransactions(row.issuerCardId)
  if (taken.outcome !== 'ok') return taken.outcome === 'refused' ? unclear(taken) : taken
  const facts = factsOf(listed.value, taken.value, deps.currency)
  await count(deps, row, facts)
  return ok({ facts })
}

/** What Stripe says by a status is a fact of the same name: what was authorized, and is neither taken nor held. */
export function factsOf(
  authorizations: readonly Authorization[],
  transactions: readonly Transaction[],
  currency: Currency,
): NetworkFact[] {
  return [
    ...authorizations.flatMap((one) => ofAuthorization(one, transactions, currency)),
    ...transactions.flatMap((one) => ofTransaction(one, currency)),
  ]
}

function ofAuthorization(
  { id, approved, amountMinor, approvals, status, merchant, createdAt: occurredAt }: Authorization,
  transactions: readonly Transaction[],
  currency: Currency,
): NetworkFact[] {
  const fact = (factId: string, kind: NetworkFact['kind'], minor: bigint): NetworkFact => ({
    ...{ factId, kind, merchant, occurredAt, amount: { minor, currency } },
  })
  if (!approved) return [fact(id, 'declined', amountMinor)]
  const authorized = approvals.map((minor, index) => fact(index === 0 ? id : `${id}:${index}`, 'authorized', minor))
  if (status === 'pending') return authorized
  const captured = transactions.filter(({ kind, authorizationId }) => kind === 'captured' && authorizationId === id)
  const rest = sum(approvals) - sum(captured.map((one) => one.amountMinor))
  if (rest <= 0n) return authorized
  const kind = status === 'expired' ? 'expired' : 'reversed'
  return [...authorized, fact(`${id}:${kind}`, kind, rest)]
}

function ofTransaction({ id, kind, amountMinor, merchant, createdAt, dispute }: Transaction, currency: Currency) {
  const amount = { minor: amountMinor, currency }
  const fact: NetworkFact = { factId: id, kind, amount, merchant, occurredAt: createdAt }
  if (dispute === null) return [fact]
  const disputed = { minor: dispute.amountMinor, currency }
  const { id: factId, createdAt: occurredAt } = dispute
  return [fact, { factId, kind: 'disputed', amount: disputed, merchant, occurredAt } satisfies NetworkFact]
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}

/** Behind the lock of the instruction: what was given back by a release counts for nothing before it. */
async function count(deps: StripeDeps, { chargeId, mandateId }: CardRow, facts: readonly NetworkFact[]): Promise<void> {
  const totals = totalsOf(facts.map(({ kind, amount }) => ({ kind, amountMinor: amount.minor })))
  if (!totals.isClosed || mandateId === null) return
  await transaction(deps.pool, async (tx) => {
    await lockInstruction(tx, { mandateId })
    const row = await findCard(tx, { chargeId })
    if (row === undefined || row.amountMinor === null) return
    const counted = countedMinor(row.amountMinor, totals)
    const changeMinor = counted - (row.countedMinor ?? row.amountMinor)
    if (changeMinor === 0n) return
    await updateCounted(tx, { chargeId, countedMinor: counted, knownMinor: row.countedMinor, changeMinor })
  })
}
