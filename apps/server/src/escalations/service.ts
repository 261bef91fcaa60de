import { ALLOWED_SECONDS, type EscalationStatus } from '@mintmark/contract/agents'
import { readingOf, SENTENCE_VERSION, sentenceOf } from '@mintmark/contract/sentence'
import type { EscalationTerms } from '@mintmark/contract/wire/agents'
import { single } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import type { AssertionAnswer, CeremonyScope } from '../passkeys/service.ts'
import { bound } from '../platform/bound.ts'
import { addSeconds } from '../platform/clock.ts'
import { invalidState } from '../platform/errors.ts'
import { amountFromMinor } from '../platform/money.ts'
import { isUntouched } from '../platform/row-seals.ts'
import { checkEscalation, type Escalation, standingOf, urlOf } from './asking.ts'
import type { AnsweringDeps } from './deps.ts'
import { escalationNotFound } from './errors.ts'
import { carriedStanding, storedStanding } from './rules.ts'
import { sealedAllowance } from './seal.ts'
import * as store from './store.ts'

export { type Asking, createAsking, type Escalation, isAsked, type ShownEscalation, take } from './asking.ts'
export { canBeAsked } from './rules.ts'

// The owner's side: to read what an agent asks for, to allow it with the passkey, to deny it.

export interface EscalationRef {
  merchantId: string
  id: string
}

/** Throws `RowTampered`. */
async function find(deps: AnsweringDeps, { merchantId, id }: EscalationRef): Promise<Escalation> {
  const found = await store.findEscalation(deps.pool, { merchantId, id })
  if (found === undefined) throw escalationNotFound()
  checkEscalation(deps, found)
  return found
}

/** One that this owner is asked. Another owner's is answered as one that is not there. */
async function findOwn(deps: AnsweringDeps, ref: EscalationRef, ownerId: string): Promise<Escalation> {
  const found = await find(deps, ref)
  if (found.customerId !== ownerId) throw escalationNotFound()
  return found
}

const MAX_SHOWN = 50

/**
 * What waits for an owner. One that was edited outside the program, or the mandate that is to carry it, is left out, with an alarm. All
 * mandates are looked at together: the page asks for this again and again.
 */
async function listOfOwner(deps: AnsweringDeps, on: Queryable, owner: { merchantId: string; customerId: string }) {
  const { merchantId } = owner
  const rows = await store.listOfOwner(on, { ...owner, at: deps.clock.now(), limit: MAX_SHOWN })
  const whole = rows.filter((row) => isUntouched(() => checkEscalation(deps, row)))
  const ids = whole.flatMap(({ carrierId }) => carrierId ?? [])
  const carriers = await deps.mandates.lookAtAll(on, { merchantId, ids })
  const now = deps.clock.now()
  return whole.filter((row) => {
    const { id, agentId, carrierId } = row
    if (carrierId === null) return storedStanding(row, now) === 'pending'
    const carrier = carriers.get(carrierId)
    if (carrier === undefined) return false
    if (carrier.agentId === agentId) return carriedStanding(row, carrier, now) === 'pending'
    deps.seals.alarm({ table: 'escalations', merchantId, id })
    return false
  })
}

/** How it stands now. */
async function standing(deps: AnsweringDeps, ref: EscalationRef): Promise<EscalationStatus> {
  return standingOf(deps, await find(deps, ref))
}

/** The same while the owner may answer. */
async function pending(deps: AnsweringDeps, ref: EscalationRef): Promise<Escalation> {
  const found = await find(deps, ref)
  const status = await standingOf(deps, found)
  if (status !== 'pending') throw invalidState({ message: `The owner cannot answer any more: it is ${status}.` })
  return found
}

/** The statement that the owner reads, and the WebAuthn request whose challenge binds it. Not of what is beyond the mandate. */
async function approvalOptions(deps: AnsweringDeps, ref: EscalationRef) {
  const found = await pending(deps, ref)
  const { customerId } = found
  const { passkey = null } =
    (await store.findPasskey(deps.pool, { merchantId: found.merchantId, customerId, at: deps.clock.now() })) ?? {}
  return deps.approvals.requestEscalation(scopeOf(found), passkey, await termsOf(deps, found))
}

/** What the owner reads of the agent, as it is named now. */
async function agentName({ pool }: AnsweringDeps, { merchantId, agentId }: Escalation): Promise<string> {
  const found = await store.findAgentName(pool, { merchantId, agentId })
  if (found === undefined) throw invalidState({ message: 'The agent was revoked: it asks for nothing any more.' })
  return found.name
}

async function termsOf(deps: AnsweringDeps, found: Escalation): Promise<EscalationTerms> {
  const { agentId, payeeName, payeeUrl, payeeCountry, amountMinor, currency } = found
  const name = await agentName(deps, found)
  const amount = amountFromMinor(amountMinor)
  const asked = { type: 'charge', agent: name, payee: payeeName, payeeUrl, amount, currency } as const
  const text = sentenceOf(asked, readingOf(['en']))
  return {
    ...{ type: 'escalation', escalation_id: found.id, agent: { id: agentId, name }, mandate_id: found.mandateId },
    ...{ reference: found.reference, amount, currency, limit: found.limitKind },
    payee: { name: payeeName, url: payeeUrl, country: payeeCountry },
    sentence: { version: SENTENCE_VERSION, language: 'en', locale: 'en', time_zone: null, text },
  }
}

