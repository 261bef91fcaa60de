import * as agents from '../agents/service.ts'
import { pipelinedCommand, rollback } from '../db/command.ts'
import * as escalations from '../escalations/service.ts'
import { leaseEnd } from '../jobs/work.ts'
import type { MandateScope, NextWindow, ShownMandate } from '../mandates/service.ts'
import * as mandates from '../mandates/service.ts'
import { type DeclaredError, fieldErrors, type PublicError } from '../platform/errors.ts'
import { noFraction } from '../platform/money.ts'
import type { ChargeDeps } from './deps.ts'
import { mandateNotActive, merchantNotAllowed, noInstruction, noOrder } from './errors.ts'
import { type Bound, findHolder, isBound, type Judged, judge, type Refusal } from './judge.ts'
import * as store from './open-store.ts'
import { type Given, valuesOf } from './prepare.ts'
import { BEING_MINTED } from './rules.ts'
import type { ChargeWork, StandingCharge } from './store.ts'

export type Opened =
  | { state: 'opened'; work: ChargeWork; judged: Judged }
  | { state: 'would_pass'; judged: Judged }
  /** Made with the same reference before. */
  | { state: 'there'; charge: StandingCharge }
  /** Its owner was asked: their word decides. */
  | { state: 'asked'; judged: Judged }
  /** `mandate`: for an agent's charge, to say what is left. */
  | { state: 'over_limit'; failure: Limit; judged: Judged; mandate: ShownMandate | null }

export type Limit = Bound | 'AGENT_LIMIT_EXCEEDED'

/** A round follows what another caller wrote, or a window that was over. So many in a row follow something else: a row that was edited. */
const MAX_ROUNDS = 20

/**
 * Takes the charge in one message and its COMMIT. Where that takes nothing, `judge` says why. If nothing stands against it by then, or its
 * window was over, it is tried again. Throws the refusals that are no limit.
 */
export async function open(deps: ChargeDeps, scope: MandateScope, given: Given): Promise<Opened> {
  if (given.deliveryProblem !== null) {
    // What was made before is answered, also when its shop has gone since.
    const there = await findHolder(deps, given)
    if (there !== undefined) return { state: 'there', charge: there }
    throw fieldErrors({ delivery: given.deliveryProblem })
  }
  let window: NextWindow | null = null
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const taken = mayTake(given) ? await take(deps, given, window) : null
    if (taken !== null) return opened(given, taken)
    const found = await judge(deps, given)
    if (found === undefined) throw await withoutCard(deps, scope, given)
    if ('there' in found) return { state: 'there', charge: found.there }
    const { judged, refusal } = found
    if (refusal === 'ASKED') return { state: 'asked', judged }
    if (refusal !== null) return refused(deps, scope, given, refusal, judged)
    if (given.isDry) return { state: 'would_pass', judged }
    window = found.next
  }
  throw new Error(`A charge of ${given.mandateId} was neither opened nor refused.`)
}

/** False where it is known beforehand that it will be refused. */
function mayTake({ isDry, merchantAllowed, agent }: Given): boolean {
  return !isDry && merchantAllowed && (agent === null || agents.keepsItsOwn(agent))
}

const OPENING = { name: 'charges.open', silent: 'middle' } as const

type Taken = NonNullable<Awaited<ReturnType<typeof take>>>

/**
 * Each room takes its part of the charge; if one takes nothing, all is rolled back (null). The statements are sent together, in the order in
 * which rows are locked everywhere: mandate, agent, the owner's permission, and then the charge, which waits
 * for no other transaction where the mandate was not locked.
 */
function take(deps: ChargeDeps, given: Given, window: NextWindow | null) {
  return pipelinedCommand(deps, OPENING, async (change) => {
    const { tx, at } = change
    const values = valuesOf(given)
    const { agent } = given
    const ofAgent = agent && { ...given, ...agent }
    const asksRepeats = values.asksRepeats && !values.isAllowed
    const [mandate, keepsLimits, isAllowed, charge] = await Promise.all([
      mandates.take(change, values, window),
      ofAgent === null || agents.take(change, ofAgent),
      ofAgent === null || escalations.take(change, ofAgent),
      store.insertOpened(tx, { ...values, asksRepeats, at, leaseUntil: leaseEnd(deps, at) }),
    ])
    const isWhole = mandate !== undefined && keepsLimits && isAllowed && charge !== undefined
    return isWhole ? { mandate, charge } : rollback
  })
}

async function refused(
  deps: ChargeDeps,
  scope: MandateScope,
  given: Given,
  refusal: Exclude<Refusal, 'ASKED'>,
  judged: Judged,
): Promise<Opened> {
  const { agent } = given
  // For an agent the shop is a limit like the others: its owner may allow it.
  const failure = refusal === 'MERCHANT_NOT_ALLOWED' && agent !== null ? 'AGENT_LIMIT_EXCEEDED' : refusal
  if (!isLimit(failure)) throw errorOf(failure, given, judged)
  const mandate = agent === null ? null : await deps.mandates.look(scope, given.mandateId)
  return { state: 'over_limit', failure, judged, mandate }
}

const isLimit = (refusal: Refusal): refusal is Limit => isBound(refusal) || refusal === 'AGENT_LIMIT_EXCEEDED'

const ERRORS: Record<Exclude<Refusal, Limit | 'ASKED' | 'HAS_FRACTION'>, DeclaredError> = {
  NOT_ACTIVE: mandateNotActive,
  NO_INSTRUCTION: noInstruction,
  NO_ORDER: noOrder,
  MERCHANT_NOT_ALLOWED: merchantNotAllowed,
}

function errorOf(
  refusal: Exclude<Refusal, Limit | 'ASKED'>,
  { fractions }: Given,
  { mandateCurrency }: Judged,
): PublicError {
  if (refusal !== 'HAS_FRACTION') return ERRORS[refusal]()
  return fieldErrors(Object.fromEntries(fractions.map((path) => [path, noFraction(mandateCurrency)])))
}

/** The merchant has no such mandate, for which `look` throws; or it is not approved yet, and has no card. */
async function withoutCard(deps: ChargeDeps, scope: MandateScope, { mandateId }: Given): Promise<Error> {
  await deps.mandates.look(scope, mandateId)
  return mandateNotActive()
}

/** The open work as its holder must know it, from what was written: no second look is needed. */
function opened(given: Given, { mandate, charge }: Taken): Opened {
  const { orderId, ...rest } = mandate
  const { leaseFence, duplicateOf } = charge
  if (orderId === null) throw new Error(`The mandate ${given.mandateId} was charged without an order.`)
  const { merchantId, mandateId, chargeId, amountMinor, reference, lifeMinutes } = given
  const work: ChargeWork = {
    ...rest,
    ...{ merchantId, id: chargeId, leaseFence, attempts: 1, version: 1, orderId, amountMinor, reference },
    ...{ openedBy: null, standingMandateId: mandateId, mandateStatus: 'active' },
    currency: rest.mandateCurrency,
    payeeUrl: given.payeeUrl ?? rest.mandatePayeeUrl,
    ...{ seal: given.chargeSeal, deliveryShopId: given.deliveryShopId, deliverySessionId: given.deliverySessionId },
    ...{ lifeMinutes, ...BEING_MINTED },
  }
  return { state: 'opened', work, judged: { ...mandate, duplicateOf } }
}
