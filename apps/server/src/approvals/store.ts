import { text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { HAS_EVIDENCE } from './fragments.ts'

export const findTerms = one(
  'approvals.find_terms',
  `select terms from approvals
   where merchant_id = $merchantId and subject_type = $subjectType and subject_id = $subjectId and ${HAS_EVIDENCE}`,
  { terms: text },
)
