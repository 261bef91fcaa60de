// Parts of statements that must be one with something else.

/** A condition: the subject has no approval yet. */
export const NOT_APPROVED = `not exists (select 1 from approvals
     where merchant_id = $merchantId and subject_type = $subjectType and subject_id = $subjectId)`

const COLUMNS = `merchant_id, subject_type, subject_id, passkey_id, terms, nonce, client_data_json,
       authenticator_data, signature, approved_at` as const
const EVIDENCE = `insert into approvals (${COLUMNS})` as const

/**
 * An INSERT: what was shown and signed in the session that `cte` has a row of. `passkey`, SQL, has a row only where all
 * that was signed about is as it was: else the evidence has no passkey, and the whole statement is refused
 * (`lacksPasskey`).
 */
export const keepOfSession = <const Cte extends string, const Passkey extends string>(cte: Cte, passkey: Passkey) =>
  `${EVIDENCE}
     select $merchantId, 'session', $sessionId, (${passkey}), $terms, $nonce, $clientDataJson, $authenticatorData,
       $signature, $at from ${cte}` as const

/**
 * The same of a purchase, and which mandate was approved of whom: what lists of mandates look at, as it is written
 * once.
 */
export const keepOfPurchase = <const Cte extends string, const Passkey extends string>(cte: Cte, passkey: Passkey) =>
  `insert into approvals (${COLUMNS}, mandate_id, customer_id, charge_id)
     select $merchantId, 'session', $sessionId, (${passkey}), $terms, $nonce, $clientDataJson, $authenticatorData,
       $signature, $at, $mandateId, $customerId, $chargeId from ${cte}` as const

/** CTE `evidence`: what was shown and signed, if `agreed` has a row. */
export const KEEP_EVIDENCE = `evidence as (
     ${EVIDENCE}
     select $merchantId, $subjectType, $subjectId, $passkeyId, $terms, $nonce, $clientDataJson, $authenticatorData, $signature, $at
     from agreed
   )`

/** CTE `evidence`: the evidence of the sessions whose `id` a CTE has is deleted. */
export const deleteEvidence = <const Cte extends string>(cte: Cte) =>
  `evidence as (
     delete from approvals
     where merchant_id = $merchantId and subject_type = 'session' and subject_id = any (array(select id from ${cte}))
   )` as const

/**
 * CTE `evidence`: the same of purchases. Which mandate was approved stays: the mandate is in the books, and its lists
 * are read from here.
 */
export const emptyEvidence = <const Cte extends string>(cte: Cte) =>
  `evidence as (
     update approvals set passkey_id = '', terms = '', nonce = '', client_data_json = '', authenticator_data = '', signature = ''
     where merchant_id = $merchantId and subject_type = 'session' and subject_id = any (array(select id from ${cte}))
   )` as const
/** A condition: the evidence has not gone with its session. */
export const HAS_EVIDENCE = "terms <> ''"
