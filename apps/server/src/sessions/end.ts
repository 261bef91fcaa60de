import type { EventType, PaymentFailure, SessionStatus } from '@mintmark/contract'
import { type Tx, transaction } from '../db/transaction.ts'
import { announce } from './announce.ts'
import type { SessionDeps } from './deps.ts'
import { notRevocable, sessionNotFound, sessionOver } from './errors.ts'
import { dueEnd } from './rules.ts'
import {
  findSession,
  lockExpiredSessions,
  lockLapsedSessions,
  moveSession,
  type SessionKey,
  type SessionRow,
} from './store.ts'

/** One way for a session to end without a payment: from where, with what word, and what becomes of its mandate. */
interface Ending {
  failure: PaymentFailure
  from: readonly SessionStatus[]
  event: EventType
  mandate: 'cancel' | 'expire'
}

const EXPIRY: Ending = { failure: 'SESSION_EXPIRED', from: ['pending'], event: 'payment.failed', mandate: 'cancel' }
const LAPSE: Ending = {
  failure: 'MANDATE_EXPIRED',
  from: ['awaiting_result'],
  event: 'payment.failed',
  mandate: 'expire',
}
const CANCEL: Ending = { failure: 'CANCELLED', from: ['pending'], event: 'payment.failed', mandate: 'cancel' }
const REVOKE: Ending = {
  failure: 'SESSION_REVOKED',
  // A revoke while the network is asked voids what it may mint: the mandate is cancelled there, idempotently.
  from: ['pending', 'processing'],
  event: 'session.revoked',
  mandate: 'cancel',
}

/**
 * Ends a session, its charge and its mandate together, and erases its credential. False when the session is not (any
 * more) where the ending starts from, or its outcome was reported first. Locks in the order session, charge, mandate.
 */
async function end(deps: SessionDeps, tx: Tx, of: SessionKey, ending: Ending): Promise<boolean> {
  const at = deps.clock.now()
  const session = await moveSession(tx, of, 'failed', ending.failure, at, ending.from)
  if (session === undefined) return false
  const charge = await deps.charges.failWithSession(tx, of.merchantId, of.sessionId, ending.failure)
  if (charge === undefined) throw new ReportedFirst()
  if (charge.mandate_id !== null) {
    await deps.mandates[ending.mandate](tx, { merchantId: of.merchantId, id: charge.mandate_id }, at)
  }
  await announce(deps, tx, ending.event, session, { chargeId: charge.id, failure: ending.failure }, at)
  return true
}

/** Rolls an ending back: the merchant's report claimed the charge between our two statements. */
class ReportedFirst extends Error {}

async function endNow(deps: SessionDeps, of: SessionKey, ending: Ending): Promise<boolean> {
  try {
    return await transaction(deps.pool, (tx) => end(deps, tx, of, ending))
  } catch (error) {
    if (error instanceof ReportedFirst) return false
    throw error
  }
}

/** The session as it is at this moment: an end that time brought is carried out before it is shown. */
export async function loadSession(deps: SessionDeps, of: SessionKey): Promise<SessionRow> {
  const session = await findSession(deps.pool, of.merchantId, of.sessionId)
  if (session === undefined) throw sessionNotFound()
  const due = dueEnd(session, deps.clock.now())
  if (due === null) return session
  await endNow(deps, of, due === 'expire' ? EXPIRY : LAPSE)
  return (await findSession(deps.pool, of.merchantId, of.sessionId)) ?? session
}

/** The merchant withdraws a session that has no credential yet. */
export async function revokeSession(deps: SessionDeps, of: SessionKey): Promise<void> {
  await loadSession(deps, of)
  if (!(await endNow(deps, of, REVOKE))) throw notRevocable()
}

/** The cardholder walks away before approving. */
export async function cancelSession(deps: SessionDeps, of: SessionKey): Promise<void> {
  const session = await loadSession(deps, of)
  if (session.failure_code === 'CANCELLED') return
  if (!(await endNow(deps, of, CANCEL))) throw sessionOver()
}

/** Ends what time has ended and nobody has looked at since. Answers how many. */
export async function sweepSessions(deps: SessionDeps, limit: number): Promise<number> {
  const now = deps.clock.now()
  return (
    (await sweep(deps, limit, EXPIRY, (tx) => lockExpiredSessions(tx, now, limit))) +
    (await sweep(deps, limit, LAPSE, (tx) => lockLapsedSessions(tx, now, limit)))
  )
}

type Locked = { merchant_id: string; id: string }

/**
 * The claim is the row lock: nothing outside the database is called, so no lease is needed, and SKIP LOCKED shares the
 * work among any number of sweepers. A report that wins a lapse's charge undoes only this batch, and the next one is
 * without it.
 */
async function sweep(deps: SessionDeps, limit: number, ending: Ending, lock: (tx: Tx) => Promise<Locked[]>) {
  try {
    return await transaction(deps.pool, async (tx) => {
      const due = await lock(tx)
      for (const row of due) await end(deps, tx, { merchantId: row.merchant_id, sessionId: row.id }, ending)
      return due.length
    })
  } catch (error) {
    if (error instanceof ReportedFirst) return limit
    throw error
  }
}
