import { text } from '../db/row.ts'
import { closeWork, type WorkKind, workOf } from '../jobs/fragments.ts'
import { originList } from '../platform/states.ts'
import { FAILED } from './reference-fragments.ts'
import { CHARGE_TRANSITIONS } from './states.ts'

// Parts of the statements by which the holder of a charge, or of its purchase, records what the network said.

/** What a statement returns that captured its event: the resource, or no row where nothing changed. */
export const CAPTURED = { resourceId: text }

const lockHeld = <const Kind extends WorkKind, const Condition extends string>(kind: Kind, condition: Condition) =>
  `held as materialized (
     select id from open_work where ${workOf(kind, '$id')} and lease_fence = $leaseFence and lease_until is not null
       ${condition} for update
   )` as const
/** CTE `held`: locks the work of the caller's claim, before the charge. No row: the lease was lost. */
export const LOCK_HELD = lockHeld('charge', '')
/** The same after `LOCK_MANDATE`. */
export const LOCK_HELD_AFTER_MANDATE = lockHeld('charge', 'and exists (select 1 from mandate)')
/** The same where the work is that of a purchase, which drives its charge. */
export const LOCK_PURCHASE = lockHeld('purchase', '')
export const LOCK_PURCHASE_AFTER_MANDATE = lockHeld('purchase', 'and exists (select 1 from mandate)')
/** The charge as its holder read it: only the holder may change it, so its next version is known. */
export const HELD_CHARGE =
  'merchant_id = $merchantId and id = $id and version = $version and exists (select 1 from held)' as const

/** CTE `closed`: nothing is left to do on `changed`. Who had the work in hand writes nothing any more. */
export const CLOSE_WORK = `closed as (${closeWork('charge', 'changed')})` as const

const mintedWith = <const Version extends string>(version: Version) =>
  `changed as (
     update charges set status = 'awaiting_result', credential_sealed = $sealed, credential_key_id = $keyId,
       lapses_at = $lapsesAt, ${version}updated_at = $at
     where ${HELD_CHARGE} and status in (${originList(CHARGE_TRANSITIONS, 'awaiting_result')})
     returning id
   )` as const
/** CTE `changed`: the network minted. */
export const MINTED = mintedWith('version = version + 1, ')
/** The same for a purchase, which is what knows of it: no event tells of a credential that nobody gets. */
export const MINTED_FOR_PURCHASE = mintedWith('')

/**
 * CTE `changed`: it came to nothing. `$from` is where this end comes from, and `$reportedOutcome` as the holder read it: a report that it has
 * not read keeps the charge from failing. A credential that is still there is erased.
 */
export const cameToNothing = <const Returning extends string>(returning: Returning) =>
  `changed as (
     update charges set ${FAILED}, failure_code = $failure, network_confirmation = $confirmation, credential_sealed = null,
       credential_key_id = null, version = version + 1, updated_at = $at
     where ${HELD_CHARGE} and status in (${originList(CHARGE_TRANSITIONS, 'failed', ['minting', 'awaiting_result'])})
       and status = $from and reported_outcome is not distinct from $reportedOutcome
     returning ${returning}
   )` as const

/** CTE `changed`: the network knows that it was paid. */
export const PAID = `changed as (
     update charges set status = 'completed', network_confirmation = $confirmation, version = version + 1, updated_at = $at
     where ${HELD_CHARGE} and status in (${originList(CHARGE_TRANSITIONS, 'completed')})
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
