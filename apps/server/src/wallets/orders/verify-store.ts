import { bool, int, nullable, text, uuid } from '../../db/row.ts'
import { many } from '../../db/statement.ts'

// Pages of the books, as those of the ledger: each shows what is wrong, and its last row.

/** Orders with what their transfer took from their wallet, and what their cart costs. */
export const listOrderPayments = many(
  'orders.list_payments',
  `with page as materialized (
     select id, cart_id, wallet_id, currency, amount_minor, row_number() over (order by id)::int as place from wallet_orders
     where merchant_id = $merchantId and id > $after::uuid order by id limit $limit
   ), compared as (
     select page.id, page.place, page.amount_minor::text as amount_minor, paid.minor::text as paid_minor,
       lines.minor::text as lines_minor,
       coalesce(paid.minor = page.amount_minor and lines.minor = page.amount_minor, false) as agrees
     from page
     left join lateral (
       select -entry.amount_minor as minor
       from (
         select id from ledger_transfers
         where merchant_id = $merchantId and id = page.id and currency = page.currency
           and purpose = 'order' and reference = page.cart_id offset 0
       ) transfer
       join lateral (
         select amount_minor from ledger_entries
         where merchant_id = $merchantId and transfer_id = page.id and account_id = page.wallet_id offset 0
       ) entry on true
     ) paid on true
     left join lateral (
       select sum(line.price_minor * line.quantity) as minor
       from (
         select id from wallet_carts where merchant_id = $merchantId and id = page.cart_id and status = 'ordered' offset 0
       ) cart
       join lateral (
         select price_minor, quantity from wallet_cart_lines
         where merchant_id = $merchantId and cart_id = page.cart_id offset 0
       ) line on true
     ) lines on true
   )
   select id, place, amount_minor, paid_minor, lines_minor, agrees from compared
   where not agrees or place = (select count(*) from page) order by place`,
  { id: uuid, place: int, amountMinor: text, paidMinor: nullable(text), linesMinor: nullable(text), agrees: bool },
)

/** Transfers for orders that are not there. */
export const listOrderTransfers = many(
  'orders.list_transfers',
  `with page as materialized (
     select id, purpose, row_number() over (order by id, currency)::int as place from ledger_transfers
     where merchant_id = $merchantId and id > $after::uuid order by id, currency limit $limit
   )
   select page.id, page.place, page.purpose <> 'order' or ordered.id is not null as agrees from page
   left join lateral (
     select id from wallet_orders where merchant_id = $merchantId and id = page.id offset 0
   ) ordered on true
   where (page.purpose = 'order' and ordered.id is null) or place = (select count(*) from page) order by place`,
  { id: uuid, place: int, agrees: bool },
)

/** Carts that are said to be ordered, and were not. */
export const listOrderedCarts = many(
  'orders.list_carts',
  `with page as materialized (
     select id, status, row_number() over (order by id)::int as place from wallet_carts
     where merchant_id = $merchantId and id > $after::uuid order by id limit $limit
   )
   select page.id, page.place, page.status <> 'ordered' or ordered.id is not null as agrees from page
   left join lateral (
     select id from wallet_orders where merchant_id = $merchantId and cart_id = page.id offset 0
   ) ordered on true
   where (page.status = 'ordered' and ordered.id is null) or place = (select count(*) from page) order by place`,
  { id: uuid, place: int, agrees: bool },
)
