import { SHOWN_CHARGE, SHOWN_CHARGE_COLUMNS } from '../../../charges/fragments.ts'
import { JOIN_SHOWN_PURCHASE, SHOWN_PURCHASE, SHOWN_PURCHASE_COLUMNS } from '../../../checkout/purchases/fragments.ts'
import { QUOTE_END } from '../../../checkout/quotes/fragments.ts'
import { nullable, oneOf, text } from '../../../db/row.ts'
import { IN_CHARGE } from '../../fragments.ts'
import { readsOf } from '../../page/reads-store.ts'
import { GRANT, GRANT_COLUMNS, ORDER_COLUMNS, SUBJECT } from '../../store.ts'

const PAYMENT = {
  ...GRANT,
  kind: oneOf(['payment']),
  ...SUBJECT,
  mandateId: nullable(text),
  ...SHOWN_CHARGE,
  ...SHOWN_PURCHASE,
}

/** Most sessions are purchases, each in the row of its charge. */
export const payments = readsOf({
  row: IN_CHARGE,
  shape: PAYMENT,
  columns: `s.opened_by as id, 'payment' as kind, ${GRANT_COLUMNS}, ${ORDER_COLUMNS}, s.asking_agent_id as agent_id, s.asking_agent_name as agent_name,
  s.asking_agent_seal as agent_seal, s.mandate_id, s.amount_minor, s.currency, s.payee_name, s.payee_network_name,
  s.payee_url, s.payee_country, s.external_order_ref, s.updated_at as changed_at, ${SHOWN_CHARGE_COLUMNS}, ${SHOWN_PURCHASE_COLUMNS}`,
  joins: JOIN_SHOWN_PURCHASE,
  quoteEndsAt: QUOTE_END,
})
