import { command, rollback } from '../db/command.ts'
import { violates } from '../db/errors.ts'
import { leaseEnd } from '../jobs/work.ts'
import type { MandateScope, ShownMandate } from '../mandates/service.ts'
import { type Window, windowAt } from '../network/windows.ts'
import { type DeclaredError, fieldErrors } from '../platform/errors.ts'
import { noFraction } from '../platform/money.ts'
import type { ChargeDeps } from './deps.ts'
import { mandateNotActive, merchantNotAllowed, noInstruction, noOrder } from './errors.ts'
import { findReferenced as findNamed, type StandingCharge } from './find-store.ts'
import type { Limit, OpenRefusal } from './judge-fragments.ts'
import { type AgentJudged, judgeOfAgent, judgeStanding } from './judge-store.ts'
import * as store from './open-store.ts'
import type { Given } from './prepare.ts'
import { sealedRow } from './seal.ts'
import type { ChargeWork } from './store.ts'

type Answer = NonNullable<Awaited<ReturnType<typeof judgeStanding>>> & Partial<AgentJudged>
/** What is known of its mandate when a charge was opened, or was not. */
export type Judged = Omit<Answer, 'refusal' | 'mandateActivatedAt' | 'mandateWindowStartedAt'>
export type Opened =
  | { state: 'opened'; work: ChargeWork; judged: Judged }
  | { state: 'would_pass'; judged: Judged }
  /** Made with the same reference before. */
  | { state: 'there'; charge: StandingCharge }
  /** Its owner was asked: their word decides. */
  | { state: 'asked'; judged: Judged }
  /** `mandate`: of an agent's charge, to say what is left. */
  | { state: 'over_limit'; failure: Limit; judged: Judged; mandate: ShownMandate | null }

const LIMITS: ReadonlySet<OpenRefusal> = new Set<Limit>([
  'MAX_CHARGES_EXCEEDED',
  'THRESHOLD_EXCEEDED',
  'AGENT_LIMIT_EXCEEDED',
])
const isLimit = (refusal: OpenRefusal): refusal is Limit => LIMITS.has(refusal)

const REFUSALS: Partial<Record<OpenRefusal, DeclaredError>> = {
  NOT_ACTIVE: mandateNotActive,
  NO_INSTRUCTION: noInstruction,
  NO_ORDER: noOrder,
  MERCHANT_NOT_ALLOWED: merchantNotAllowed,
}

/** Each further round follows what another caller wrote: so many in a row are a mistake of ours. */
const MAX_ROUNDS = 1_000

/**
 * One round trip, unless something stands against it: then it is asked what. A window that is over is followed by the
 * next one, which the program computes; a reference that was freed meanwhile, and an amount that was given back, are
 * tried again.
 */
export async function open(deps: ChargeDeps, scope: MandateScope, given: Given): Promise<Opened> {
  if (given.deliveryProblem !== null) {
    // What was made before is answered, also when its shop has gone since.
    const there = await findReferenced(deps, given)
    if (there !== undefined) return { state: 'there', charge: there }
    throw fieldErrors({ delivery: given.deliveryProblem })
  }
  let next: NextWindow = NO_WINDOW
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const opened = isRefusedAtOnce(given) ? undefined : await write(deps, given)
    if (opened !== undefined) return { state: 'opened', work: workOf(given, opened), judged: opened }
    const judged = await judge(deps, given, next)
    if (judged === undefined) throw await withoutCard(deps, scope, given)
    const { refusal } = judged
    if (refusal === null && given.isDry) return { state: 'would_pass', judged }
    // Looked at anew: a caller who waited for the mandate's row was judged with what was known before the wait.
    const there = refusal === null ? undefined : await findReferenced(deps, given)
    if (there !== undefined) return { state: 'there', charge: there }
    if (refusal === 'ASKED') return { state: 'asked', judged }
    const failure = limitIn(refusal, given)
    if (failure !== null) {
      const mandate = given.agent === null ? null : await deps.mandates.refresh(scope, given.mandateId)
      return { state: 'over_limit', failure, judged, mandate }
    }
    if (refusal === 'ROLLED_OVER') next = await followWindow(deps, given, judged)
    else if (refusal !== null && refusal !== 'DUPLICATE') throw refusalOf(refusal, given, judged)
  }
  throw new Error(`A charge of the mandate ${given.mandateId} was neither opened nor refused.`)
}

