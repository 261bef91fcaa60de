import { PAYMENT_FAILURE_CODES } from '@mintmark/contract'
import { releaseCards } from '../../cards/fragments.ts'
import {
  CAPTURED,
  cameToNothingIf,
  ERASE_LAPSED,
  LOCK_PURCHASE,
  LOCK_PURCHASE_AFTER_MANDATE,
  MINTED_FOR_PURCHASE,
  outcomeOfPurchase,
  PURCHASE_HELD,
  paidIf,
} from '../../charges/end-fragments.ts'
import { PURCHASED_CHARGE, PURCHASED_CHARGE_COLUMNS } from '../../charges/work-fragments.ts'
import { bigint, bool, bytes, int, nullable, oneOf, type RowOf, text, time } from '../../db/row.ts'
import { execute, many, one } from '../../db/statement.ts'
import { INSERT_EVENT } from '../../events/fragments.ts'
import { FREE } from '../../jobs/due.ts'
import {
  closeWork,
  closeWorkOf,
  giveBackWork,
  goOnWithWork,
  handOnWork,
  IS_HELD,
  LISTED,
  workOf,
} from '../../jobs/fragments.ts'
import { dueWork } from '../../jobs/work.ts'
import {
  ACTIVATE_MANDATE,
  CANCEL_MANDATE,
  CONSUME_MANDATE,
  JOIN_INSTRUCTION,
  LOCK_MANDATE,
} from '../../mandates/fragments.ts'
import { originList } from '../../platform/states.ts'
import { PURCHASE_STATES, PURCHASE_TRANSITIONS, type PurchaseState } from './states.ts'

// Locks are taken in the order mandate, work, charge, purchase. The process that holds the work is the only one to move a purchase, an
// operator's word and a revoke apart, which take the work away first: so what a holder writes carries the fence, and no version.

const FACTS = {
  quoteId: text,
  shopId: text,
  shopRef: text,
  state: oneOf(PURCHASE_STATES),
  unknownSince: nullable(time),
  failure: nullable(oneOf(PAYMENT_FAILURE_CODES)),
  releaseOwed: bool,
  purchaseSeal: bytes,
  changedAt: time,
}
const WORK = { ...FACTS, dueAt: time, ...PURCHASED_CHARGE }
const WORK_COLUMNS =
  `purchases.quote_id, purchases.shop_id, purchases.shop_ref, purchases.state, purchases.unknown_since,
   purchases.failure_code as failure, purchases.release_owed, purchases.seal as purchase_seal, purchases.updated_at as changed_at,
   work.due_at, ${PURCHASED_CHARGE_COLUMNS}` as const
const JOINS = `join lateral (
     select * from purchases where merchant_id = $merchantId and charge_id = work.id offset 0) purchases on true
   join lateral (
     select * from charges where merchant_id = $merchantId and id = work.id offset 0) charges on true
   ${JOIN_INSTRUCTION}`

/** An approval wakes this job, so that what was approved is bought within milliseconds. */
export const BUY_JOB = 'purchases.buy'

/** Purchases that are not at their end. */
export const purchaseWork = dueWork('purchases', 'purchase', {
  job: BUY_JOB,
  shape: WORK,
  list: WORK_COLUMNS,
  joins: JOINS,
})

const HELD = { merchantId: text, id: text, leaseFence: bigint, attempts: int, ...WORK }
/** A purchase in hand, with its charge and the fence that everything its holder writes must carry. */
export type PurchaseWork = RowOf<typeof HELD>

/** The same as it is now, for the process that holds it. None: another one does, or it is over. */
export const findInHand = one(
  'purchases.find_in_hand',
  `select work.merchant_id, work.id, work.lease_fence, work.attempts, ${WORK_COLUMNS}
   from (
     select merchant_id, id, lease_fence, attempts, due_at from open_work
     where ${workOf('purchase', '$id')} and ${IS_HELD}
   ) work ${JOINS}`,
  HELD,
)

type Moves = typeof PURCHASE_TRANSITIONS
type OriginOf<To extends PurchaseState> = {
  [From in PurchaseState]: To extends Moves[From][number] ? From : never
}[PurchaseState]

/** CTE `moved`: the purchase in its new state, if `condition` holds. Its shop has answered. */
const moved = <To extends PurchaseState, const Set extends string, const Condition extends string>(
  to: To,
  from: readonly OriginOf<To>[],
  set: Set,
  condition: Condition,
) =>
  `moved as (
     update purchases set state = '${to}', unknown_since = null, updated_at = $at ${set}
     where merchant_id = $merchantId and charge_id = $id and ${condition}
       and state in (${originList<PurchaseState>(PURCHASE_TRANSITIONS, to, from)})
     returning charge_id as id, release_owed
   )` as const

const IF_CHANGED = 'exists (select 1 from changed)'

/** The end of a statement: the process that moved it goes on. If it dies now, the first try of the next step was lost. */
const GO_ON = `${goOnWithWork('purchase', '(select id from moved)')} returning id` as const
const ID = { id: text }

