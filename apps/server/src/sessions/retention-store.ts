import { deleteEvidence, emptyEvidence } from '../approvals/fragments.ts'
import { forgetSessions } from '../charges/forget-fragments.ts'
import { deletePurchases } from '../checkout/purchases/fragments.ts'
import { deleteQuotes } from '../checkout/quotes/fragments.ts'
import { int, nullable, text } from '../db/row.ts'
import { one } from '../db/statement.ts'
import { deleteEnrollments } from '../enrollment/fragments.ts'
import { forgetSetups } from '../mandates/setup-fragments.ts'
import { inEach } from './fragments.ts'

/** By a list of all merchants behind it: one look at the key for each, up to the first that has any. */
const OF_NEXT = 'merchant_id = any (array(select id from merchants where id > $after))'

/** The next merchant that has sessions of before `$before`. Operator's statements. */
export const findMerchantWithOld = inEach(({ feature, table, key }) =>
  one(
    `${feature}.find_merchant_with_old`,
    `select merchant_id from ${table} where ${OF_NEXT} and launch_hash is not null and ${key} < $before
   order by merchant_id limit 1`,
    { merchantId: text },
  ),
)

const PAGE = { lastId: nullable(text), lookedAt: int, deleted: int }
const COUNTED = `select max(id) as last_id, count(*)::int as looked_at, (select count(*)::int from gone) as deleted from page`

/**
 * Deletes enrollments with the evidence of their approval, of one page of a merchant's old ones. Those stay whose card
 * is active. The ids begin with the time, so the page is read from the index and costs the same however much was kept.
 * None: there is no page.
 */
const deleteOldEnrollments = one(
  'enrollments.delete_old',
  `with page as materialized (
     select id, closed_at, card_id from enrollments
     where merchant_id = $merchantId and id > $after and id < $before order by id limit $limit
   ), old as materialized (
     select page.id from page
     left join lateral (
       select status from cards where merchant_id = $merchantId and id = page.card_id offset 0) card on true
     where page.closed_at < $endedBefore and card.status is distinct from 'active'
   ), ${deleteEvidence('old')}, ${deleteEnrollments('old')}
   ${COUNTED}`,
  PAGE,
)

/** The same of setups: their mandate stays. Those stay whose mandate has not ended before `$endedBefore`. */
const forgetOfSetups = one(
  'setups.delete_old',
  `with page as materialized (
     select session_id as id, id as mandate_id, closed_at, ended_at from mandates
     where merchant_id = $merchantId and launch_hash is not null and session_id > $after and session_id < $before
     order by session_id limit $limit
   ), old as materialized (
     select id, mandate_id from page where closed_at < $endedBefore and ended_at < $endedBefore
   ), ${deleteEvidence('old')}, ${forgetSetups('old')}
   ${COUNTED}`,
  PAGE,
)

/**
 * The same of purchases: their charge stays, and knows no more than what was paid. The quote that it was built from and
 * what was bought of it go. Those stay whose payment has not ended before `$endedBefore`, and whose shop has something
 * to be given back.
 */
const forgetOfPurchases = one(
  'payments.delete_old',
  `with page as materialized (
     select opened_by as id, id as charge_id, closed_at, status, updated_at, quote_id from charges
     where merchant_id = $merchantId and launch_hash is not null and opened_by > $after and opened_by < $before
     order by opened_by limit $limit
   ), old as materialized (
     select page.id, page.charge_id, page.quote_id from page
     left join lateral (
       select release_owed from purchases where merchant_id = $merchantId and charge_id = page.charge_id offset 0) purchase on true
     where page.closed_at < $endedBefore and page.status = any ($ended) and page.updated_at < $endedBefore
       and purchase.release_owed is not true
   ), ${emptyEvidence('old')}, ${deletePurchases('old')}, ${deleteQuotes('old')}, ${forgetSessions('old')}
   ${COUNTED}`,
  PAGE,
)

export const deleteOld = { charge: forgetOfPurchases, mandate: forgetOfSetups, enrollment: deleteOldEnrollments }
