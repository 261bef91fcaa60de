import { int, nullable, text } from '../db/row.ts'
import { execute, many, one } from '../db/statement.ts'

// One edition of the table is in use; another is written beside it and then takes its place, so that no reader sees half of one.

/** The range that begins nearest below a number, of the edition in use. None, also where no table was imported. */
export const findRange = one(
  'bins.find_range',
  `select last_bin as last, country, issuer from bin_ranges
   where edition = (select edition from bin_table) and first_bin <= $bin order by first_bin desc limit 1`,
  { last: int, country: nullable(text), issuer: nullable(text) },
)

export const findEdition = one('bins.find_edition', 'select edition from bin_table', { edition: text })

/** Fails for two ranges that begin alike. */
export const insertRanges = many(
  'bins.insert_ranges',
  `insert into bin_ranges (edition, first_bin, last_bin, country, issuer)
   select $edition, * from unnest($firsts::integer[], $lasts::integer[], $countries::text[], $issuers::text[])
   returning first_bin as first`,
  { first: int },
)

/** A range that reaches into the next one: which of the two a card belongs to would be chance. */
export const findOverlap = one(
  'bins.find_overlap',
  `select first_bin as first from (
     select first_bin, last_bin, lead(first_bin) over (order by first_bin) as next from bin_ranges where edition = $edition) ranges
   where last_bin >= next order by first_bin limit 1`,
  { first: int },
)

/** Takes an edition into use, if all of it is there. None: another import has cleared it away. */
export const upsertEdition = one(
  'bins.upsert_edition',
  `insert into bin_table (id, edition)
   select true, $edition::text where (select count(*) from bin_ranges where edition = $edition::text) = $count::bigint
   on conflict (id) do update set edition = excluded.edition
   returning edition`,
  { edition: text },
)

/** A part of what is not in use: earlier editions, and imports that did not come to their end. */
export const deleteOldRanges = execute(
  'bins.delete_old_ranges',
  `delete from bin_ranges where (edition, first_bin) in (
     select edition, first_bin from bin_ranges where edition <> $edition limit $limit)`,
)
