import type { ReportedOutcome } from '@mintmark/contract'
import { transaction } from '../../db/transaction.ts'
import { declined, ok } from '../answers.ts'
import type { ConfirmRequest, NetworkAnswer, ReleaseState } from '../port.ts'
import { type CardRow, claimApproved, claimReturn, findCard, insertTombstone } from './card-store.ts'
import { type StripeDeps, single, unclear } from './deps.ts'
import { isAsked, makeCard } from './making.ts'
import type { IssuedCard } from './shapes.ts'
import { lockInstruction } from './store.ts'

/**
 * The highest amount that was approved, if any was, and whether it was tried at all. What was given up and not taken
 * was not paid.
 */
async function seenOf({ api }: StripeDeps, issuerCardId: string) {
  const listed = await api.listAuthorizations(issuerCardId)
  if (listed.outcome !== 'ok') return listed.outcome === 'refused' ? unclear<never>(listed) : listed
  const approvals = listed.value.filter((one) => one.approved)
  const mayBeGivenUp = approvals.some(({ status }) => GIVEN_UP.has(status))
  const taken = mayBeGivenUp ? await api.listTransactions(issuerCardId) : { outcome: 'ok' as const, value: [] }
  if (taken.outcome !== 'ok') return taken.outcome === 'refused' ? unclear<never>(taken) : taken
  const isTaken = (id: string) => taken.value.some(({ authorizationId }) => authorizationId === id)
  const approved = approvals
    .filter(({ id, status }) => !GIVEN_UP.has(status) || isTaken(id))
    .map((one) => one.amountMinor)
  const approvedMinor = approved.length === 0 ? null : approved.reduce((most, one) => (one > most ? one : most))
  return ok({ wasTried: listed.value.length > 0, approvedMinor })
}

const GIVEN_UP: ReadonlySet<string> = new Set(['reversed', 'expired'])

/**
 * Ends the card of a charge at Stripe, and returns it; null: there is none. One that Stripe may be making at this
 * moment is asked for under its key first: then it is there, and can be ended.
 */
export async function endCardOf(deps: StripeDeps, chargeId: string): Promise<NetworkAnswer<IssuedCard | null>> {
  const row = await findCard(deps.pool, { chargeId })
  if (row === undefined || !isAsked(row) || row.state === 'declined') return ok(null)
  let id = row.issuerCardId
  if (id === null) {
    if (row.state === 'returned') return ok(null)
    const made = await makeCard(deps, row)
    if (made.outcome === 'unknown') return made
    if (made.outcome === 'declined') return ok(null)
    id = made.value.id
  }
  const ended = await deps.api.endCard(id)
  if (ended.outcome === 'unknown') return ended
  if (ended.outcome === 'ok' && !ended.value.isOpen) return ok(ended.value)
  // One that has ended already is refused.
  const found = await deps.api.findCard(id)
  if (found.outcome === 'ok' && !found.value.isOpen) return ok(found.value)
  return { outcome: 'unknown', cause: 'a card that does not end' }
}

/**
 * The card is dead: what it took goes back, unless it was paid with. Read after its end, so that no payment comes
 * behind the look. `outcome`: what was reported with it.
 */
export async function giveBackIfUnpaid(
  deps: StripeDeps,
  { chargeId, mandateId }: Pick<CardRow, 'chargeId' | 'mandateId'>,
  card: IssuedCard,
  outcome: ReportedOutcome | null,
): Promise<NetworkAnswer<'returned' | 'used'>> {
  const seen = await seenOf(deps, card.id)
  if (seen.outcome !== 'ok') return seen
  if (seen.value.approvedMinor !== null) return ok('used')
  const returned = await transaction(deps.pool, async (tx) => {
    await lockInstruction(tx, { mandateId })
    return claimReturn(tx, { chargeId, outcome })
  })
  if (returned !== undefined) return ok('returned')
  return ok((await findCard(deps.pool, { chargeId }))?.state === 'returned' ? 'returned' : 'used')
}

/** `CardNetwork.confirm`. The first outcome stands, and so does what Stripe has seen. */
export async function confirm(
  deps: StripeDeps,
  { chargeId, outcome, amountPaid }: ConfirmRequest,
): Promise<NetworkAnswer<Record<never, never>>> {
  const row = await findCard(deps.pool, { chargeId })
  if (row?.state === 'returned' && row.mandateId !== null) {
    return outcome === 'DECLINED' ? ok({}) : declined('CONFIRMATION_REFUSED')
  }
  if (row?.state === 'asked') return { outcome: 'unknown', cause: 'a card that may be on its way' }
  if (row?.state !== 'minted' || row.issuerCardId === null) return declined('NOT_FOUND')
  if (row.confirmedOutcome !== null) return row.confirmedOutcome === outcome ? ok({}) : declined('CONFIRMATION_REFUSED')
  if (outcome === 'DECLINED') return confirmDeclined(deps, row)
  const seen = await seenOf(deps, row.issuerCardId)
  if (seen.outcome !== 'ok') return seen
  const { wasTried, approvedMinor } = seen.value
  const isLess = approvedMinor !== null && amountPaid !== null && amountPaid.minor > approvedMinor
  if (wasTried && (approvedMinor === null || isLess)) return declined('CONFIRMATION_REFUSED')
  if ((await claimApproved(single(deps), { chargeId })) === 1) return ok({})
  const stored = await findCard(deps.pool, { chargeId })
  return stored?.confirmedOutcome === 'APPROVED' ? ok({}) : declined('CONFIRMATION_REFUSED')
}

/** The card is ended first: what was given back must not be spent. */
async function confirmDeclined(deps: StripeDeps, row: CardRow): Promise<NetworkAnswer<Record<never, never>>> {
  const ended = await endCardOf(deps, row.chargeId)
  if (ended.outcome !== 'ok') return ended
  if (ended.value === null) return declined('NOT_FOUND')
  const back = await giveBackIfUnpaid(deps, row, ended.value, 'DECLINED')
  if (back.outcome !== 'ok') return back
  return back.value === 'returned' ? ok({}) : declined('CONFIRMATION_REFUSED')
}

/** `CardNetwork.release`. */
export async function release(
  deps: StripeDeps,
  { chargeId }: { chargeId: string },
): Promise<NetworkAnswer<{ state: ReleaseState }>> {
  const at = deps.clock.now()
  if ((await insertTombstone(single(deps), { chargeId, at })) === 1) return ok({ state: 'not_minted' })
  const row = await findCard(deps.pool, { chargeId })
  if (row === undefined || row.state === 'declined' || row.mandateId === null) return ok({ state: 'not_minted' })
  if (row.state === 'returned') return ok({ state: 'released' })
  if (row.confirmedOutcome === 'APPROVED') return ok({ state: 'used' })
  const ended = await endCardOf(deps, chargeId)
  if (ended.outcome !== 'ok') return ended
  if (ended.value === null) return ok({ state: 'not_minted' })
  const back = await giveBackIfUnpaid(deps, row, ended.value, null)
  if (back.outcome !== 'ok') return back
  return ok({ state: back.value === 'returned' ? 'released' : 'used' })
}
