import { bigint, nullable, text } from '../db/row.ts'
import { one } from '../db/statement.ts'

/** Where a permission was approved, and what of its window has no outcome yet. */
export const findBehind = one(
  'console.find_behind',
  `select session_id, (
     select coalesce(sum(amount_minor), 0)::bigint from charges
     where merchant_id = $merchantId and standing_mandate_id = mandates.id and created_at >= mandates.window_started_at
       and window_started_at = mandates.window_started_at and status in ('initiated', 'minting', 'awaiting_result')) as held_minor
   from mandates where merchant_id = $merchantId and id = $id`,
  { sessionId: nullable(text), heldMinor: bigint },
)
