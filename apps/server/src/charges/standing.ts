import type { PaymentFailure } from '@mintmark/contract'
import { type Captured, pipelinedCommand, rollback, single, singleWithEvent } from '../db/command.ts'
import { isDatabaseUnavailable } from '../db/errors.ts'
import type { ShownEscalation } from '../escalations/service.ts'
import { awaitOutcome } from '../jobs/await-outcome.ts'
import { leaseBound } from '../jobs/due.ts'
import { leaseEnd } from '../jobs/work.ts'
import type { MandateScope, ShownMandate } from '../mandates/service.ts'
import { PublicError } from '../platform/errors.ts'
import { RowTampered } from '../platform/row-seals.ts'
import type { SealedField, WireCredential, WireShopToken } from '../vault/service.ts'
import { unsealCredential } from './credential.ts'
import type { ChargeDeps, ChargeRef } from './deps.ts'
import { chargeNotWritten, noInstruction, noToken } from './errors.ts'
import { askingOf, escalationOf, ownersWord, payeeOf, type RefusedCharge, unaskedOf, withAsking } from './escalated.ts'
import { paymentEvent } from './events.ts'
import { type Driven, drive } from './finish.ts'
import { findReferenced, type Judged } from './judge.ts'
import { type Limit, type Opened, open } from './open.ts'
import * as openStore from './open-store.ts'
import { type ChargeRequest, type Given, prepare } from './prepare.ts'
import { deliveryOf, isOver, type StoredDelivery } from './rules.ts'
import { type LimitDetails, limitDetails, limitOf } from './standing-agent.ts'
import type { StandingCharge } from './standing-store.ts'
import * as store from './standing-store.ts'
import type { ChargeWork } from './store.ts'

/** How a charge stands, for its caller. */
export interface ChargeAnswer {
  mandateId: string
  instructionRef: string
  /** Null: nothing was charged. */
  chargeId: string | null
  orderId: string
  status: StandingCharge['chargeStatus']
  failure: PaymentFailure | null
  credential: WireCredential | null
  /** Of a charge whose card goes to a shop: the checkout there, and the shop's token, as long as a credential would be shown. */
  delivery: { sessionId: string; token: WireShopToken | null } | null
  /** When the credential lapses; null where none was minted. */
  expiresAt: Date | null
  isDeduplicated: boolean
  amountMinor: bigint
  currency: string
  /** Of an agent's charge that a limit refuses. */
  limit: LimitDetails | null
  /** What its owner is asked, or was. */
  escalation: ShownEscalation | null
  /** A charge of a moment ago that this one repeats; null where it has a reference, or repeats none. */
  duplicateOf: string | null
}

/**
 * One charge against a standing mandate. It is written before the network is asked, so that it is neither lost nor made twice:
 * who asks again with its reference, or a worker, drives it to its end.
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

/** What fails in the middle of writing a charge was rolled back, and has a code that says so: the same request may be sent again. */
async function written<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof PublicError || error instanceof RowTampered || isDatabaseUnavailable(error)) throw error
    throw chargeNotWritten({ cause: error })
  }
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

