import { ZERO_DECIMAL_CURRENCIES } from '@mintmark/contract'
import { command, rollback, single } from '../db/command.ts'
import { leaseEnd } from '../jobs/work.ts'
import type { MandateScope, ShownMandate } from '../mandates/service.ts'
import { type Window, windowAt } from '../network/windows.ts'
import { type DeclaredError, fieldErrors } from '../platform/errors.ts'
import { newId } from '../platform/ids.ts'
import { noFraction } from '../platform/money.ts'
import type { ChargeDeps } from './deps.ts'
import { mandateNotActive, merchantNotAllowed, noInstruction, noOrder } from './errors.ts'
import { BEING_MINTED, isSameMerchant } from './rules.ts'
import { sealedRow, sealedStanding } from './seal.ts'
import { type AgentValues, agentValues, type Charging } from './standing-agent.ts'
import type { AgentJudged } from './standing-agent-store.ts'
import * as ofAgent from './standing-agent-store.ts'
import type { OpenRefusal } from './standing-open-fragments.ts'
import type { StandingCharge } from './standing-store.ts'
import * as store from './standing-store.ts'
import type { ChargeWork } from './store.ts'
import type { Payee, PurchasedProduct } from './wire-purchase.ts'

export interface ChargeRequest {
  amountMinor: bigint
  /** The caller's own key of the charge. */
  reference: string | null
  /** How long its credential lives. */
  lifeMinutes: number
  /** Null: the merchant of the mandate. */
  payee: Payee | null
  products: PurchasedProduct[]
  /** The amounts with a fraction, by their paths in the request. Whether there may be any is for the mandate's currency to say. */
  fractions: string[]
  /** Only whether it would pass. */
  isDry: boolean
  /** Who charges, where an agent does. */
  agent: Charging | null
  /** The checkout at the shop that the card is to go to. */
  delivery: { sessionId: string } | null
}

export type Given = Awaited<ReturnType<typeof prepare>>

/**
 * The values of a new charge. One that names its merchant, goes to a shop, or is made for one user, costs one look at the mandate, and so does the
 * first one of an agent's.
 */
export async function prepare(deps: ChargeDeps, scope: MandateScope, mandateId: string, request: ChargeRequest) {
  const { amountMinor, reference, lifeMinutes, payee, products, fractions, isDry, agent } = request
  const { merchantId } = scope
  const seen = agent === null ? undefined : deps.places.find(mandateId)
  const isOwn = agent === null ? scope.agentId === undefined : seen !== undefined
  const isPlain = payee === null && request.delivery === null && scope.user === undefined && isOwn
  const mandate = isPlain ? null : await deps.mandates.look(scope, mandateId)
  const place = mandate ?? seen
  if (agent !== null && mandate !== null) deps.places.remember(mandateId, mandate)
  const { merchantAllowed, other } = merchantOf(mandate, payee)
  const chargeId = newId('charge')
  const payeeUrl = other === null || other.url === mandate?.payeeUrl ? null : other.url
  const { problem: deliveryProblem, ...delivered } = await deliveryFor(deps, request, payeeUrl ?? mandate?.payeeUrl)
  const sealed = { merchantId, id: chargeId, mandateId, reference, amountMinor, currency: null, payeeUrl, ...delivered }
  return {
    ...{ merchantId, mandateId, chargeId, amountMinor, reference, lifeMinutes, fractions, isDry, merchantAllowed },
    ...{ deliveryProblem, ...delivered },
    hasFraction: fractions.length > 0,
    lineItemId: newId('lineItem'),
    payeeName: other?.name ?? null,
    payeeNetworkName: other?.networkName ?? null,
    payeeUrl: other?.url ?? null,
    payeeCountry: other?.country ?? null,
    payeeCategoryCode: payee?.categoryCode ?? null,
    payeeCategory: payee?.category ?? null,
    products: products.map((product) => ({ ref: newId('product'), ...product })),
    chargeSeal: deps.seals.seal(sealedStanding(sealed)),
    wholeCurrencies: [...ZERO_DECIMAL_CURRENCIES],
    agent:
      agent !== null && place !== undefined
        ? {
            ...agentValues(
              agent,
              place,
              { amountMinor, reference, payeeUrl, products, merchantAllowed },
              deps.clock.now(),
            ),
            ownerSeal: deps.mandates.ownerSeal({ merchantId, id: mandateId, ...ofOwner(agent) }),
          }
        : null,
  }
}

