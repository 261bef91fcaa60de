import type { PaymentFailure } from '@mintmark/contract'
import { single } from '../db/command.ts'
import type { ShownEscalation } from '../escalations/service.ts'
import { awaitOutcome } from '../jobs/await-outcome.ts'
import { leaseBound } from '../jobs/due.ts'
import { leaseEnd } from '../jobs/work.ts'
import type { SealedField, WireCredential, WireShopToken } from '../vault/service.ts'
import type { LimitDetails } from './agent.ts'
import { unsealCredential } from './credential.ts'
import type { ChargeDeps, ChargeRef } from './deps.ts'
import { noInstruction, noToken } from './errors.ts'
import { type Driven, drive } from './finish.ts'
import type { Judged } from './judge.ts'
import type { Given } from './prepare.ts'
import { deliveryOf, isOver, type StoredDelivery } from './rules.ts'
import type { ChargeWork, StandingCharge } from './store.ts'
import * as store from './store.ts'

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
  /** For a charge whose card goes to a shop: the checkout there, and the shop's token, as long as a credential would be shown. */
  delivery: { sessionId: string; token: WireShopToken | null } | null
  /** When the credential lapses; null where none was minted. */
  expiresAt: Date | null
  isDeduplicated: boolean
  amountMinor: bigint
  currency: string
  /** For an agent's charge that a limit refuses. */
  limit: LimitDetails | null
  /** What its owner is asked, or was. */
  escalation: ShownEscalation | null
  /** A charge of a moment ago that this one repeats; null where it has a reference, or repeats none. */
  duplicateOf: string | null
}

/** What every answer about a new charge says. */
export function judgedAnswer(
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

export async function mintOpened(
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

export async function answerThere(deps: ChargeDeps, charge: StandingCharge, deadline: number, isDry: boolean) {
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
  return single(deps, { name: 'charges.claim_minting', silent: 'work' }, ({ on, at }) =>
    store.claimMinting(on, { merchantId, chargeId, at, leaseUntil: leaseEnd(deps, at), leaseBound: leaseBound(at) }),
  )
}

/**
 * A charge that is there. Its credential is shown while it awaits its result and its time lasts, whether or not it was ended by then.
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
