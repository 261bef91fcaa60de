import { isUntouched } from '../../platform/row-seals.ts'
import type { PurchaseDeps, ReachedShop } from './deps.ts'
import * as ends from './ends.ts'
import { endWaiting } from './human.ts'
import { askLater, postpone, releaseLater } from './later.ts'
import {
  afterLookingForPayment,
  afterLookingForPrepared,
  afterPay,
  afterPrepare,
  failureOfMint,
  isHumanOver,
  isReleased,
  type Verdict,
} from './rules.ts'
import * as shops from './shop.ts'
import { findInHand, type PurchaseWork, sealedPurchase } from './store.ts'

/**
 * Takes a purchase as far as it can go now, while `mayGoOn`; then it is given back, for another process at once. Each
 * step is recorded before the next is made, so the process that takes over knows what may have been asked; all calls
 * outside are idempotent on the id of the charge, and none is made in a transaction.
 */
export async function drive(deps: PurchaseDeps, claimed: PurchaseWork, mayGoOn: () => boolean): Promise<void> {
  let work: PurchaseWork | undefined = claimed
  while (work !== undefined) {
    if (!mayGoOn()) {
      await postpone(deps, work, deps.clock.now())
      return
    }
    if (!(await step(deps, work))) return
    const { merchantId, id, leaseFence } = work
    work = await findInHand(deps.pool, { merchantId, id, leaseFence })
  }
}

/**
 * True: it was recorded, and there may be a next step. False: it was given back, is over, or another process has it.
 */
async function step(deps: PurchaseDeps, work: PurchaseWork): Promise<boolean> {
  switch (work.state) {
    case 'pending':
    case 'quote_ready':
    case 'prepared':
      return unpaidStep(deps, work)
    case 'paying':
    case 'needs_human':
      return payingStep(deps, work)
    case 'paid':
    case 'prepare_failed':
    case 'failed':
      return work.status === 'awaiting_result' ? tellNetwork(deps, work) : releaseHeld(deps, work)
  }
}

/** There is no credential yet. What does not stand any more ends it, and what the shop may hold is given back. */
async function unpaidStep(deps: PurchaseDeps, work: PurchaseWork): Promise<boolean> {
  const { state } = work
  // The shop that is named is not the one that was approved: nothing can be given back to it.
  if (!isAsApproved(deps, work)) return ends.unpaid(deps, work, { ...SERVICE_FAILED, releaseOwed: false })
  const shop = await shops.reach(deps, work.shopId)
  const releaseOwed = state !== 'pending' && shop !== undefined
  if (!work.merchantActive) return ends.unpaid(deps, work, { ...SERVICE_FAILED, releaseOwed })
  if (shop === undefined || !shop.isActive) {
    const why = { failure: 'MERCHANT_PREPARE_FAILED', source: 'service_issued', releaseOwed } as const
    return state === 'prepared' ? ends.unpaid(deps, work, why) : ends.prepareFailed(deps, work, why)
  }
  switch (state) {
    case 'pending':
      return ends.quoteReady(deps, work)
    case 'quote_ready':
      return prepare(deps, work, shop)
    default:
      return mint(deps, work)
  }
}

const SERVICE_FAILED = { failure: 'PAYMENT_FAILED', source: 'service_issued' } as const

/** What the purchase, its charge and its mandate say is what was signed; else the alarm is in the log. */
function isAsApproved(deps: PurchaseDeps, work: PurchaseWork): boolean {
  return isUntouched(() => {
    deps.seals.check(sealedPurchase({ ...work, chargeId: work.id }), work.purchaseSeal)
    deps.charges.checkSigned(work)
  })
}

async function prepare(deps: PurchaseDeps, work: PurchaseWork, shop: ReachedShop): Promise<boolean> {
  const verdict = await inquireOrPrepare(work, shop)
  switch (verdict.next) {
    case 'prepared':
      return ends.prepared(deps, work)
    case 'refused': {
      // A shop that wants a person may hold it for them.
      const releaseOwed = verdict.failure === 'MERCHANT_ACTION_REQUIRED'
      return ends.prepareFailed(deps, work, { failure: verdict.failure, source: 'merchant_observed', releaseOwed })
    }
    default:
      return askLater(deps, work, verdict.next !== 'wait')
  }
}

/**
 * The first time it is asked for. Later it is looked for first: a shop may have prepared it and lost the way back to
 * us.
 */
async function inquireOrPrepare(work: PurchaseWork, shop: ReachedShop): Promise<Verdict> {
  const found: Verdict = work.attempts > 1 ? afterLookingForPrepared(await shops.inquire(shop, work)) : { next: 'open' }
  return found.next === 'open' ? afterPrepare(await shops.prepare(shop, work)) : found
}