/** CTE `closed`: nothing is left to do on `changed`, unless something has to be given back. */
const CLOSE_UNLESS_OWED = `closed as (
     ${closeWorkOf('purchase', '(select id from moved where not release_owed)')}
   )` as const

/** What was approved still stands: the shop may be asked. None, here as below: the lease was lost. */
export const updateQuoteReady = one(
  'purchases.update_quote_ready',
  `with ${LOCK_PURCHASE}, ${moved('quote_ready', ['pending'], '', PURCHASE_HELD)} ${GO_ON}`,
  ID,
)

export const updatePrepared = one(
  'purchases.update_prepared',
  `with ${LOCK_PURCHASE}, ${moved('prepared', ['quote_ready'], '', PURCHASE_HELD)} ${GO_ON}`,
  ID,
)

/**
 * A credential exists, and from here on the shop may be handed it. A revoke that comes first leaves no row; one that comes later
 * finds a charge that it may not end.
 */
export const updateMinted = one(
  'purchases.update_minted',
  `with ${LOCK_MANDATE}, ${LOCK_PURCHASE_AFTER_MANDATE}, ${MINTED_FOR_PURCHASE}, ${ACTIVATE_MANDATE},
   ${moved('paying', ['prepared'], '', IF_CHANGED)} ${GO_ON}`,
  ID,
)

/** CTE `released`, after `LOCK_MANDATE`: the payment is over, and with it its session. */
const RELEASED = releaseCards('changed', '(select customer_id from mandate)')
const WHY = ', failure_code = $failure, release_owed = $releaseOwed'

