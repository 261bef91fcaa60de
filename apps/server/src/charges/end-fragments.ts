import { text } from '../db/row.ts'
import { IS_HELD, workOf } from '../jobs/fragments.ts'
import { originList } from '../platform/states.ts'
import { CHARGE_TRANSITIONS } from './states.ts'
import { dueNext, NO_WORK } from './work-fragments.ts'

// Parts of the statements by which the holder of a charge, or of its purchase, records what the network said.

/** What a statement returns that captured its event: the resource, or no row where nothing changed. */
export const CAPTURED = { resourceId: text }

/** What an UPDATE sets of a charge that fails: another one may have its reference from now on, and nothing is left to do. */
export const FAILED = `status = 'failed', reference_freed = reference is not null, ${NO_WORK}` as const
/** The same of one that is paid. */
export const COMPLETED = `status = 'completed', ${NO_WORK}` as const

const AFTER_MANDATE = 'and exists (select 1 from mandate)'
/** The caller has the charge in hand: `IS_HELD`, or this one after `LOCK_MANDATE`. */
export const IS_HELD_AFTER_MANDATE = `${IS_HELD} ${AFTER_MANDATE}` as const

const lockPurchase = <const Condition extends string>(condition: Condition) =>
  `held as materialized (
     select id from open_work where ${workOf('purchase', '$id')} and ${IS_HELD} ${condition} for update
   )` as const
/** CTE `held`: locks the work of a purchase, which drives its charge, before the charge. No row: the lease was lost. */
export const LOCK_PURCHASE = lockPurchase('')
/** The same after `LOCK_MANDATE`. */
export const LOCK_PURCHASE_AFTER_MANDATE = lockPurchase(AFTER_MANDATE)
/** The caller has the purchase of the charge in hand. */
export const PURCHASE_HELD = 'exists (select 1 from held)'

type Held = typeof IS_HELD | typeof IS_HELD_AFTER_MANDATE | typeof PURCHASE_HELD
/** The charge as its holder read it: only the holder may change it, so its next version is known. */
export const heldCharge = <const If extends Held>(held: If) =>
  `merchant_id = $merchantId and id = $id and version = $version and ${held}` as const

const mintedWith = <const If extends Held, const Set extends string>(held: If, set: Set) =>
  `changed as (
     update charges set status = 'awaiting_result', credential_sealed = $sealed, credential_key_id = $keyId,
       lapses_at = $lapsesAt, ${set}updated_at = $at
     where ${heldCharge(held)} and status in (${originList(CHARGE_TRANSITIONS, 'awaiting_result')})
     returning id
   )` as const
/** CTE `changed`: the network minted. The next thing to do, if no report comes, is due when the credential lapses. */
export const mintedIf = <const If extends Held>(held: If) =>
  mintedWith(held, `version = version + 1, ${dueNext('$lapsesAt')}, ` as const)
/** The same for a purchase, which is what knows of it: no event tells of a credential that no caller gets. */
export const MINTED_FOR_PURCHASE = mintedWith(PURCHASE_HELD, '')

/**
 * CTE `changed`: it came to nothing. `$from` is where this end comes from, and `$reportedOutcome` as the holder read it: a report that it has
 * not read keeps the charge from failing. A credential that is still there is erased.
 */
export const cameToNothingIf = <const If extends Held, const Returning extends string>(
  held: If,
  returning: Returning,
) =>
  `changed as (
     update charges set ${FAILED}, failure_code = $failure, network_confirmation = $confirmation, credential_sealed = null,
       credential_key_id = null, version = version + 1, updated_at = $at
     where ${heldCharge(held)} and status in (${originList(CHARGE_TRANSITIONS, 'failed', ['minting', 'awaiting_result'])})
       and status = $from and reported_outcome is not distinct from $reportedOutcome
     returning ${returning}
   )` as const

/** CTE `changed`: the network knows that it was paid. */
export const paidIf = <const If extends Held>(held: If) =>
  `changed as (
     update charges set ${COMPLETED}, network_confirmation = $confirmation, version = version + 1, updated_at = $at
     where ${heldCharge(held)} and status in (${originList(CHARGE_TRANSITIONS, 'completed')})
     returning id, agent_id
   )` as const

/** CTE `changed`: what became of a payment that the service itself made, where that was not recorded before. The credential is erased: it has been used, or never will be. */
export const outcomeOfPurchase = <
  const Outcome extends string,
  const Paid extends string,
  const Condition extends string,
>(
  outcome: Outcome,
  paid: Paid,
  condition: Condition,
) =>
  `changed as (
     update charges set reported_outcome = '${outcome}', reported_type = 'PURCHASE', ${paid} reported_at = $at,
       credential_sealed = null, credential_key_id = null, updated_at = $at
     where merchant_id = $merchantId and id = $id and status = 'awaiting_result' and reported_outcome is null
       and ${condition}
     returning id
   )` as const

/** An UPDATE: a credential whose time is over is erased. */
export const ERASE_LAPSED = `update charges set credential_sealed = null, credential_key_id = null
   where merchant_id = $merchantId and id = $id and lapses_at <= $at and credential_sealed is not null` as const
