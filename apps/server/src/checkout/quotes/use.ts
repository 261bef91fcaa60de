import type { QuoteDeps, QuoteRef } from './deps.ts'
import { merchantUnavailable, quoteAlreadyUsed, quoteAmountMismatch, quoteExpired, quoteNotFound } from './errors.ts'
import { sealedQuote } from './seal.ts'
import { findForUse, findQuote, type QuoteRow } from './store.ts'

/** What is to be paid for a quote, and when. */
interface QuoteUse {
  amountMinor: bigint
  currency: string
  at: Date
}

/** Seconds: a shop is disabled by hand. */
const DISABLED_RETRY_SECONDS = 60

/**
 * The quote, if a session may be built from it now, for what it costs. No session has it by this: the statement that builds the session
 * claims it, and looks again. One that was edited in the database is of no use to any session.
 */
export async function usable(
  { pool, seals }: Pick<QuoteDeps, 'pool' | 'seals'>,
  ref: QuoteRef,
  { amountMinor, currency, at }: QuoteUse,
): Promise<QuoteRow> {
  const quote = await findForUse(pool, { ownerId: null, ...ref })
  if (quote === undefined) throw quoteNotFound()
  seals.check(sealedQuote(quote), quote.seal)
  if (quote.sessionId !== null) throw quoteAlreadyUsed()
  if (quote.expiresAt <= at) throw quoteExpired()
  if (quote.totalMinor !== amountMinor || quote.currency !== currency) throw quoteAmountMismatch()
  if (quote.shopStatus !== 'active') throw merchantUnavailable({ retryAfterSeconds: DISABLED_RETRY_SECONDS })
  return quote
}

/** The quote that a session was built from, as its shop said it: a session that has one keeps it for ever. */
export async function untouched({ pool, seals }: Pick<QuoteDeps, 'pool' | 'seals'>, ref: QuoteRef): Promise<QuoteRow> {
  const quote = await findQuote(pool, { ownerId: null, ...ref })
  if (quote === undefined) throw new Error(`There is no quote ${ref.quoteId}.`)
  seals.check(sealedQuote(quote), quote.seal)
  return quote
}