const ofOwner = ({ agentId, customerId: ownerId }: Charging) => ({ agentId, ownerId })

const NO_DELIVERY = { deliveryShopId: null, deliverySessionId: null, problem: null }

/** The shop that the card goes to: the merchant of the charge, or nobody. */
async function deliveryFor(
  { delegations }: ChargeDeps,
  { delivery, agent }: ChargeRequest,
  payeeUrl: string | undefined,
) {
  if (delivery === null) return NO_DELIVERY
  // A merchant is the shop, or pays for somebody by itself.
  if (agent === null || payeeUrl === undefined) return { ...NO_DELIVERY, problem: 'is for agents' }
  const { shopId, problem } = await delegations.shopAt(payeeUrl)
  return { deliveryShopId: shopId, deliverySessionId: delivery.sessionId, problem }
}

/** Whether the mandate allows the merchant that the charge names; `other` where it is not the mandate's own, of which an owner may be asked. */
function merchantOf(mandate: ShownMandate | null, payee: Payee | null) {
  if (mandate === null || payee === null) return { merchantAllowed: true, other: null }
  if (mandate.merchantScope === 'any') return { merchantAllowed: true, other: payee }
  const listed = { name: mandate.payeeName, url: mandate.payeeUrl }
  const merchantAllowed = isSameMerchant(listed, payee)
  return { merchantAllowed, other: merchantAllowed ? null : payee }
}

export type Judged = NonNullable<Awaited<ReturnType<typeof store.judgeStanding>>> & Partial<AgentJudged>
export type Opened =
  | { state: 'opened'; work: ChargeWork; judged: Judged }
  | { state: 'would_pass'; judged: Judged }
  /** Made with the same reference before. */
  | { state: 'there'; charge: StandingCharge }
  /** Its owner was asked: their word decides. */
  | { state: 'asked'; judged: Judged }
  /** `mandate`: of an agent's charge, to say what is left. */
  | { state: 'over_limit'; failure: Limit; judged: Judged; mandate: ShownMandate | null }

export type Limit = Extract<OpenRefusal, 'MAX_CHARGES_EXCEEDED' | 'THRESHOLD_EXCEEDED' | 'AGENT_LIMIT_EXCEEDED'>
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

/**
 * One round trip, unless something stands against it. A window that is over is followed by the next one, which the program
 * computes; a reference that was freed meanwhile is tried again. Each further round follows what another caller wrote.
 */
export async function open(deps: ChargeDeps, scope: MandateScope, given: Given): Promise<Opened> {
  if (given.deliveryProblem !== null) {
    // What was made before is answered, also when its shop has gone since.
    const there = await findReferenced(deps, given)
    if (there !== undefined) return { state: 'there', charge: there }
    throw fieldErrors({ delivery: given.deliveryProblem })
  }
  let next: NextWindow = NO_WINDOW
  for (;;) {
    const judged = await ask(deps, given, next)
    if (judged === undefined) throw await withoutCard(deps, scope, given)
    if (judged.refusal === null) return passed(given, judged)
    // Looked at anew: who waited for the mandate's row was judged with what was known before the wait.
    const there = await findReferenced(deps, given)
    if (there !== undefined) return { state: 'there', charge: there }
    if (judged.refusal === 'ASKED') return { state: 'asked', judged }
    const failure = limitIn(judged.refusal, given)
    if (failure !== null) {
      const mandate = given.agent === null ? null : await deps.mandates.look(scope, given.mandateId)
      return { state: 'over_limit', failure, judged, mandate }
    }
    if (judged.refusal === 'ROLLED_OVER') next = windowAfter(deps, judged)
    else if (judged.refusal !== 'DUPLICATE') throw refusalOf(judged.refusal, given, judged)
  }
}

/** Of an agent a shop is a limit as every other: its owner may allow it. */
function limitIn(refusal: OpenRefusal, { agent }: Given): Limit | null {
  if (refusal === 'MERCHANT_NOT_ALLOWED') return agent === null ? null : 'AGENT_LIMIT_EXCEEDED'
  return isLimit(refusal) ? refusal : null
}

