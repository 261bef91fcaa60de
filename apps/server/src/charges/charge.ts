import type { MandateScope } from '../mandates/service.ts'
import { limitDetails } from './agent.ts'
import { answerThere, type ChargeAnswer, judgedAnswer, mintOpened } from './answer.ts'
import type { ChargeDeps } from './deps.ts'
import { noToken } from './errors.ts'
import { ownersWord, withAsking } from './escalated.ts'
import type { Judged } from './judge.ts'
import { type Opened, open } from './open.ts'
import { recordOverLimit } from './over-limit.ts'
import { type ChargeRequest, type Given, prepare } from './prepare.ts'
import { written } from './written.ts'

/**
 * One charge against a standing mandate. It is written before the network is asked, so that it is neither lost nor made twice:
 * a caller that asks again with its reference, or a worker, drives it to its end.
 */
export async function charge(
  deps: ChargeDeps,
  scope: MandateScope,
  mandateId: string,
  request: ChargeRequest,
): Promise<ChargeAnswer> {
  const deadline = performance.now() + deps.callerWaitMillis
  const given = await prepare(deps, scope, mandateId, request)
  const opened = await written(() => open(deps, scope, given))
  if (opened.state === 'asked') return chargeAsked(deps, scope, { given, request, judged: opened.judged }, deadline)
  return carryOut(deps, given, opened, deadline)
}

function carryOut(
  deps: ChargeDeps,
  given: Given,
  opened: Exclude<Opened, { state: 'asked' }>,
  deadline: number,
): Promise<ChargeAnswer> | ChargeAnswer {
  switch (opened.state) {
    case 'there':
      return answerThere(deps, opened.charge, deadline, given.isDry)
    case 'over_limit':
      return recordOverLimit(deps, given, opened, deadline)
    case 'would_pass':
      return { ...judgedAnswer(given, opened.judged), chargeId: null, status: 'awaiting_result', failure: null }
    case 'opened':
      return mintOpened(deps, given, opened, deadline)
  }
}

interface AskedCharge {
  given: Given
  request: ChargeRequest
  judged: Judged
}

/** A charge of which the owner was asked, by its reference. Their word decides, whatever the limits say by now. */
async function chargeAsked(
  deps: ChargeDeps,
  scope: MandateScope,
  { given, request, judged }: AskedCharge,
  deadline: number,
): Promise<ChargeAnswer> {
  const word = await ownersWord(deps, given, judged)
  const { agent } = request
  if (given.agent === null || agent === null) throw new Error('Only an agent has an owner who is asked.')
  if (word === null) return chargeUsed(deps, scope, given, deadline)
  switch (word.answer) {
    case 'refused': {
      const { escalation, failure, chargeId } = word
      const mandate = await deps.mandates.look(scope, given.mandateId)
      const told = limitDetails(word.limit, given.agent, mandate, judged, deps.clock.now())
      const limit = withAsking({ ...told, canAsk: false }, { state: 'asked', escalation })
      return { ...judgedAnswer(given, judged), status: 'failed', chargeId, failure, limit, escalation }
    }
    case 'allowed': {
      const allowed = { ...given, agent: { ...given.agent, isAllowed: true, allowedId: word.escalationId } }
      const opened = await written(() => open(deps, scope, allowed))
      if (opened.state === 'asked') return chargeUsed(deps, scope, given, deadline)
      return carryOut(deps, allowed, opened, deadline)
    }
    case 'carried':
      return charge(deps, scope, word.carrierId, { ...request, payee: null, agent: { ...agent, isCarried: true } })
  }
}

/** Another call has made the charge that was allowed, since this one looked: its reference leads to it. */
async function chargeUsed(deps: ChargeDeps, scope: MandateScope, given: Given, deadline: number) {
  const opened = await written(() => open(deps, scope, given))
  // It was made and undone, and asked anew, while this call was looking.
  if (opened.state === 'asked') throw noToken()
  return carryOut(deps, given, opened, deadline)
}
