import { LOCK_SPENDING } from '../agents/fragments.ts'
import { int, text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { ASK_OWNER, ASKED_FOR } from '../escalations/fragments.ts'
import { INSERT_EVENT } from '../events/fragments.ts'
import { REFERENCED } from './judge-fragments.ts'
import { NEW_CHARGE, NEW_CHARGE_VALUES } from './new-charge-fragments.ts'
import { alikeSince } from './of-agent-fragments.ts'

// A charge that its mandate or its agent's limits do not allow is written as failed, with its event.

/** None: its reference names another by now. */
export const insertOverLimit = one(
  'charges.insert_over_limit',
  `with changed as (
     insert into charges (${NEW_CHARGE}, status, failure_code)
     select ${NEW_CHARGE_VALUES}, 'failed', $failure from mandates
     where merchant_id = $merchantId and id = $mandateId and not exists (${REFERENCED})
     returning id
   )
   ${INSERT_EVENT}`,
  { resourceId: text },
)

/** Goes before `insertRefusedAsking`, in its transaction. */
export const lockAsking = one('charges.lock_asking', LOCK_SPENDING, { openCount: int })

/**
 * As `insertOverLimit`, and the owner is asked, if that is to be. The count of those that wait is right behind
 * `lockAsking` alone.
 */
export const insertRefusedAsking = one(
  'charges.insert_refused_asking',
  `with changed as (
     insert into charges (${NEW_CHARGE}, status, failure_code, duplicate_of)
     select ${NEW_CHARGE_VALUES}, 'failed', $failure, ${alikeSince('$askedAlikeSince')} from mandates
     where merchant_id = $merchantId and id = $mandateId and not exists (${REFERENCED})
     returning ${ASKED_FOR}
   ), ${ASK_OWNER}
   ${INSERT_EVENT}`,
  { resourceId: text },
)
