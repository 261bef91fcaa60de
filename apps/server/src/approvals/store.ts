import { text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { USE_PASSKEY } from '../passkeys/fragments.ts'

/**
 * Counter and evidence in one statement. None when the counter was passed or the passkey flagged since the signature was
 * verified, or when the subject has its approval already.
 */
export const insertApproval = one(
  'approvals.insert',
  `with ${USE_PASSKEY}
   insert into approvals (merchant_id, subject_type, subject_id, passkey_id, terms, nonce, client_data_json,
     authenticator_data, signature, approved_at)
   select $merchantId::text, $subjectType::text, $subjectId::text, used.id, $terms::text, $nonce::bytea,
     $clientDataJson::bytea, $authenticatorData::bytea, $signature::bytea, $at::timestamptz
   from used
   on conflict on constraint approvals_pkey do nothing
   returning subject_id`,
  { subjectId: text },
)
