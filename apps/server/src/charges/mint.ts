import type { Currency, PaymentFailure } from '@mintmark/contract'
import type { MintedCredential } from '../network/port.ts'
import { RowTampered } from '../platform/row-seals.ts'
import type { SealedField } from '../vault/service.ts'
import type { ChargeDeps } from './deps.ts'
import { failureOf } from './rules.ts'
import { sealedRow } from './seal.ts'
import type { ChargeFacts } from './work-fragments.ts'

/** What came of asking the network. `unknown` stays open and is asked again. */
export type MintOutcome =
  | { outcome: 'minted'; instructionRef: string; sealed: SealedField; validUntil: Date }
  | { outcome: 'refused'; failure: PaymentFailure }
  | { outcome: 'unknown' }

const UNKNOWN = { outcome: 'unknown' } as const

const REFUSED = { outcome: 'refused', failure: 'PAYMENT_FAILED' } as const

/**
 * The network calls of one charge, outside any transaction. Safe to repeat: all are idempotent on our ids. Nothing is minted
 * for a suspended merchant, or for rows that are not what was signed.
 */
export async function mint(deps: ChargeDeps, work: ChargeFacts): Promise<MintOutcome> {
  if (!work.merchantActive) return REFUSED
  try {
    checkSigned(deps, work)
    return await mintApproved(deps, work)
  } catch (error) {
    if (error instanceof RowTampered) return REFUSED
    throw error
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
  }
  const answer = await deps.network.mint({
    chargeId: work.id,
    mandateId: work.mandateId,
    instructionRef,
    amount: { minor: work.amountMinor, currency: work.currency as Currency },
    merchantUrl: work.payeeUrl,
  })
  if (answer.outcome === 'unknown') return UNKNOWN
  if (answer.outcome === 'declined') return { outcome: 'refused', failure: failureOf(answer.reason) }
  return minted(deps, work, instructionRef, answer.value)
}

async function minted(
  deps: ChargeDeps,
  { merchantId, id }: ChargeFacts,
  instructionRef: string,
  credential: MintedCredential,
): Promise<MintOutcome> {
  const sealed = await deps.vault.sealCredential(merchantId, id, credential)
  return { outcome: 'minted', instructionRef, sealed, validUntil: credential.validUntil }
}