/** What the program itself knows to stand against a charge, or that none is to be made. */
function isRefusedAtOnce({ isDry, merchantAllowed, agent }: Given): boolean {
  const isBeyond = agent !== null && !agent.isAllowed && (agent.agentLimit !== null || agent.asksFirst)
  return isDry || !merchantAllowed || isBeyond
}

/** A shop is a limit as every other to an agent: its owner may allow it. */
function limitIn(refusal: OpenRefusal | null, { agent }: Given): Limit | null {
  if (refusal === 'MERCHANT_NOT_ALLOWED') return agent === null ? null : 'AGENT_LIMIT_EXCEEDED'
  return refusal !== null && isLimit(refusal) ? refusal : null
}

/**
 * No such mandate of this merchant, which the mandates tell apart from another's; or one that is not approved yet.
 */
async function withoutCard({ mandates }: ChargeDeps, scope: MandateScope, { mandateId }: Given): Promise<Error> {
  await mandates.refresh(scope, mandateId)
  return mandateNotActive()
}

function refusalOf(refusal: OpenRefusal, { fractions }: Given, { mandateCurrency }: Judged) {
  if (refusal === 'HAS_FRACTION') {
    return fieldErrors(Object.fromEntries(fractions.map((path) => [path, noFraction(mandateCurrency)])))
  }
  const declared = REFUSALS[refusal]
  return declared === undefined ? new Error(`A charge was not opened: ${refusal}.`) : declared()
}

interface NextWindow {
  windowFrom: Date | null
  windowStartsAt: Date | null
  windowEndsAt: Date | null
}
const NO_WINDOW: NextWindow = { windowFrom: null, windowStartsAt: null, windowEndsAt: null }

/** The window that follows. A dry run is told of it and writes nothing. */
async function followWindow(
  deps: ChargeDeps,
  { merchantId, mandateId, isDry }: Given,
  judged: Answer,
): Promise<NextWindow> {
  const { mandateActivatedAt: anchor, mandateWindowStartedAt: windowFrom } = judged
  if (anchor === null || windowFrom === null) throw new Error(`The active mandate ${mandateId} has no window.`)
  const { startsAt: windowStartsAt, endsAt: windowEndsAt }: Window = windowAt(
    judged.frequency,
    anchor,
    deps.clock.now(),
  )
  const next = { windowFrom, windowStartsAt, windowEndsAt }
  if (isDry) return next
  const why = 'A window in which nothing was spent is no change that anyone sees.'
  await command(deps, { name: 'charges.follow_window', why, together: 'statement' }, ({ on, at }) =>
    store.updateWindow(on, { merchantId, mandateId, ...next, at }),
  )
  return NO_WINDOW
}

function judge(deps: ChargeDeps, given: Given, next: NextWindow): Promise<Answer | undefined> {
  const values = { ...given, ...next, at: deps.clock.now() }
  const { agent } = given
  return agent === null ? judgeStanding(deps.pool, values) : judgeOfAgent(deps.pool, { ...values, ...agent })
}

type AgentGiven = NonNullable<Given['agent']>
const OPENING = {
  name: 'charges.open',
  why: 'A charge is an event when the network has answered.',
} as const
const OPENING_ALONE = { ...OPENING, together: 'statement' } as const
const REFERENCE_KEY = 'charges_reference_key'

