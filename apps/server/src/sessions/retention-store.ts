import { deleteEvidence } from '../approvals/fragments.ts'
import { deletePurchases } from '../checkout/purchases/fragments.ts'
import { deleteQuotes } from '../checkout/quotes/fragments.ts'
import { int, nullable, text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { deleteEnrollments } from '../enrollment/fragments.ts'

/** The next merchant that has sessions of before `$before`. Operator's statement. */
export const findMerchantWithOld = one(
  'sessions.find_merchant_with_old',
  // By a list of all merchants behind it: one look at the key for each, up to the first that has any.
  `select merchant_id from sessions
   where merchant_id = any (array(select id from merchants where id > $after)) and id < $before
   order by merchant_id limit 1`,
  { merchantId: text },
)

/**
 * Deletes sessions with the evidence of their approval, the quote they were built from and what was bought of it, of one page of a merchant's old ones. Those
 * stay whose payment or mandate has not ended before `$endedBefore`, whose shop has something to be given back, and whose enrolled card is active. The ids begin with the time, so the page is read from the primary key and costs
 * the same however much was kept. None: there is no page.
 */
export const deleteOld = one(
  'sessions.delete_old',
  `with page as materialized (
     select id, kind, closed_at, charge_id, mandate_id, card_id from sessions
     where merchant_id = $merchantId and id > $after and id < $before order by id limit $limit
   ), old as materialized (
     select page.id, charge.quote_id, page.charge_id from page
     left join lateral (
       select status, updated_at, quote_id from charges where merchant_id = $merchantId and id = page.charge_id offset 0) charge on true
     left join lateral (
       select release_owed from purchases where merchant_id = $merchantId and charge_id = page.charge_id offset 0) purchase on true
     left join lateral (
       select ended_at from mandates where merchant_id = $merchantId and id = page.mandate_id offset 0) mandate on true
     left join lateral (
       select status from cards where merchant_id = $merchantId and id = page.card_id offset 0) card on true
     where page.closed_at < $endedBefore and purchase.release_owed is not true
       and (page.kind <> 'enrollment' or card.status is distinct from 'active')
       and (page.charge_id is null or (charge.status = any ($ended) and charge.updated_at < $endedBefore))
       and (page.mandate_id is null or mandate.ended_at < $endedBefore)
   ), ${deleteEvidence('old')}, ${deleteEnrollments('old')}, ${deletePurchases('old')}, ${deleteQuotes('old')}, gone as (
     delete from sessions where merchant_id = $merchantId and id = any (array(select id from old))
     returning id
   )
   select max(id) as last_id, count(*)::int as looked_at, (select count(*)::int from gone) as deleted from page`,
  { lastId: nullable(text), lookedAt: int, deleted: int },
)
