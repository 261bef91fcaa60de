// Parts of statements that must be one with something else.

/** A condition: the subject has no approval yet. */
export const NOT_APPROVED = `not exists (select 1 from approvals
     where merchant_id = $merchantId and subject_type = $subjectType and subject_id = $subjectId)`

const insertEvidence = <const Subject extends string, const Passkey extends string>(
  subject: Subject,
  passkey: Passkey,
) =>
  `insert into approvals (merchant_id, subject_type, subject_id, passkey_id, terms, nonce, client_data_json,
       authenticator_data, signature, approved_at)
     select $merchantId, ${subject}, ${passkey}, $terms, $nonce, $clientDataJson, $authenticatorData, $signature, $at` as const

/** CTE `evidence`: what was shown and signed, if `agreed` has a row. */
export const KEEP_EVIDENCE = `evidence as (
     ${insertEvidence('$subjectType, $subjectId', '$passkeyId')}
     from agreed
   )` as const

/** An INSERT of the evidence of a session. `passkey` is SQL of its id; null is refused. */
export const insertSessionEvidence = <const Passkey extends string>(passkey: Passkey) =>
  insertEvidence("'session', $sessionId", passkey)

/** CTE `evidence`: the evidence of the sessions whose `id` a CTE has is deleted. */
export const deleteEvidence = <const Cte extends string>(cte: Cte) =>
  `evidence as (
     delete from approvals
     where merchant_id = $merchantId and subject_type = 'session' and subject_id = any (array(select id from ${cte}))
   )` as const
