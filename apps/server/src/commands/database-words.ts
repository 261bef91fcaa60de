import {
  isPoolerRefusal,
  NO_TLS_OFFERED,
  ReadOnlyDatabaseError,
  sqlState,
  UNKNOWN_AUTHORITY_CODES,
} from '../db/errors.ts'

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
  if (isPoolerRefusal(error)) {
    return `DATABASE_URL leads to a pooler that refuses the settings each connection brings along (${error.message}). Name the PostgreSQL server itself, as the service keeps connections by its own pool.`
  }
  const tls = tlsWords(error)
  if (tls !== undefined) return tls
  switch (sqlState(error)) {
    case '3D000':
      return `The database that DATABASE_URL names does not exist (${error.message}). Create it, with encoding UTF8.`
    case '28000':
    case '28P01':
      return `The server of DATABASE_URL refuses its user or password (${error.message}).`
    case '42501':
      return `The user of DATABASE_URL may not make our tables (${error.message}). Make it the owner of the database, or grant it CREATE on the database, and USAGE and CREATE on its schema public.`
    default:
      return undefined
  }
}

/** What the driver says of a TLS that does not come about names neither the database nor the parameter of the URL. */
function tlsWords(error: Error): string | undefined {
  if (error.message === NO_TLS_OFFERED) {
    return 'The server of DATABASE_URL offers no TLS, which its sslmode asks for. Turn it on there (ssl = on), or name the right server.'
  }
  const code = sqlState(error)
  if (code === '28000' && /no encryption$/.test(error.message)) {
    return `The server of DATABASE_URL takes this user over TLS only (${error.message}). Add ?sslmode=verify-full to the URL.`
  }
  if (UNKNOWN_AUTHORITY_CODES.has(code)) {
    return `The certificate of DATABASE_URL's server is of an authority that is not known here (${code}). Name that authority's certificate: &sslrootcert=FILE.`
  }
  switch (code) {
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `The certificate of DATABASE_URL's server is for another host (${error.message}). Write the host as the certificate has it.`
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return `The time of the certificate of DATABASE_URL's server is over, or has not come (${code}). Renew it, and look at this machine's clock.`
    default:
      return undefined
  }
}
