import { KEEP_EVIDENCE, NOT_APPROVED } from '../approvals/fragments.ts'
import { text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import {
  CLAIM_CHALLENGE,
  CLAIMED,
  CLAIMED_CHALLENGE,
  lockSigning,
  OWN_PASSKEY,
  ownPasskey,
  USE_PASSKEY,
} from '../passkeys/fragments.ts'

const OWN = { passkey: OWN_PASSKEY }

export const findPasskey = one('permissions.find_passkey', `select (${ownPasskey('$customerId')}) as passkey`, OWN)

/** The challenge that an answer uses up, whatever becomes of it, and the passkey that may have answered. One row. */
export const claimResume = one(
  'permissions.claim_resume',
  `with ${CLAIM_CHALLENGE} select (${CLAIMED}) as claimed, (${ownPasskey('$customerId')}) as passkey`,
  { claimed: CLAIMED_CHALLENGE, ...OWN },
)

/** A signature that signs a cardholder in counts once. None: of two uses of one counter the other one came first. */
export const recordVisit = one(
  'permissions.record_visit',
  `with ${lockSigning('true')}, agreed as (
     select id from signing
   ), ${USE_PASSKEY}
   select id from agreed`,
  { id: text },
)

/** The same of one that lets a permission go on, with the evidence. */
export const recordResume = one(
  'permissions.record_resume',
  `with ${lockSigning(NOT_APPROVED)}, agreed as (
     select id from signing
   ), ${USE_PASSKEY}, ${KEEP_EVIDENCE}
   select id from agreed`,
  { id: text },
)