/** The shop prepared nothing. */
export const updatePrepareFailed = one(
  'purchases.update_prepare_failed',
  `with ${LOCK_MANDATE}, ${LOCK_PURCHASE_AFTER_MANDATE}, ${cameToNothingIf(PURCHASE_HELD, 'id')}, ${CANCEL_MANDATE}, ${RELEASED},
   ${moved('prepare_failed', ['pending', 'quote_ready'], WHY, IF_CHANGED)}, ${CLOSE_UNLESS_OWED}
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** It came to nothing before there was a credential. */
export const updateUnpaid = one(
  'purchases.update_unpaid',
  `with ${LOCK_MANDATE}, ${LOCK_PURCHASE_AFTER_MANDATE}, ${cameToNothingIf(PURCHASE_HELD, 'id')}, ${CANCEL_MANDATE}, ${RELEASED},
   ${moved('failed', ['pending', 'quote_ready', 'prepared'], WHY, IF_CHANGED)}, ${CLOSE_UNLESS_OWED}
   ${INSERT_EVENT}`,
  CAPTURED,
)

const WAS_PAID = 'authorization_code = $authorizationCode, paid_minor = amount_minor,'

/** The shop says that it was paid. Nothing makes it unpaid again. */
export const updatePaid = one(
  'purchases.update_paid',
  `with ${LOCK_PURCHASE}, ${outcomeOfPurchase('APPROVED', WAS_PAID, PURCHASE_HELD)},
   ${moved('paid', ['paying', 'needs_human'], ', order_ref = $orderRef', IF_CHANGED)} ${GO_ON}`,
  ID,
)

/** The shop says that it was not paid, and will not be. */
export const updateDeclined = one(
  'purchases.update_declined',
  `with ${LOCK_PURCHASE}, ${outcomeOfPurchase('DECLINED', '', PURCHASE_HELD)},
   ${moved('failed', ['paying', 'needs_human'], WHY, IF_CHANGED)} ${GO_ON}`,
  ID,
)

export const updateNeedsHuman = one(
  'purchases.update_needs_human',
  `with ${LOCK_PURCHASE}, ${moved('needs_human', ['paying'], '', PURCHASE_HELD)} ${GO_ON}`,
  ID,
)

/** Gives it back until `$retryAt`, with since when the shop has not answered. */
export const updateAsked = one(
  'purchases.update_asked',
  `with ${LOCK_PURCHASE}, asked as (
     update purchases set unknown_since = $unknownSince::timestamptz
     where merchant_id = $merchantId and charge_id = $id and ${PURCHASE_HELD}
     returning charge_id as id
   )
   ${giveBackWork('purchase', '(select id from asked)', '$retryAt')}
   returning id`,
  ID,
)

/** A credential whose time is over is erased, also where the shop has not answered. */
export const updateErased = execute(
  'purchases.update_erased',
  `with ${LOCK_PURCHASE}
   ${ERASE_LAPSED} and ${PURCHASE_HELD}`,
)

/** The network knows that it was paid. */
export const updateConfirmedPaid = one(
  'purchases.update_confirmed_paid',
  `with ${LOCK_MANDATE}, ${LOCK_PURCHASE_AFTER_MANDATE}, ${paidIf(PURCHASE_HELD)}, closed as (${closeWork('purchase', 'changed')}), ${RELEASED},
   ${CONSUME_MANDATE}
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** The network knows that it was not. */
export const updateConfirmedDeclined = one(
  'purchases.update_confirmed_declined',
  `with ${LOCK_MANDATE}, ${LOCK_PURCHASE_AFTER_MANDATE}, ${cameToNothingIf(PURCHASE_HELD, 'id')}, moved as (
     select changed.id, purchases.release_owed from changed cross join lateral (
       select release_owed from purchases where merchant_id = $merchantId and charge_id = changed.id offset 0) purchases
   ), ${CLOSE_UNLESS_OWED}, ${RELEASED}, ${CANCEL_MANDATE}
   ${INSERT_EVENT}`,
  CAPTURED,
)

/** What was prepared is given back, or there is nothing to give back: the last thing to do. */
export const updateReleased = one(
  'purchases.update_released',
  `with ${LOCK_PURCHASE}, moved as (
     update purchases set release_owed = false, updated_at = $at
     where merchant_id = $merchantId and charge_id = $id and ${PURCHASE_HELD}
     returning charge_id as id
   )
   ${closeWork('purchase', 'moved')} returning id`,
  ID,
)

/**
 * A purchase whose charge was ended before it had a credential, in the transaction of that end. A process that has it in hand
 * writes nothing any more; what the shop may hold is to be given back.
 */
export const updateVoided = one(
  'purchases.update_voided',
  `with moved as (
     update purchases set state = 'failed', failure_code = $failure, release_owed = state <> 'pending', unknown_since = null,
       updated_at = $at
     where merchant_id = $merchantId and charge_id = $chargeId
       and state in (${originList(PURCHASE_TRANSITIONS, 'failed', ['pending', 'quote_ready', 'prepared'])})
     returning charge_id as id, release_owed
   ), ${CLOSE_UNLESS_OWED}
   ${handOnWork('purchase', '(select id from moved where release_owed)')}
   returning id`,
  ID,
)

/** CTE `held`: locks the work of a purchase that an operator may decide, unless the shop is being asked at this moment. */
const LOCK_UNDECIDED = `held as materialized (
     select id from open_work where ${workOf('purchase', '$id')} and ${FREE}
       and exists (
         select 1 from purchases where merchant_id = $merchantId and charge_id = $id
           and (state = 'needs_human' or state = 'paying' and unknown_since is not null))
     for update
   )` as const
/** The end of a statement: a worker tells the network. */
const HAND_ON = `${handOnWork('purchase', '(select id from moved)')} returning id` as const

/** An operator found out that it was paid. None: it is decided, or not theirs to decide, or being asked about. */
export const updateResolvedPaid = one(
  'purchases.update_resolved_paid',
  `with ${LOCK_UNDECIDED}, ${outcomeOfPurchase('APPROVED', WAS_PAID, PURCHASE_HELD)},
   ${moved('paid', ['paying', 'needs_human'], ', order_ref = $orderRef, resolved_at = $at', IF_CHANGED)} ${HAND_ON}`,
  ID,
)

/** An operator found out that it was not. None: as above. */
export const updateResolvedFailed = one(
  'purchases.update_resolved_failed',
  `with ${LOCK_UNDECIDED}, ${outcomeOfPurchase('DECLINED', '', PURCHASE_HELD)},
   ${moved('failed', ['paying', 'needs_human'], `${WHY}, resolved_at = $at`, IF_CHANGED)} ${HAND_ON}`,
  ID,
)

const PURCHASE = {
  state: oneOf(PURCHASE_STATES),
  unknownSince: nullable(time),
  orderRef: nullable(text),
  resolvedAt: nullable(time),
}

export const findPurchase = one(
  'purchases.find',
  `select state, unknown_since, order_ref, resolved_at from purchases where merchant_id = $merchantId and charge_id = $chargeId`,
  PURCHASE,
)

/** Purchases that an operator may resolve, of all merchants. Found by their open work, which does not grow with what was bought. */
export const listUnresolved = many(
  'purchases.list_unresolved',
  `select p.merchant_id, p.charge_id as transaction, p.state, p.updated_at as since, p.unknown_since, c.amount_minor, c.currency,
     p.shop_id, shops.name as shop_name, p.shop_ref
   from open_work work
   join purchases p on p.merchant_id = work.merchant_id and p.charge_id = work.id
   join charges c on c.merchant_id = work.merchant_id and c.id = work.id
   join shops on shops.id = p.shop_id
   where work.kind = 'purchase' and work.${LISTED} and (p.state = 'needs_human' or p.state = 'paying' and p.unknown_since is not null)
   order by p.updated_at limit $limit`,
  {
    merchantId: text,
    transaction: text,
    state: oneOf(PURCHASE_STATES),
    since: time,
    unknownSince: nullable(time),
    ...{ amountMinor: bigint, currency: text, shopId: text, shopName: text, shopRef: text },
  },
)