/** Undefined: something stands against it, and nothing was written. */
async function write(deps: ChargeDeps, given: Given): Promise<Judged | undefined> {
  const { agent } = given
  const opening = (at: Date) => ({
    ...given,
    // Amounts with a fraction are for currencies that have one.
    wholeCurrencies: given.hasFraction ? given.wholeCurrencies : [],
    ...{ at, leaseUntil: leaseEnd(deps, at) },
  })
  try {
    if (agent !== null) return await writeOfAgent(deps, given, agent, opening)
    return await command(deps, OPENING_ALONE, ({ on, at }) => store.openStanding(on, opening(at)))
  } catch (error) {
    // Another call took the reference while this one waited for the mandate.
    if (violates(error, REFERENCE_KEY)) return undefined
    throw error
  }
}

/** One statement, unless it is to be known whether it repeats another charge, which may be being made right now. */
async function writeOfAgent<
  Values extends Omit<Parameters<typeof store.openOfAgent>[1], keyof AgentGiven | 'duplicateOf'>,
>(
  deps: ChargeDeps,
  { merchantId, mandateId, reference }: Given,
  agent: AgentGiven,
  opening: (at: Date) => Values,
): Promise<Judged | undefined> {
  const { allowedId, agentId, likeness, alikeSince, asksRepeats, isAllowed } = agent
  if (alikeSince === null && allowedId === null) {
    return command(deps, OPENING_ALONE, ({ on, at }) =>
      store.openOfAgent(on, { ...opening(at), ...agent, duplicateOf: null }),
    )
  }
  const opened = await command(deps, OPENING, async ({ tx, at }) => {
    await store.lockForAlike(tx, { merchantId, mandateId, agentId })
    const alike = alikeSince && (await store.findAlike(tx, { merchantId, agentId, likeness, alikeSince }))
    if (alike && asksRepeats && !isAllowed) return rollback
    const duplicateOf = reference === null ? (alike?.id ?? null) : null
    const values = { ...opening(at), ...agent, duplicateOf }
    const row = allowedId === null ? store.openOfAgent(tx, values) : store.openAllowed(tx, { ...values, allowedId })
    const written = await row
    return written === undefined ? rollback : { ...written, duplicateOf }
  })
  return opened ?? undefined
}

/**
 * The charge that the reference names now. Throws `RowTampered` for one that was not made with it, or is not as it was
 * made.
 */
export async function findReferenced({ pool, seals }: ChargeDeps, { merchantId, mandateId, reference }: Given) {
  if (reference === null) return undefined
  const found = await findNamed(pool, { merchantId, mandateId, reference })
  if (found === undefined) return undefined
  const { id, standingMandateId } = found
  const isNamed = standingMandateId === mandateId && found.mandateId === mandateId && found.reference === reference
  if (!isNamed) throw seals.alarm({ table: 'charges', merchantId, id })
  seals.check(sealedRow({ ...found, openedBy: null }), found.seal)
  return found
}

/** The open work as its holder must know it, from what was written: no second look is needed. */
function workOf(given: Given, { orderId, duplicateOf: _, ...judged }: Judged): ChargeWork {
  if (orderId === null) throw new Error(`Charge ${given.chargeId} was opened without an order.`)
  const { merchantId, mandateId, chargeId, amountMinor, reference, lifeMinutes } = given
  return {
    ...judged,
    ...{
      merchantId,
      id: chargeId,
      leaseFence: store.FIRST_FENCE,
      attempts: 1,
      version: 1,
      orderId,
      amountMinor,
      reference,
    },
    ...{ openedBy: null, standingMandateId: mandateId, status: 'minting', mandateStatus: 'active' },
    currency: judged.mandateCurrency,
    payeeUrl: given.payeeUrl ?? judged.mandatePayeeUrl,
    ...{ seal: given.chargeSeal, deliveryShopId: given.deliveryShopId, deliverySessionId: given.deliverySessionId },
    ...{ credentialKeyId: null, lifeMinutes, lapsesAt: null, overdueAt: null, reportedOutcome: null, paidMinor: null },
    ...{ authorizationCode: null, responseCode: null },
  }
}
