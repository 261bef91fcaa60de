import type { QuoteDeps, QuoteRef } from './deps.ts'
import { merchantUnavailable, quoteAlreadyUsed, quoteAmountMismatch, quoteExpired, quoteNotFound } from './errors.ts'
import { findForUse, type QuoteRow } from './store.ts'

/** What somebody wants to pay for a quote, and when. */
export interface QuoteUse {
  amountMinor: bigint
  currency: string
  at: Date
}

/** Seconds: a shop is disabled by hand. */
const DISABLED_RETRY_SECONDS = 60

/**
 * The quote, if a session may be built from it now, for what it costs. Nobody has it by this: the statement that builds the session
 * claims it, and looks again.
 */
export async function usable(
  { pool }: Pick<QuoteDeps, 'pool'>,
  ref: QuoteRef,
  { amountMinor, currency, at }: QuoteUse,
): Promise<QuoteRow> {
  const quote = await findForUse(pool, { ...ref })
  if (quote === undefined) throw quoteNotFound()
  if (quote.sessionId !== null) throw quoteAlreadyUsed()
  if (quote.expiresAt <= at) throw quoteExpired()
  if (quote.totalMinor !== amountMinor || quote.currency !== currency) throw quoteAmountMismatch()
  if (quote.shopStatus !== 'active') throw merchantUnavailable({ retryAfterSeconds: DISABLED_RETRY_SECONDS })
  return quote
}
