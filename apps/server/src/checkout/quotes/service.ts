import { single } from '../../db/command.ts'
import { bound } from '../../platform/bound.ts'
import { addSeconds } from '../../platform/clock.ts'
import { idBefore } from '../../platform/ids.ts'
import { product, search } from './catalog.ts'
import { create, QUOTE_SECONDS } from './create.ts'
import type { QuoteDeps, QuoteRef } from './deps.ts'
import { quoteNotFound } from './errors.ts'
import * as store from './store.ts'
import { untouched, usable } from './use.ts'

export type { CatalogSearch, FoundProduct } from './catalog.ts'
export type { QuoteWish } from './create.ts'
export type { QuoteDeps, QuoteRef } from './deps.ts'
export type { QuoteRow as Quote, StoredLine } from './store.ts'

/** What shops have, and what they want for it. */
export const createQuoteService = (deps: QuoteDeps) =>
  bound(deps, { search, product, create, get, usable, untouched, deleteUnused })
export type QuoteService = ReturnType<typeof createQuoteService>

/** `QUOTE_NOT_FOUND` for no such quote of the merchant. Used and expired ones are shown as they were. */
export async function get({ pool }: Pick<QuoteDeps, 'pool'>, ref: QuoteRef): Promise<store.QuoteRow> {
  const quote = await store.findQuote(pool, { ownerId: null, ...ref })
  if (quote === undefined) throw quoteNotFound()
  return quote
}

/** How long an unused one is told apart from one that never was. */
const KEPT_SECONDS = 24 * 60 * 60

/** One step of a walk over the merchants: deletes, of the next one, unused quotes that expired a day ago. Null: nothing is left. */
export async function deleteUnused(
  deps: QuoteDeps,
  after: string,
  limit: number,
): Promise<{ deleted: number; next: string } | null> {
  const before = idBefore('quote', addSeconds(deps.clock.now(), -(QUOTE_SECONDS + KEPT_SECONDS)))
  const found = await store.findMerchantWithOld(deps.pool, { after, before })
  if (found === undefined) return null
  const { merchantId } = found
  const deleted = await single(deps, { name: 'quotes.delete_unused', silent: 'past' }, ({ on }) =>
    store.deleteUnused(on, { merchantId, before, limit }),
  )
  // A full page: this merchant may have more.
  return { deleted, next: deleted < limit ? merchantId : after }
}