/** No such mandate of this merchant, which the mandates tell apart from another's; or one that nobody has approved yet. */
async function withoutCard({ mandates }: ChargeDeps, scope: MandateScope, { mandateId }: Given): Promise<Error> {
  await mandates.look(scope, mandateId)
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

function windowAfter({ clock }: ChargeDeps, judged: Judged): NextWindow {
  const { mandateActivatedAt: anchor, mandateWindowStartedAt: windowFrom, mandateId } = judged
  if (anchor === null || windowFrom === null) throw new Error(`The active mandate ${mandateId} has no window.`)
  const { startsAt, endsAt }: Window = windowAt(judged.frequency, anchor, clock.now())
  return { windowFrom, windowStartsAt: startsAt, windowEndsAt: endsAt }
}

type Asked = Judged & { leaseFence?: bigint | null }

function ask(deps: ChargeDeps, given: Given, next: NextWindow): Promise<Asked | undefined> {
  const values = { ...given, ...next }
  const { agent } = given
  if (given.isDry) {
    const at = deps.clock.now()
    if (agent === null) return store.judgeStanding(deps.pool, { ...values, at })
    return ofAgent.judgeOfAgent(deps.pool, { ...values, ...agent, at })
  }
  const opening = (at: Date) => ({ ...values, at, leaseUntil: leaseEnd(deps, at) })
  if (agent !== null) return openOfAgent(deps, given, agent, opening)
  return single(deps, OPENING, ({ on, at }): Promise<Asked | undefined> => store.openStanding(on, opening(at)))
}

type OpeningAgent = AgentValues & { ownerSeal: Buffer }
const OPENING = { name: 'charges.open_standing', silent: 'A charge is an event when the network has answered.' }

/** One statement, unless it is to be known whether it repeats another charge, which may be being made right now. */
async function openOfAgent(
  deps: ChargeDeps,
  { merchantId, mandateId }: Given,
  agent: OpeningAgent,
  opening: (at: Date) => Omit<Parameters<typeof ofAgent.openOfAgent>[1], keyof OpeningAgent>,
): Promise<Asked | undefined> {
  const { allowedId } = agent
  if (allowedId !== null) {
    return single(deps, OPENING, ({ on, at }) => ofAgent.openAllowed(on, { ...opening(at), ...agent, allowedId }))
  }
  if (agent.alikeSince === null) {
    return single(deps, OPENING, ({ on, at }) => ofAgent.openOfAgent(on, { ...opening(at), ...agent }))
  }
  const opened = await command(deps, OPENING, async ({ tx, at }) => {
    await ofAgent.lockForAlike(tx, { merchantId, mandateId, agentId: agent.agentId })
    return (await ofAgent.openOfAgent(tx, { ...opening(at), ...agent })) ?? rollback
  })
  return opened ?? undefined
}

/** The charge that the reference names now. Throws `RowTampered` for one that was not made with it, or is not as it was made. */
export async function findReferenced({ pool, seals }: ChargeDeps, { merchantId, mandateId, reference }: Given) {
  if (reference === null) return undefined
  const found = await store.findReferenced(pool, { merchantId, mandateId, reference })
  if (found === undefined) return undefined
  const { id, standingMandateId } = found
  const isNamed = standingMandateId === mandateId && found.mandateId === mandateId && found.reference === reference
  if (!isNamed) throw seals.alarm({ table: 'charges', merchantId, id })
  seals.check(sealedRow({ ...found, openedBy: null }), found.seal)
  return found
}

/** The open work as its holder must know it, from what was written: no second look is needed. */
function passed(given: Given, asked: Asked): Opened {
  const { leaseFence, orderId, refusal: _, mandateActivatedAt: __, mandateWindowStartedAt: ___, ...rest } = asked
  if (given.isDry) return { state: 'would_pass', judged: asked }
  if (leaseFence === null || leaseFence === undefined || orderId === null) {
    throw new Error(`Charge ${given.chargeId} was opened without its work.`)
  }
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
  return { state: 'opened', work, judged: asked }
}
