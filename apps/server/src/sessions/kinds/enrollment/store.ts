import { nullable, oneOf, text } from '../../../db/row.ts'
import { SHOWN_ENROLLMENT, SHOWN_ENROLLMENT_COLUMNS } from '../../../enrollment/fragments.ts'
import { IN_ENROLLMENT } from '../../fragments.ts'
import { NO_QUOTE, readsOf } from '../../page/reads-store.ts'
import { GRANT, GRANT_COLUMNS, SUBJECT } from '../../store.ts'

const { effectiveMinutes: _, ...OWN_GRANT } = GRANT
const { payeeName, changedAt } = SUBJECT
const ENROLLMENT = {
  ...OWN_GRANT,
  kind: oneOf(['enrollment']),
  orderId: nullable(text),
  ...{ payeeName, changedAt },
  ...SHOWN_ENROLLMENT,
}

/** Sessions that enroll a card, each in the row of its enrollment. They order nothing, and no agent asks for one. */
export const enrollments = readsOf({
  row: IN_ENROLLMENT,
  shape: ENROLLMENT,
  columns: `s.id, 'enrollment' as kind, ${GRANT_COLUMNS}, null::text as order_id, null::text as description, null::jsonb as summary,
  null::text as agent_id, null::text as agent_name, null::bytea as agent_seal, s.payee_name, s.updated_at as changed_at,
  ${SHOWN_ENROLLMENT_COLUMNS}`,
  joins: '',
  quoteEndsAt: NO_QUOTE,
})
