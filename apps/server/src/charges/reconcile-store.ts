import { CHARGE_STATUSES } from '@mintmark/contract'
import { bigint, nullable, oneOf, text, time } from '../db/row.ts'
import { many, one } from '../db/statement.ts'
import { FACT_KINDS } from '../network/events-port.ts'

// Operator's questions: what our rows say of payments that the network knows.

/** The merchant whose charges are compared next. */
export const findNextMerchant = one(
  'charges.find_next_merchant',
  'select id from merchants where id > $after order by id limit 1',
  { id: text },
)

/** Charges of which a fact lies in the time. */
export const listObserved = many(
  'charges.list_observed',
  `select distinct f.charge_id, c.mandate_id from network_facts f join lateral (
     select mandate_id from charges where merchant_id = $merchantId and id = f.charge_id offset 0) c on true
   where f.merchant_id = $merchantId and f.occurred_at >= $since and f.occurred_at < $until`,
  { chargeId: text, mandateId: nullable(text) },
)

export const findCompared = one(
  'charges.find_compared',
  `select status, reported_outcome, reported_at, amount_minor, counted_minor, paid_minor, quote_id from charges
   where merchant_id = $merchantId and id = $chargeId`,
  {
    status: oneOf(CHARGE_STATUSES),
    reportedOutcome: nullable(text),
    reportedAt: nullable(time),
    amountMinor: bigint,
    countedMinor: nullable(bigint),
    paidMinor: nullable(bigint),
    quoteId: nullable(text),
  },
)

export const listRecorded = many(
  'charges.list_recorded',
  `select id as fact_id, kind, amount_minor, currency, occurred_at from network_facts
   where merchant_id = $merchantId and charge_id = $chargeId order by occurred_at, id`,
  { factId: text, kind: oneOf(FACT_KINDS), amountMinor: bigint, currency: text, occurredAt: time },
)