/** What every answer about a new charge says. */
function judgedAnswer(
  { mandateId, amountMinor, deliverySessionId }: Given,
  { instructionRef, orderId, mandateCurrency, duplicateOf = null }: Judged,
) {
  if (instructionRef === null || orderId === null) throw new Error(`The mandate ${mandateId} has no instruction.`)
  const about = { mandateId, instructionRef, orderId, amountMinor, currency: mandateCurrency }
  return {
    ...about,
    credential: null,
    delivery: deliverySessionId === null ? null : { sessionId: deliverySessionId, token: null },
    expiresAt: null,
    isDeduplicated: false,
    limit: null,
    escalation: null,
    duplicateOf,
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

/** What the mandate does not allow is a charge that failed: it is listed, and its reference is free. */
async function recordOverLimit(
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
  const there = await findReferenced(deps, given)
  if (there !== undefined) return answerThere(deps, there, deadline, false)
  // Made and undone by others while this one was being refused.
  throw noToken()
}

async function insertRefused(deps: ChargeDeps, given: Given, failure: Limit, event: Captured<'payment.failed'>) {
  const declaration = { name: 'charges.over_limit', emits: ['payment.failed'] } as const
  const recorded = await singleWithEvent(deps, declaration, event, ({ on, at, event }) =>
    openStore.insertOverLimit(on, { ...given, failure, at, ...event }),
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
  const silent = 'The statement itself inserts the event.'
  const recorded = await pipelinedCommand(deps, { name: 'charges.over_limit', silent }, async ({ tx, at }) => {
    const row = deps.events.prepare({ on: tx, at }, event)
    const values = { ...given, ...agent, ...askingOf(deps, refused, at), failure, at, ...row }
    const told = { ...values, ...payeeOf(refused) }
    const [, inserted] = await Promise.all([
      openStore.lockAsking(tx, values),
      openStore.insertRefusedAsking(tx, values),
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

async function mintOpened(
  deps: ChargeDeps,
  given: Given,
  { work, judged }: { work: ChargeWork; judged: Judged },
  deadline: number,
): Promise<ChargeAnswer> {
  const driven = await driveUntil(deps, work, deadline)
  const { merchantId, mandateId, chargeId } = given
  if (driven === null) {
    const settled = await settle(deps, await findOwn(deps, { merchantId, mandateId, id: chargeId }), deadline)
    return { ...(await answerOf(deps, settled, false, false)), duplicateOf: judged.duplicateOf ?? null }
  }
  const { chargeStatus: status, failure, sealed, lapsesAt: expiresAt } = driven
  const issued = await issuedOf(deps, { merchantId, chargeId }, given, sealed)
  return { ...judgedAnswer(given, judged), chargeId, status, failure, ...issued, expiresAt }
}

/** What its agent or merchant gets, once: the card, or what a shop has given for it. */
async function issuedOf(deps: ChargeDeps, charge: ChargeRef, delivered: StoredDelivery, sealed: SealedField | null) {
  const { merchantId, chargeId } = charge
  const delivery = deliveryOf(delivered)
  if (delivery === null) {
    return { credential: sealed && (await unsealCredential(deps, charge, sealed)), delivery: null }
  }
  const token = sealed && (await deps.vault.unsealShopToken(merchantId, chargeId, sealed))
  return { credential: null, delivery: { sessionId: delivery.sessionId, token } }
}

async function answerThere(deps: ChargeDeps, charge: StandingCharge, deadline: number, isDry: boolean) {
  return answerOf(deps, isDry ? charge : await settle(deps, charge, deadline), true, isDry)
}

/** The charge once the network's word is recorded. */
function settle(deps: ChargeDeps, begun: StandingCharge, deadline: number): Promise<StandingCharge> {
  return awaitOutcome(begun, deadline, {
    isOpen: ({ chargeStatus }) => chargeStatus === 'minting',
    claim: () => claimMinting(deps, begun),
    drive: (work) => driveUntil(deps, work, deadline),
    look: () => findOwn(deps, begun),
    late: noToken,
  })
}

/** Null: no word yet, or not in time. The call then goes on without its caller, and its result is recorded as ever. */
async function driveUntil(deps: ChargeDeps, work: ChargeWork, deadline: number): Promise<Driven> {
  const driving = drive(deps, work).catch((error: unknown) => {
    // The lease ends by itself, and the charge is asked for again.
    deps.log.failure('charge was not given back', error, { merchant_id: work.merchantId, charge_id: work.id })
    return null
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, deadline - performance.now(), null)
  })
  return Promise.race([driving, late]).finally(() => clearTimeout(timer))
}

type OwnRef = Pick<StandingCharge, 'merchantId' | 'mandateId' | 'id'>

async function findOwn({ pool }: ChargeDeps, { merchantId, mandateId, id: chargeId }: OwnRef): Promise<StandingCharge> {
  const found = await store.findStanding(pool, { merchantId, mandateId, chargeId })
  if (found === undefined) throw new Error(`There is no charge ${chargeId}.`)
  return found
}

function claimMinting(deps: ChargeDeps, { merchantId, id: chargeId }: OwnRef): Promise<ChargeWork | undefined> {
  const silent = 'A lease is not a change that anyone sees.'
  return single(deps, { name: 'charges.claim_minting', silent }, ({ on, at }) =>
    store.claimMinting(on, { merchantId, chargeId, at, leaseUntil: leaseEnd(deps, at), leaseBound: leaseBound(at) }),
  )
}

/**
 * A charge that is there. Its credential is shown while it awaits its result and its time lasts, whether or not anybody has ended it by then.
 * Not to a merchant that is suspended. That its mandate was cancelled since changes nothing about it.
 */
async function answerOf(
  deps: ChargeDeps,
  charge: StandingCharge,
  isDeduplicated: boolean,
  isDry: boolean,
): Promise<ChargeAnswer> {
  const { merchantId, mandateId, id: chargeId, orderId, chargeStatus, failure, amountMinor, currency } = charge
  const { credentialSealed: sealed, credentialKeyId: keyId, instructionRef } = charge
  if (instructionRef === null) throw noInstruction()
  const isOpen = chargeStatus === 'awaiting_result' && !isOver(charge, deps.clock.now())
  const isReadable = isOpen && charge.merchantActive && !isDry
  const shown = isReadable && sealed !== null && keyId !== null ? { sealed, keyId } : null
  const issued = await issuedOf(deps, { merchantId, chargeId }, charge, shown)
  const about = { mandateId, instructionRef, chargeId, orderId, amountMinor, currency, isDeduplicated }
  const answer = { ...about, status: chargeStatus, failure, ...issued, expiresAt: charge.lapsesAt }
  return { ...answer, limit: null, escalation: null, duplicateOf: null }
}