/** The network's own part, by the machinery of every charge. */
async function mint(deps: PurchaseDeps, work: PurchaseWork): Promise<boolean> {
  const answer = await deps.charges.mint(work)
  switch (answer.outcome) {
    case 'minted':
      return ends.minted(deps, work, answer)
    case 'refused': {
      const failure = failureOfMint(answer.failure)
      return ends.unpaid(deps, work, { failure, source: 'service_issued', releaseOwed: true })
    }
    // Minted and lost: no shop was given it.
    case 'lost':
      return ends.unpaid(deps, work, {
        failure: failureOfMint('PAYMENT_FAILED'),
        source: 'service_issued',
        releaseOwed: true,
      })
    case 'unknown':
      return postpone(deps, work)
  }
}

/** The shop may have a credential: from here on only a word ends it, the shop's or an operator's. */
async function payingStep(deps: PurchaseDeps, work: PurchaseWork): Promise<boolean> {
  const isOver = work.lapsesAt !== null && work.lapsesAt <= deps.clock.now()
  if (isOver && work.credentialKeyId !== null) await ends.erase(deps, work)
  const shop = isAsApproved(deps, work) ? await shops.reach(deps, work.shopId) : undefined
  // The shop cannot be asked, or is not the one that was: a person finds out.
  if (shop === undefined) return work.state === 'paying' ? ends.needsHuman(deps, work) : askLater(deps, work, false)
  const mayPay = work.state === 'paying' && work.merchantActive && shop.isActive && !isOver
  const verdict = await inquireOrPay(deps, work, shop, mayPay)
  if (isHumanOver(work, deps.humanHours, deps.clock.now())) return endWaiting(deps, work, shop, verdict)
  switch (verdict.next) {
    case 'paid':
      return ends.paid(deps, work, verdict)
    case 'refused':
      return ends.declined(deps, work, verdict.failure, true)
    case 'needs_human':
      return work.state === 'paying' ? ends.needsHuman(deps, work) : askLater(deps, work, false)
    case 'open':
      return releaseUnpaid(deps, work, shop)
    default:
      return askLater(deps, work, verdict.next !== 'wait')
  }
}

/**
 * The first time it is paid. Later it is looked for first, and is paid again only where the shop says that nothing was
 * paid and nothing is on its way; the shop is idempotent on the purchase, and the credential buys once.
 */
async function inquireOrPay(
  deps: PurchaseDeps,
  work: PurchaseWork,
  shop: ReachedShop,
  mayPay: boolean,
): Promise<Verdict> {
  const isFirst = work.attempts === 1 && mayPay
  const found: Verdict = isFirst ? { next: 'open' } : afterLookingForPayment(await shops.inquire(shop, work))
  if (found.next !== 'open' || !mayPay) return found
  return afterPay(await shops.pay(deps, shop, work))
}

/**
 * It is not paid, and may not be any more: no money was ever lost by time, so it is the shop that makes an end of it. A
 * payment that is still on its way to the shop comes to something that was given back.
 */
async function releaseUnpaid(deps: PurchaseDeps, work: PurchaseWork, shop: ReachedShop): Promise<boolean> {
  const answer = await shops.release(shop, work)
  if (isReleased(answer)) return ends.declined(deps, work, 'PAYMENT_FAILED', false)
  // It may have been paid in between: ask again.
  return askLater(deps, work, answer.outcome === 'unknown')
}

/** The outcome is recorded here; the network hears it as it hears the report of a merchant. */
async function tellNetwork(deps: PurchaseDeps, work: PurchaseWork): Promise<boolean> {
  const confirmation = await deps.charges.confirm(work)
  return confirmation === 'unknown' ? postpone(deps, work) : ends.confirmed(deps, work, confirmation)
}

/** How long a question to prepare may still be on its way to a shop that knows of none. */
const ON_ITS_WAY_MILLIS = 60_000

/** The last thing: what the shop held, or may have held, is given back. No answer to a caller depends on it. */
async function releaseHeld(deps: PurchaseDeps, work: PurchaseWork): Promise<boolean> {
  const shop = work.releaseOwed ? await shops.reach(deps, work.shopId) : undefined
  if (shop === undefined) return ends.released(deps, work)
  const answer = await shops.release(shop, work)
  if (answer.outcome === 'unknown') return releaseLater(deps, work)
  const isRecent = deps.clock.now().getTime() - work.changedAt.getTime() < ON_ITS_WAY_MILLIS
  const mayStillArrive = answer.outcome === 'refused' && answer.reason === 'not_found' && isRecent
  return mayStillArrive ? postpone(deps, work) : ends.released(deps, work)
}
