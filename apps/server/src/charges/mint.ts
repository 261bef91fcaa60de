import type { Currency, PaymentFailure } from '@mintmark/contract'
import type { MintedCredential } from '../network/port.ts'
import { RowTampered } from '../platform/row-seals.ts'
import type { SealedField } from '../vault/service.ts'
import { confirm, releaseCredential } from './confirm.ts'
import { deliver, lookFirst } from './deliver.ts'
import type { ChargeDeps } from './deps.ts'
import { failureOf, isStanding, TRIES_UNTIL_IT_IS_LOST } from './rules.ts'
import { sealedRow } from './seal.ts'
import type { ChargeFacts } from './work-fragments.ts'

/** What came of asking the network. `unknown` stays open and is asked again. */
export type MintOutcome =
  | { outcome: 'minted'; instructionRef: string; sealed: SealedField; validUntil: Date }
  | { outcome: 'refused'; failure: PaymentFailure }
  | { outcome: 'unknown' }

const UNKNOWN = { outcome: 'unknown' } as const

const REFUSED = { outcome: 'refused', failure: 'PAYMENT_FAILED' } as const
const CARD_IS_GONE = { outcome: 'refused', failure: 'CARD_DECLINED' } as const

/**
 * The network calls of one charge, outside any transaction. Safe to repeat: all are idempotent on our ids. Nothing is minted
 * for a suspended merchant, against a mandate that its owner has stopped, or for rows that are not what was signed.
 */
export async function mint(deps: ChargeDeps, work: ChargeFacts): Promise<MintOutcome> {
  if (isWithoutCard(work)) return CARD_IS_GONE
  if (!work.merchantActive || isStopped(work)) return refuse(deps, work)
  try {
    checkSigned(deps, work)
    return await mintApproved(deps, work)
  } catch (error) {
    if (error instanceof RowTampered) return refuse(deps, work)
    throw error
  }
}

/**
 * The card of a checkout was deleted, which cancels its mandate at the network too. It may have been enrolled anew since then, and have
 * another token than the one that was signed.
 */
function isWithoutCard(work: ChargeFacts): boolean {
  return !isStanding(work) && work.mandateStatus === 'cancelled'
}

/** Its owner has paused or cancelled the mandate since the charge began, or deleted its card. The mandate of a checkout ends with its charge. */
function isStopped(work: ChargeFacts): boolean {
  return isStanding(work) && (work.mandateStatus === 'paused' || work.mandateStatus === 'cancelled')
}

/**
 * Refused by us, and not by the network, which may have minted when it was asked before. What it has minted is ended there first: for a
 * standing mandate, it would go on counting, against cap and number of charges, and no more here. Unknown is never failed.
 */
async function refuse(deps: ChargeDeps, work: ChargeFacts): Promise<MintOutcome> {
  const { id: chargeId, attempts } = work
  if (attempts === 1) return REFUSED
  if (!isStanding(work)) return (await releaseCredential(deps, { chargeId })) === 'unknown' ? UNKNOWN : REFUSED
  const found = await deps.network.inquire({ chargeId })
  if (found.outcome !== 'ok') return UNKNOWN
  switch (found.value.state) {
    case 'declined':
    case 'returned':
      return REFUSED
    case 'not_found':
      return attempts > TRIES_UNTIL_IT_IS_LOST ? REFUSED : UNKNOWN
    case 'minted':
      return (await confirm(deps, { ...work, reportedOutcome: 'DECLINED' })) === 'unknown' ? UNKNOWN : REFUSED
  }
}

/** Throws `RowTampered` for a charge that is not what was signed. */
export function checkSigned({ seals }: ChargeDeps, charge: ChargeFacts): void {
  seals.check(sealedRow(charge), charge.seal)
}

async function mintApproved(deps: ChargeDeps, work: ChargeFacts): Promise<MintOutcome> {
  const registered = await deps.mandates.register(work)
  if (registered.outcome === 'unknown') return UNKNOWN
  if (registered.outcome === 'declined') return { outcome: 'refused', failure: failureOf(registered.reason) }
  const { instructionRef } = registered.value

  // A charge that was asked for before may have been minted then: look before asking again.
  if (work.attempts > 1) {
    const found = await deps.network.inquire({ chargeId: work.id })
    if (found.outcome !== 'ok') return UNKNOWN
    if (found.value.state === 'minted') return minted(deps, work, instructionRef, found.value.credential)
    if (found.value.state === 'declined') return { outcome: 'refused', failure: failureOf(found.value.reason) }
    // An earlier try refused it and gave it back (`refuse`), and could not write that down: what it minted is of no use any more.
    if (found.value.state === 'returned') return REFUSED
  }
  const looked = await lookFirst(deps, work)
  if (looked !== undefined) return looked
  const answer = await deps.network.mint({
    chargeId: work.id,
    mandateId: work.mandateId,
    instructionRef,
    amount: { minor: work.amountMinor, currency: work.currency as Currency },
    merchantUrl: work.payeeUrl,
    lifeMinutes: work.lifeMinutes,
  })
  if (answer.outcome === 'unknown') return UNKNOWN
  if (answer.outcome === 'declined') return { outcome: 'refused', failure: failureOf(answer.reason) }
  return minted(deps, work, instructionRef, answer.value)
}

async function minted(
  deps: ChargeDeps,
  work: ChargeFacts,
  instructionRef: string,
  credential: MintedCredential,
): Promise<MintOutcome> {
  const delivered = await deliver(deps, work, instructionRef, credential)
  if (delivered !== undefined) return delivered
  const { merchantId, id } = work
  const sealed = await deps.vault.sealCredential(merchantId, id, credential)
  return { outcome: 'minted', instructionRef, sealed, validUntil: credential.validUntil }
}
