import { oneOf } from '../../../db/row.ts'
import { SHOWN_SETUP, SHOWN_SETUP_COLUMNS } from '../../../mandates/setup-fragments.ts'
import { IN_MANDATE } from '../../fragments.ts'
import { NO_QUOTE, readsOf } from '../../page/reads-store.ts'
import { GRANT, GRANT_COLUMNS, ORDER_COLUMNS, SUBJECT } from '../../store.ts'

const SETUP = { ...GRANT, kind: oneOf(['mandate_setup']), ...SUBJECT, ...SHOWN_SETUP }

/** Sessions that set up a standing permission, each in the row of its mandate. */
export const setups = readsOf({
  row: IN_MANDATE,
  shape: SETUP,
  columns: `s.session_id as id, 'mandate_setup' as kind, ${GRANT_COLUMNS}, ${ORDER_COLUMNS}, s.agent_id, s.agent_name, s.agent_seal,
  s.id as mandate_id, s.approved_minor as amount_minor, s.currency, s.payee_name, s.payee_network_name, s.payee_url, s.payee_country,
  s.external_order_ref, greatest(s.created_at, s.updated_at, s.ended_at) as changed_at, ${SHOWN_SETUP_COLUMNS}`,
  joins: '',
  quoteEndsAt: NO_QUOTE,
})
