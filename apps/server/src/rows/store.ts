import { int, text, texts } from '../db/row.ts'
import { many, one } from '../db/statement.ts'
import { type KeyType, RULES, type TableRules } from './rules.ts'

// A page of each table is one statement, of a bounded number of rows. It returns the rows that break a rule, each with the names of those,
// and the last one, whose `place` is how many the page had.

/** The least key of a type. */
const MIN_KEY: Readonly<Record<KeyType, string>> = {
  text: '',
  uuid: '00000000-0000-0000-0000-000000000000',
  integer: '-2147483648',
}

const PAGE = { key: texts, place: int, broken: texts }

function declareQuestions(table: string, { key, holds, names }: TableRules) {
  const columns = Object.keys(key).join(', ')
  const shown = Object.keys(key).map((column) => `page.${column}::text`)
  const [firstType, ...types] = Object.values(key)
  const others = types.map((type, index) => `, ($after::text[])[${index + 2}]::${type}`).join('')
  const after = `(($after::text[])[1]::${firstType}${others})` as const
  const rules = Object.entries(holds).map(([name, rule]) => `case when (${rule}) is false then '${name}' end`)
  const named = Object.keys(names).map(
    (column) => `case when ${column} is not null and ${table}_${column}.id is null then '${column}' end`,
  )
  return {
    table,
    least: Object.values(key).map((type) => MIN_KEY[type]),
    findNextMerchant: one(
      `rows.find_next_merchant_of_${table}`,
      `select merchant_id from ${table}
       where merchant_id >= $after and (merchant_id <> $after or $isFirst::boolean) order by merchant_id limit 1`,
      { merchantId: text },
    ),
    list: many(
      `rows.list_broken_${table}`,
      `with page as materialized (
         select *, row_number() over (order by ${columns})::int as place from ${table}
         where merchant_id = $merchantId and (${columns}) >= ${after} and ((${columns}) <> ${after} or $isFirst::boolean)
         order by ${columns} limit $limit
       ), looked_at as (
         select array[${shown.join(', ')}] as key, place,
           array_remove(array[${[...rules, ...named].join(',\n             ') || 'null'}]::text[], null) as broken
         from page ${Object.entries(names).map(joinNamed(table)).join(' ')}
       )
       select key, place, broken from looked_at
       where broken <> '{}' or place = (select count(*) from page) order by place`,
      PAGE,
    ),
  }
}

/** Lateral, so that each row is looked for by its key. */
const joinNamed =
  (table: string) =>
  ([column, target]: [string, string]) =>
    `left join lateral (
           select id from ${target} where merchant_id = $merchantId and id = page.${column} offset 0
         ) ${table}_${column} on true`

/** The tables with rules, in the order in which they are looked at. */
export const TABLES = Object.entries(RULES).map(([table, rules]) => declareQuestions(table, rules))
