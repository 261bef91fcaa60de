import { KEEP_EVIDENCE, NOT_APPROVED } from '../approvals/fragments.ts'
import { BEGUN_DELETION, IS_DELETABLE, isFor, startDeletion } from '../cards/fragments.ts'
import { one } from '../db/statement.ts'
import {
  CLAIM_CHALLENGE,
  CLAIMED,
  CLAIMED_CHALLENGE,
  livePasskeys,
  lockSigning,
  USE_PASSKEY,
} from '../passkeys/fragments.ts'
import { inEach, type SessionRow } from '../sessions/fragments.ts'

/** The challenge that an answer uses up, whatever becomes of it. */
export const claimRemoval = one('cardholder.claim_removal', `with ${CLAIM_CHALLENGE} select (${CLAIMED}) as claimed`, {
  claimed: CLAIMED_CHALLENGE,
})

const openIn = ({ table, place }: SessionRow) =>
  `select 1 from ${table} where ${place} and ${table}.customer_id = $customerId and closed_at is null and expires_at > $at` as const
const provenIn = ({ table, place }: SessionRow) => `select proven_card_id from ${table} where ${place}` as const

/**
 * The deletion of a card begins with the signature over it, which is kept, all or nothing. Locks: passkey, card. None:
 * the session is over, the passkey was used or replaced meanwhile, or the card has ended or is not theirs to use.
 */
export const startRemoval = inEach((row) =>
  one(
    `cardholder.begin_removal_in_${row.name}`,
    `with ${lockSigning(`exists (${openIn(row)})`)}, agreed as materialized (
     select id from cards
     where ${IS_DELETABLE} and customer_id = $customerId and (passkey_id in (${livePasskeys('$customerId')}) or id = (${provenIn(row)})) and ${isFor('$sessionId')}
       and exists (select 1 from signing) and ${NOT_APPROVED}
     for no key update
   ), ${USE_PASSKEY}, ${KEEP_EVIDENCE}, ${startDeletion('exists (select 1 from agreed)')}`,
    BEGUN_DELETION,
  ),
)
