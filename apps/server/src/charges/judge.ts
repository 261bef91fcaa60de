import { findSpent, type LimitKind, reachedBy } from '../agents/service.ts'
import { readTogether } from '../db/pipeline.ts'
import type { Queryable } from '../db/statement.ts'
import * as escalations from '../escalations/service.ts'
import {
  type ChargedMandate,
  findChargeable,
  type MandateRefusal,
  refusalOf,
  windowAfter,
} from '../mandates/service.ts'
import type { ChargeDeps } from './deps.ts'
import * as openStore from './open-store.ts'
import { type Given, valuesOf } from './prepare.ts'
import { sealedRow } from './seal.ts'
import type { StandingCharge } from './store.ts'
import * as store from './store.ts'

// Says why a charge was not opened, or would not be. Whether it is opened is not decided here: by then the rows may have changed, and `open`
// tries again.

export type Refusal = MandateRefusal | 'ASKED' | 'MERCHANT_NOT_ALLOWED' | 'AGENT_LIMIT_EXCEEDED'

/** What a mandate allows so often, or so much, of. */
export type Bound = Extract<MandateRefusal, 'MAX_CHARGES_EXCEEDED' | 'THRESHOLD_EXCEEDED'>
export const isBound = (refusal: Refusal): refusal is Bound =>
  refusal === 'MAX_CHARGES_EXCEEDED' || refusal === 'THRESHOLD_EXCEEDED'

/** What is known of the mandate of a charge, and of what its agent has taken. */
export type Judged = ChargedMandate & Partial<AgentJudged>
export interface AgentJudged {
  openCount: number
  todayMinor: bigint
  thisMonthMinor: bigint
  /** The limit that it would pass. */
  reached: LimitKind | null
  /** What a charge without a reference repeats, as it is told. */
  duplicateOf: string | null
}

/**
 * Each room is asked for its own rows, in one trip. The reference is looked for last: the charge that took the rest is then there to be found.
 * Undefined: the caller has no such mandate, or it has no card.
 */
export async function judge(deps: ChargeDeps, given: Given) {
  const { agent } = given
  const ofAgent = agent && { ...given, ...agent }
  const at = deps.clock.now()
  const [mandate, taken, isAsked, holder] = await readTogether(deps.pool, (on) =>
    Promise.all([
      findChargeable(on, valuesOf(given)),
      ofAgent && judgeAgent(on, ofAgent, at),
      ofAgent !== null && escalations.isAsked(on, ofAgent, at),
      readHolder(on, given),
    ]),
  )
  // First: which charge holds a reference of another's mandate is none of the caller's business.
  if (mandate === undefined) return undefined
  if (holder !== undefined) return { there: checkHolder(deps, given, holder) }
  const refusal = firstOf(given, { ofMandate: refusalOf(mandate, given, at), isAsked, reached: taken?.reached ?? null })
  if (refusal === null && taken === undefined)
    throw new Error(`It is not known what the agent ${agent?.agentId} has taken.`)
  const next = refusal === null ? windowAfter(mandate, at) : null
  return { judged: { ...mandate, ...taken }, refusal, next }
}

interface Against {
  ofMandate: MandateRefusal | null
  isAsked: boolean
  reached: LimitKind | null
}

/** The first that is told: what holds of every charge of the mandate, the owner's word, and then what this one would pass. */
function firstOf({ merchantAllowed }: Given, { ofMandate, isAsked, reached }: Against): Refusal | null {
  if (ofMandate !== null && !isBound(ofMandate)) return ofMandate
  if (isAsked) return 'ASKED'
  if (!merchantAllowed) return 'MERCHANT_NOT_ALLOWED'
  return ofMandate ?? (reached === null ? null : 'AGENT_LIMIT_EXCEEDED')
}

type AgentsCharge = Given & NonNullable<Given['agent']>

async function judgeAgent(on: Queryable, charge: AgentsCharge, at: Date): Promise<AgentJudged | undefined> {
  const [spent, alike] = await Promise.all([
    findSpent(on, { ...charge, at }),
    charge.alikeSince === null ? undefined : openStore.findAlike(on, charge),
  ])
  if (spent === undefined) return undefined
  const reached = reachedBy(charge, spent, alike !== undefined)
  return { ...spent, reached, duplicateOf: charge.reference === null ? (alike?.id ?? null) : null }
}

type Reference = Pick<Given, 'merchantId' | 'mandateId' | 'reference'>

/** The charge that holds the reference now. Throws `RowTampered` for one that was not made with it, or is not as it was made. */
export async function findHolder(deps: Pick<ChargeDeps, 'seals' | 'pool'>, given: Reference) {
  const holder = await readHolder(deps.pool, given)
  return holder && checkHolder(deps, given, holder)
}

async function readHolder(on: Queryable, { merchantId, mandateId, reference }: Reference) {
  return reference === null ? undefined : store.findHolder(on, { merchantId, mandateId, reference })
}

function checkHolder(
  { seals }: Pick<ChargeDeps, 'seals'>,
  { merchantId, mandateId }: Reference,
  found: StandingCharge,
) {
  if (found.mandateId !== mandateId) throw seals.alarm({ table: 'charges', merchantId, id: found.id })
  seals.check(sealedRow({ ...found, openedBy: null }), found.seal)
  return found
}
