import type { PaymentFailure } from '@mintmark/contract'
import type { ChargeWork, MintOutcome } from '../charges/service.ts'
import { type Tx, transaction } from '../db/transaction.ts'
import { announce } from './announce.ts'
import type { SessionDeps } from './deps.ts'
import { type ChangedSession, moveSession, type SessionKey } from './store.ts'

/**
 * Takes an open charge to its end: the network is asked outside any transaction, and its word is recorded in one.
 * Whatever fails in between leaves the charge open, to be asked again. Called by the approval itself and, for what a
 * crash or a silent network left open, by the reconciler.
 */
export async function driveCharge(deps: SessionDeps, work: ChargeWork): Promise<void> {
  try {
    await (work.status === 'minting' ? driveMint(deps, work) : driveConfirmation(deps, work))
  } catch (error) {
    deps.log.failure('charge stays open', error, { merchant_id: work.merchant_id, charge_id: work.id })
    await deps.charges.postpone(work)
  }
}

async function driveMint(deps: SessionDeps, work: ChargeWork): Promise<void> {
  const answer = await deps.charges.mint(work)
  switch (answer.outcome) {
    case 'unknown':
      return deps.charges.postpone(work)
    case 'minted':
      return recordMinted(deps, work, answer)
    case 'failed':
      return recordFailed(deps, work, answer.failure)
  }
}

/** Answers what the network said, or 'unknown'; a known answer is recorded before it is given. */
export async function driveConfirmation(
  deps: SessionDeps,
  work: ChargeWork,
): Promise<'SUCCESS' | 'FAILURE' | 'unknown'> {
  const confirmation = await deps.charges.confirm(work)
  if (confirmation === 'unknown') {
    await deps.charges.postpone(work)
    return confirmation
  }
  await settle(deps, work, async (tx, at) => {
    const approved = work.reported_outcome === 'APPROVED'
    const failure = approved ? null : 'PAYMENT_DECLINED'
    const session = await moveSession(tx, keyOf(work), approved ? 'completed' : 'failed', failure, at)
    if (session === undefined || !(await deps.charges.recordReported(tx, work, { approved, confirmation }))) return null
    await deps.mandates[approved ? 'consume' : 'cancel'](tx, mandateOf(work), at)
    return { session, event: approved ? 'payment.succeeded' : 'payment.failed', failure }
  })
  return confirmation
}

async function recordMinted(deps: SessionDeps, work: ChargeWork, minted: MintOutcome & { outcome: 'minted' }) {
  await settle(deps, work, async (tx, at) => {
    const session = await moveSession(tx, keyOf(work), 'awaiting_result', null, at)
    if (session === undefined || !(await deps.charges.recordMinted(tx, work, minted.sealed))) return null
    await deps.mandates.activate(tx, mandateOf(work), minted.instructionRef, at)
    return { session, event: 'payment.credentials_ready', failure: null }
  })
}

async function recordFailed(deps: SessionDeps, work: ChargeWork, failure: PaymentFailure) {
  await settle(deps, work, async (tx, at) => {
    const session = await moveSession(tx, keyOf(work), 'failed', failure, at, ['processing'])
    if (session === undefined || !(await deps.charges.recordFailed(tx, work, failure))) return null
    await deps.mandates.cancel(tx, mandateOf(work), at)
    return { session, event: 'payment.failed', failure }
  })
}

interface Settlement {
  session: ChangedSession
  event: 'payment.credentials_ready' | 'payment.succeeded' | 'payment.failed'
  failure: PaymentFailure | null
}

/**
 * Session, charge, mandate and event in one transaction. `record` answers null when somebody else ended the session or
 * holds the charge now; then nothing is written: a revoke has cancelled the mandate at the network, and a newer lease
 * is making the same idempotent call.
 */
async function settle(
  deps: SessionDeps,
  work: ChargeWork,
  record: (tx: Tx, at: Date) => Promise<Settlement | null>,
): Promise<void> {
  try {
    await transaction(deps.pool, async (tx) => {
      const at = deps.clock.now()
      const settlement = await record(tx, at)
      if (settlement === null) throw new LostCharge()
      const { session, event, failure } = settlement
      await announce(deps, tx, event, session, { chargeId: work.id, ...(failure === null ? {} : { failure }) }, at)
    })
  } catch (error) {
    if (!(error instanceof LostCharge)) throw error
    deps.log.info('charge was settled elsewhere', { merchant_id: work.merchant_id, charge_id: work.id })
  }
}

/** Rolls back: the row was not ours to write any more. */
class LostCharge extends Error {}

function keyOf(work: ChargeWork): SessionKey {
  return { merchantId: work.merchant_id, sessionId: work.session_id }
}

function mandateOf(work: ChargeWork) {
  return { merchantId: work.merchant_id, id: work.mandate_id }
}
