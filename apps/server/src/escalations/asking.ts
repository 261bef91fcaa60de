import {
  type CHARGE_LIMITS,
  ESCALATION_MINUTES,
  type EscalationStatus,
  MAX_ESCALATIONS,
} from '@mintmark/contract/agents'
import type { Change } from '../db/command.ts'
import type { Queryable } from '../db/statement.ts'
import type { AskedOwner } from '../mail/service.ts'
import { bound } from '../platform/bound.ts'
import { addSeconds } from '../platform/clock.ts'
import { newId } from '../platform/ids.ts'
import type { AskingDeps, TellingDeps } from './deps.ts'
import { carriedStanding, isBeyond, storedStanding } from './rules.ts'
import { sealedAllowance, sealedEscalation } from './seal.ts'
import type { Escalation } from './store.ts'
import * as store from './store.ts'

// The agent's side: what the owner is asked, and what they said.

export type { Escalation } from './store.ts'

/** A charge that a limit has refused. */
interface Refused {
  merchantId: string
  agentId: string
  ownerId: string
  mandateId: string
  chargeId: string
  reference: string | null
  amountMinor: bigint
  currency: string
  payeeName: string
  payeeUrl: string
  limit: (typeof CHARGE_LIMITS)[number]
  canAsk: boolean
}

/** The values of `ASK_OWNER`. Without a reference nothing is asked: the agent could not come back for what was allowed. */
function askingOf({ seals }: AskingDeps, { limit, canAsk, ownerId, ...refused }: Refused, at: Date) {
  const { reference } = refused
  const escalationId = newId('escalation')
  const beyond = isBeyond(limit)
  const about = {
    ...refused,
    id: escalationId,
    customerId: ownerId,
    reference: reference ?? '',
    limitKind: limit,
    beyond,
  }
  return {
    ...{ escalationId, ownerId, limitKind: limit, beyond, maxAsked: MAX_ESCALATIONS },
    mayAsk: canAsk && reference !== null,
    askedUntil: addSeconds(at, ESCALATION_MINUTES * 60),
    askedSeal: seals.seal(sealedEscalation(about)),
  }
}

/** A charge, by what names it to its owner. `allowedId`: the question that they have allowed, by which it is made. */
interface Taking {
  merchantId: string
  mandateId: string
  reference: string | null
  allowedId: string | null
}

/** Uses the owner's permission, if a charge is made by one. False: that is gone; or it is made by none, and the owner was asked about it. */
export async function take({ tx: on, at }: Change, charge: Taking): Promise<boolean> {
  if (charge.allowedId !== null) return (await store.use(on, { ...charge, at })) !== undefined
  return charge.reference === null || (await store.findAsked(on, charge)) === undefined
}

/** Whether `take` is false. */
export async function isAsked(on: Queryable, charge: Taking, at: Date): Promise<boolean> {
  const { reference, allowedId } = charge
  const asked = reference === null ? undefined : await store.findAsked(on, charge)
  if (allowedId === null) return asked !== undefined
  const isGood = asked?.status === 'allowed' && asked.goodUntil !== null && asked.goodUntil > at
  return !(isGood && asked.id === allowedId)
}

/** What the owner was asked of a mandate and reference. Throws `RowTampered`. */
async function findReferenced(
  deps: AskingDeps,
  ref: { merchantId: string; mandateId: string; reference: string },
): Promise<Escalation | undefined> {
  const found = await store.findReferenced(deps.pool, ref)
  if (found !== undefined) checkEscalation(deps, found)
  return found
}

export function checkEscalation({ seals }: Pick<AskingDeps, 'seals'>, found: Escalation): void {
  seals.check(sealedEscalation(found), found.seal)
  const { goodUntil, allowedSeal } = found
  if (goodUntil !== null) seals.check(sealedAllowance(found, { goodUntil }), allowedSeal)
}

/** How it stands. */
export async function standingOf(deps: AskingDeps, found: Escalation): Promise<EscalationStatus> {
  const { merchantId, agentId, carrierId, status } = found
  const now = deps.clock.now()
  if (carrierId === null || status === 'denied') return storedStanding(found, now)
  return carriedStanding(found, await deps.mandates.look({ merchantId, agentId }, carrierId), now)
}

/** Where its owner answers it. */
export const urlOf = ({ ownerUrl }: Pick<AskingDeps, 'ownerUrl'>, { id }: Pick<Escalation, 'id'>) =>
  `${ownerUrl}/escalations/${id}`

/** What is told of it. */
function shown(deps: AskingDeps, { id, expiresAt }: Escalation, status: EscalationStatus) {
  return { id, status, expiresAt, url: urlOf(deps, { id }) }
}
export type ShownEscalation = ReturnType<typeof shown>

/** Those of an agent that wait. */
async function listWaiting({ pool, clock }: AskingDeps, ref: { merchantId: string; agentId: string }) {
  return store.listWaiting(pool, { ...ref, at: clock.now(), limit: MAX_ESCALATIONS })
}

const tellOwner = ({ tellOwner: tell }: TellingDeps, change: Change, asked: AskedOwner) => tell(change, asked)

export const createAsking = (deps: TellingDeps) =>
  bound(deps, { askingOf, tellOwner, findReferenced, standingOf, shown, urlOf, listWaiting })
export type Asking = ReturnType<typeof createAsking>
