import { openWork } from '../jobs/fragments.ts'
import { MANDATE_TRANSITIONS } from '../mandates/states.ts'
import { originList } from '../platform/states.ts'

// The mandate of a purchase is in the row of its charge and moves with it. A mandate that has ended otherwise stays as
// it is: so the move is a part of what the UPDATE sets, and no condition of it.

type Becomes = 'active' | 'consumed' | 'cancelled' | 'expired'
type Origin = keyof typeof MANDATE_TRANSITIONS

const becomes = <const To extends Becomes>(to: To, from?: readonly Origin[]) => {
  const origins = originList<Origin>(MANDATE_TRANSITIONS, to, from)
  return `, mandate_status = case when mandate_status in (${origins}) then '${to}' else mandate_status end,
       mandate_changed_at = case when mandate_status in (${origins}) then $at else mandate_changed_at end` as const
}

/** The network registered the instruction and minted. */
export const ACTIVATED = `${becomes('active', ['pending'])}, instruction_ref = $instructionRef` as const
/** A purchase was paid: its mandate ends with it, without an event of its own. */
export const CONSUMED = becomes('consumed')
/** A purchase came to nothing: its mandate ends with it, and the network does not know. */
export const CANCELLED = becomes('cancelled')
/** The time of a purchase passed: its credential may have been spent. */
export const EXPIRED = becomes('expired')

/**
 * CTEs `ended` and `ending`: the work begins to tell the network, or to ask it, if the mandate of `changed` has ended
 * with it. Locks: the work is locked after the charge.
 */
export const END_AT_NETWORK = `ended as (
     select mandate_id as id from changed where mandate_status in ('cancelled', 'expired') and mandate_changed_at = $at
   ), ending as (
     ${openWork('mandate', 'ended', '$at')}
   )` as const