/** The owner's signature allows the charge: once, of this reference, amount and shop. */
async function allow(deps: AnsweringDeps, ref: EscalationRef, response: unknown): Promise<void> {
  const found = await pending(deps, ref)
  const scope = scopeOf(found)
  const answer = deps.passkeys.readAssertion(response)
  const known = await claim(deps, scope, answer)
  const approval = await deps.approvals.verifyEscalation(scope, answer, known)
  if (approval.terms.type !== 'escalation' || !isOf(approval.terms, found)) {
    throw deps.seals.alarm({ table: 'escalations', merchantId: ref.merchantId, id: ref.id })
  }
  const evidence = deps.approvals.evidenceOf(scope, approval)
  const allowed = await single(deps, { name: 'escalations.allow', silent: 'owner' }, ({ on, at }) => {
    const goodUntil = addSeconds(at, ALLOWED_SECONDS)
    const allowedSeal = deps.seals.seal(sealedAllowance(found, { goodUntil }))
    return store.allow(on, { ...evidence, id: found.id, seal: found.seal, goodUntil, allowedSeal, at })
  })
  if (allowed === undefined) throw invalidState({ message: 'It was answered meanwhile, or its time is over.' })
}

/** What was signed is what is asked: the agent, the amount, the payee, and the reference by which the agent comes back for it. */
function isOf(terms: EscalationTerms, found: Escalation): boolean {
  const { escalation_id: id, reference, amount, currency, payee, agent } = terms
  const isCharge = id === found.id && reference === found.reference && agent.id === found.agentId
  const isPrice = amount === amountFromMinor(found.amountMinor) && currency === found.currency
  return isCharge && isPrice && payee.name === found.payeeName && payee.url === found.payeeUrl
}

/**
 * The owner says no, which needs no passkey: nothing is given away by it. `sessionId`: the one in which they would have made a mandate for it,
 * which has ended, so that none is made behind their back; null where none was begun.
 */
async function deny(deps: AnsweringDeps, ref: EscalationRef, sessionId: string | null): Promise<void> {
  const found = await pending(deps, ref)
  if (await isCarried(deps, found)) throw invalidState({ message: 'The mandate that carries it was approved already.' })
  const denied = await single(deps, { name: 'escalations.deny', silent: 'owner' }, ({ on, at }) =>
    store.updateDenied(on, { merchantId: found.merchantId, id: found.id, sessionId, at }),
  )
  if (denied === undefined) throw invalidState({ message: 'It was answered meanwhile, or its time is over.' })
}

/** Whether the mandate for it was approved, also one that the network does not know yet. */
async function isCarried(
  { mandates }: AnsweringDeps,
  { merchantId, agentId, carrierId }: Escalation,
): Promise<boolean> {
  return carrierId !== null && (await mandates.look({ merchantId, agentId }, carrierId)).isApproved
}

/**
 * The mandate that is to carry the charge, and the session in which the owner makes it; the one before has ended. False: another one was begun
 * meanwhile, or the one before was approved.
 */
async function carry(
  deps: AnsweringDeps,
  found: Escalation,
  by: { sessionId: string; carrierId: string },
): Promise<boolean> {
  if (await isCarried(deps, found)) return false
  const { merchantId, id, sessionId: formerSessionId } = found
  const carried = await single(deps, { name: 'escalations.carry', silent: 'owner' }, ({ on, at }) =>
    store.updateCarrier(on, { merchantId, id, formerSessionId, ...by, at }),
  )
  return carried === 1
}

async function claim(
  deps: AnsweringDeps,
  { merchantId, customerId, subject }: CeremonyScope,
  { clientData: { challenge } }: AssertionAnswer,
) {
  const place = { merchantId, customerId, subjectType: subject.type, subjectId: subject.id }
  const known = await single(deps, { name: 'escalations.claim_challenge', silent: 'challenge' }, ({ on, at }) =>
    store.claimChallenge(on, { ...place, ceremony: 'assertion', challenge, at }),
  )
  return known ?? { claimed: null, passkey: null }
}

function scopeOf({ merchantId, customerId, id }: Escalation): CeremonyScope {
  return { merchantId, customerId, subject: { type: 'escalation', id }, allowedOrigins: [] }
}

/** What agents ask their owners to allow beyond a limit. */
export const createEscalationService = (deps: AnsweringDeps) =>
  bound(deps, {
    find,
    findOwn,
    listOfOwner,
    addressOf: urlOf,
    standing,
    pending,
    agentName,
    approvalOptions,
    allow,
    deny,
    carry,
  })
export type EscalationService = ReturnType<typeof createEscalationService>
