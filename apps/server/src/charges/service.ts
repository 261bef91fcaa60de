import type { Currency, PaymentFailure } from '@mintmark/contract'
import type { Pool } from 'pg'
import type { Tx } from '../db/transaction.ts'
import type { CardNetwork, MintedCredential } from '../network/port.ts'
import { backoffSeconds } from '../platform/backoff.ts'
import { addSeconds, type Clock } from '../platform/clock.ts'
import type { SealedField, Vault } from '../vault/service.ts'
import { failureOf } from './rules.ts'
import * as store from './store.ts'

export type { ChargeWork, NewReport, StoredProduct } from './store.ts'

/** What became of the question to the network. `unknown` stays open and is asked again. */
export type MintOutcome =
  | { outcome: 'minted'; instructionRef: string; sealed: SealedField }
  | { outcome: 'failed'; failure: PaymentFailure }
  | { outcome: 'unknown' }

export type ConfirmOutcome = 'SUCCESS' | 'FAILURE' | 'unknown'

export interface ChargeService {
  /** `initiated → minting`, leased to the caller, in the transaction of the approval. */
  open(
    tx: Tx,
    of: { merchantId: string; sessionId: string; mandateId: string; cardId: string },
  ): Promise<store.ChargeWork | undefined>
  /** The network calls of one charge, outside any transaction. Safe to repeat: all are idempotent on our ids. */
  mint(work: store.ChargeWork): Promise<MintOutcome>
  recordMinted(tx: Tx, work: store.ChargeWork, sealed: SealedField): Promise<boolean>
  recordFailed(tx: Tx, work: store.ChargeWork, failure: PaymentFailure): Promise<boolean>
  /** Ends the charge of a session that ends without a report; answers what it was. */
  failWithSession(
    tx: Tx,
    merchantId: string,
    sessionId: string,
    failure: PaymentFailure,
  ): Promise<{ id: string; mandate_id: string | null } | undefined>
  /** Claims the report for the caller, or answers undefined: see `claimChargeReport`. */
  claimReport(report: store.NewReport): Promise<store.ChargeWork | undefined>
  confirm(work: store.ChargeWork): Promise<ConfirmOutcome>
  recordReported(
    tx: Tx,
    work: store.ChargeWork,
    outcome: { approved: boolean; confirmation: 'SUCCESS' | 'FAILURE' },
  ): Promise<boolean>
  /** Gives the open call back, to be made again after a growing pause. */
  postpone(work: store.ChargeWork): Promise<void>
  /** Open calls that nobody holds, leased to the caller. */
  claimOpen(limit: number): Promise<store.ChargeWork[]>
}

interface Deps {
  pool: Pool
  clock: Clock
  vault: Pick<Vault, 'sealCredential'>
  network: CardNetwork
  leaseSeconds: number
}

export function createChargeService(deps: Deps): ChargeService {
  const leaseEnd = (now: Date) => addSeconds(now, deps.leaseSeconds)
  return {
    open(tx, of) {
      const now = deps.clock.now()
      return store.openCharge(tx, of, now, leaseEnd(now))
    },
    mint: (work) => mint(deps, work),
    recordMinted: (tx, work, sealed) => store.markChargeMinted(tx, work, sealed, deps.clock.now()),
    recordFailed: (tx, work, failure) => store.failHeldCharge(tx, work, failure, deps.clock.now()),
    failWithSession: (tx, merchantId, sessionId, failure) =>
      store.failSessionCharge(tx, merchantId, sessionId, failure, deps.clock.now()),
    claimReport(report) {
      const now = deps.clock.now()
      return store.claimChargeReport(deps.pool, report, now, leaseEnd(now))
    },
    confirm: (work) => confirm(deps, work),
    recordReported: (tx, work, outcome) => store.markChargeReported(tx, work, outcome, deps.clock.now()),
    async postpone(work) {
      const retryAt = addSeconds(deps.clock.now(), backoffSeconds(work.attempt_count))
      await store.postponeCharge(deps.pool, work, retryAt)
    },
    claimOpen(limit) {
      const now = deps.clock.now()
      return store.claimOpenCharges(deps.pool, now, leaseEnd(now), limit)
    },
  }
}

function money(minor: bigint, currency: string) {
  return { minor, currency: currency as Currency }
}

async function mint(deps: Deps, work: store.ChargeWork): Promise<MintOutcome> {
  const registered = await deps.network.registerInstruction({
    mandateId: work.mandate_id,
    tokenRef: work.token_ref,
    cap: money(work.approved_minor, work.currency),
    frequency: 'one_time',
    maxCharges: 1,
    merchant: { name: work.payee_name, url: work.payee_url, country: work.payee_country },
    validUntil: work.valid_until,
    approvalHash: work.approval_hash,
  })
  if (registered.outcome === 'unknown') return { outcome: 'unknown' }
  if (registered.outcome === 'declined') return { outcome: 'failed', failure: failureOf(registered.reason) }
  const { instructionRef } = registered.value

  // A charge that was asked for before may have been minted then: look before asking again.
  if (work.attempt_count > 1) {
    const found = await deps.network.inquire({ chargeId: work.id })
    if (found.outcome !== 'ok') return { outcome: 'unknown' }
    if (found.value.state === 'minted') return minted(deps, work, instructionRef, found.value.credential)
    if (found.value.state === 'declined') return { outcome: 'failed', failure: failureOf(found.value.reason) }
  }
  const answer = await deps.network.mint({
    chargeId: work.id,
    mandateId: work.mandate_id,
    instructionRef,
    amount: money(work.amount_minor, work.currency),
    merchantUrl: work.payee_url,
  })
  if (answer.outcome === 'unknown') return { outcome: 'unknown' }
  if (answer.outcome === 'declined') return { outcome: 'failed', failure: failureOf(answer.reason) }
  return minted(deps, work, instructionRef, answer.value)
}

async function minted(
  deps: Deps,
  work: store.ChargeWork,
  instructionRef: string,
  credential: MintedCredential,
): Promise<MintOutcome> {
  const sealed = await deps.vault.sealCredential(work.merchant_id, work.id, credential)
  return { outcome: 'minted', instructionRef, sealed }
}

async function confirm(deps: Deps, work: store.ChargeWork): Promise<ConfirmOutcome> {
  if (work.reported_outcome === null) throw new Error(`Charge ${work.id} has no report to confirm.`)
  const answer = await deps.network.confirm({
    chargeId: work.id,
    outcome: work.reported_outcome,
    currency: work.currency as Currency,
    amountPaid: work.paid_minor === null ? null : money(work.paid_minor, work.currency),
    authorizationCode: work.authorization_code,
    responseCode: work.response_code,
  })
  switch (answer.outcome) {
    case 'ok':
      return 'SUCCESS'
    case 'declined':
      return 'FAILURE'
    case 'unknown':
      return 'unknown'
  }
}
