import { type Captured, pipelinedCommand, rollback, singleWithEvent } from '../db/command.ts'
import type { ShownMandate } from '../mandates/service.ts'
import { type LimitDetails, limitDetails, limitOf } from './agent.ts'
import { answerThere, type ChargeAnswer, judgedAnswer } from './answer.ts'
import type { ChargeDeps } from './deps.ts'
import { noToken } from './errors.ts'
import { askingOf, escalationOf, payeeOf, type RefusedCharge, unaskedOf, withAsking } from './escalated.ts'
import { paymentEvent } from './events.ts'
import { findHolder, type Judged } from './judge.ts'
import type { Limit, Opened } from './open.ts'
import * as store from './open-store.ts'
import type { Given } from './prepare.ts'
import { written } from './written.ts'

/** What the mandate does not allow is a charge that failed: it is listed, and its reference is free. */
export async function recordOverLimit(
  deps: ChargeDeps,
  given: Given,
  { failure, judged, mandate }: Extract<Opened, { state: 'over_limit' }>,
  deadline: number,
): Promise<ChargeAnswer> {
  const about = judgedAnswer(given, judged)
  const limit = refusedBy(deps, given, mandate, judged, failure)
  const failed = { ...about, status: 'failed' as const, failure, limit, duplicateOf: null }
  if (given.isDry) return { ...failed, chargeId: null, limit: limit && withAsking(limit, unaskedOf(given, limit)) }
  const { merchantId, chargeId: id, mandateId: standingMandateId } = given
  const { externalOrderRef } = judged
  const changed = { ...about, merchantId, id, version: 1, externalOrderRef, openedBy: null, standingMandateId }
  const event = paymentEvent('payment.failed', changed, failure)
  const { agent } = given
  const recorded = await written(() =>
    agent === null || limit === null
      ? insertRefused(deps, given, failure, event)
      : insertAsking(deps, { given, agent, judged, limit }, failure, event),
  )
  if (recorded) return { ...failed, chargeId: id, ...(await escalationOf(deps, given, limit)) }
  const there = await findHolder(deps, given)
  if (there !== undefined) return answerThere(deps, there, deadline, false)
  // Made and undone by others while this one was being refused.
  throw noToken()
}

async function insertRefused(deps: ChargeDeps, given: Given, failure: Limit, event: Captured<'payment.failed'>) {
  const declaration = { name: 'charges.over_limit', emits: ['payment.failed'] } as const
  const recorded = await singleWithEvent(deps, declaration, event, ({ on, at, event }) =>
    store.insertOverLimit(on, { ...given, failure, at, ...event }),
  )
  return recorded !== undefined
}

/** The same, and the owner is asked. Two statements: how many questions wait is counted after the lock, of what is there then. */
async function insertAsking(
  deps: ChargeDeps,
  refused: RefusedCharge,
  failure: Limit,
  event: Captured<'payment.failed'>,
) {
  const { given, agent } = refused
  const declaration = { name: 'charges.over_limit', silent: 'statement' } as const
  const recorded = await pipelinedCommand(deps, declaration, async ({ tx, at }) => {
    const row = deps.events.prepare({ on: tx, at }, event)
    const values = { ...given, ...agent, ...askingOf(deps, refused, at), failure, at, ...row }
    const told = { ...values, ...payeeOf(refused) }
    const [, inserted] = await Promise.all([
      store.lockAsking(tx, values),
      store.insertRefusedAsking(tx, values),
      deps.escalations.tellOwner({ tx, at }, told),
    ])
    return inserted ?? rollback
  })
  return recorded !== null
}

function refusedBy(
  { clock }: ChargeDeps,
  { agent }: Given,
  mandate: ShownMandate | null,
  judged: Judged,
  failure: Limit,
): LimitDetails | null {
  if (agent === null || mandate === null) return null
  return limitDetails(limitOf(agent, judged, failure), agent, mandate, judged, clock.now())
}
