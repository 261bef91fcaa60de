import { ReadOnlyDatabaseError, sqlState } from '../db/errors.ts'

/**
 * Words for an operator whose database cannot be used at the start; undefined for an error that names what is wrong by
 * itself. The driver's own words do not say which setting is meant.
 */
export function explainDatabaseError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error instanceof ReadOnlyDatabaseError) {
    return 'The server of DATABASE_URL takes no writes: it is a standby, or default_transaction_read_only is on. Name the primary.'
  }
  if (error instanceof TypeError && error.message === 'Invalid URL') {
    return 'DATABASE_URL is not a valid URL: write postgres://user:password@host:port/database, with special characters percent-encoded.'
  }
  switch (sqlState(error)) {
    case '3D000':
      return `The database that DATABASE_URL names does not exist (${error.message}). Create it, with encoding UTF8.`
    case '28000':
    case '28P01':
      return `The server of DATABASE_URL refuses its user or password (${error.message}).`
    case '42501':
      return `The user of DATABASE_URL may not make our tables (${error.message}). Make it the owner of the database, or grant it CREATE on schema public.`
    default:
      return undefined
  }
}
