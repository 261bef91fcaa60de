// Parts of statements that must be one with something else.

/** A condition: the subject has no approval yet. */
export const NOT_APPROVED = `not exists (select 1 from approvals
     where merchant_id = $merchantId and subject_type = $subjectType and subject_id = $subjectId)`

/** CTE `evidence`: what was shown and signed, if `agreed` has a row. */
export const KEEP_EVIDENCE = `evidence as (
     insert into approvals (merchant_id, subject_type, subject_id, passkey_id, terms, nonce, client_data_json,
       authenticator_data, signature, approved_at)
     select $merchantId, $subjectType, $subjectId, $passkeyId, $terms, $nonce, $clientDataJson, $authenticatorData, $signature, $at
     from agreed
   )`

/** CTE `evidence`: the evidence of the sessions whose `id` a CTE has is deleted. */
export const deleteEvidence = <const Cte extends string>(cte: Cte) =>
  `evidence as (
     delete from approvals
     where merchant_id = $merchantId and subject_type = 'session' and subject_id = any (array(select id from ${cte}))
   )` as const
