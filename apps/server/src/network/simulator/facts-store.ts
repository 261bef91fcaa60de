import { CURRENCIES } from '@mintmark/contract'
import { bigint, nullable, oneOf, text, time } from '../../db/row.ts'
import { execute, many, one } from '../../db/statement.ts'
import { FACT_KINDS, type FactKind } from '../events-port.ts'
import { MINT_STATES } from './states.ts'

// What became of authorizations. `store.ts` has the lock order: an instruction is locked before its mints, and what
// becomes of an authorization is written behind both.

/** What can become of an authorization that was approved. */
export const SETTLEMENT_KINDS = [
  'captured',
  'reversed',
  'expired',
  'refunded',
  'disputed',
] as const satisfies readonly FactKind[]
export type SettlementKind = (typeof SETTLEMENT_KINDS)[number]

export const findAuthorization = one(
  'simnet.find_authorization',
  `select a.authorization_id, a.charge_id, m.mandate_id from simnet.authorizations a
     join simnet.mints m on m.charge_id = a.charge_id
   where a.authorization_id = $authorizationId and a.response_code = '00'`,
  { authorizationId: text, chargeId: text, mandateId: text },
)

/** The mint whose window follows what is captured. Its instruction must be locked. */
export const lockSettled = one(
  'simnet.lock_settled',
  `select charge_id, mandate_id, state, amount_minor, counted_minor, window_started_at, confirmed_outcome
   from simnet.mints where charge_id = $chargeId for update`,
  {
    chargeId: text,
    mandateId: text,
    state: oneOf(MINT_STATES),
    amountMinor: bigint,
    countedMinor: nullable(bigint),
    windowStartedAt: time,
    confirmedOutcome: nullable(text),
  },
)

export const insertSettlement = execute(
  'simnet.insert_settlement',
  `insert into simnet.settlements (settlement_id, authorization_id, charge_id, kind, amount_minor, occurred_at)
   values ($settlementId, $authorizationId, $chargeId, $kind, $amountMinor, $at)`,
)

/** What it counts for since, in its window as well: it may be more than the cap. */
export const updateCounted = execute(
  'simnet.update_counted',
  `with counted as (
     update simnet.mints set counted_minor = $countedMinor where charge_id = $chargeId
     returning mandate_id, window_started_at
   )
   update simnet.windows w set spent_minor = w.spent_minor + $changeMinor from counted c
   where w.mandate_id = c.mandate_id and w.started_at = c.window_started_at`,
)

/** All that happened to the payment of a charge: every attempt, and what became of the one that was approved. */
export const listFacts = many(
  'simnet.list_facts',
  `select authorization_id as fact_id, case when response_code = '00' then 'authorized' else 'declined' end as kind,
     currency, amount_minor, merchant_host, attempted_at as occurred_at
   from simnet.authorizations where charge_id = $chargeId
   union all
   select s.settlement_id, s.kind, a.currency, s.amount_minor, a.merchant_host, s.occurred_at
   from simnet.settlements s join simnet.authorizations a on a.authorization_id = s.authorization_id
   where s.charge_id = $chargeId
   order by occurred_at, fact_id`,
  {
    factId: text,
    kind: oneOf(FACT_KINDS),
    currency: oneOf(CURRENCIES),
    amountMinor: bigint,
    merchantHost: nullable(text),
    occurredAt: time,
  },
)

/** Which charges something has happened to since then. */
export const listNews = many(
  'simnet.list_news',
  `select distinct m.charge_id, m.mandate_id from (
     select charge_id from simnet.authorizations where attempted_at >= $since and charge_id is not null
     union all
     select charge_id from simnet.settlements where occurred_at >= $since
   ) told join simnet.mints m on m.charge_id = told.charge_id`,
  { chargeId: text, mandateId: text },
)
