import { textOf } from '../platform/errors.ts'

/** read_only_sql_transaction: the server takes no writes now (a standby, or a primary being demoted). */
export const READ_ONLY = '25006'

/** The server reached is a standby or takes no writes. Carries the SQLSTATE of a refused write, so both look alike. */
export class ReadOnlyDatabaseError extends Error {
  override readonly name = 'ReadOnlyDatabaseError'
  readonly code = READ_ONLY

  constructor() {
    super('The database takes no writes: it is a standby, or default_transaction_read_only is on.')
  }
}

/** Committed here, but perhaps not where a failover would look. Re-read by key; do not run it again. */
export class UnknownCommitError extends Error {
  override readonly name = 'UnknownCommitError'
  /** transaction_resolution_unknown */
  readonly code = '08007'

  constructor() {
    super('The commit was not confirmed by the synchronous standby.')
  }
}

/** The database server cannot be used as it is; the message says what to change. Thrown at start-up only. */
export class UnsuitableServerError extends Error {
  override readonly name = 'UnsuitableServerError'
}

/** The migrations of this program and of the database do not fit; the message names the first that does not. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

/** The server's disk is full or broken, its memory used up, or a limit of its configuration reached. */
const OUT_OF_SPACE_CODES = new Set(['53000', '53100', '53200', '53400', '58030'])

/** True when a write failed because the server has no room for it. */
export function isOutOfSpace(error: unknown): boolean {
  return OUT_OF_SPACE_CODES.has(sqlState(error))
}

/**
 * Connection lost or refused, server starting, stopping, full or read-only; and the limits on waiting: lock (55P03) and
 * statement (57014) timeout, deadlock and serialisation failure that outlived their retries.
 */
const UNAVAILABLE_CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['08000', '08001', '08003', '08004', '08006', '08007', '57P01', '57P02', '57P03', '53300', '25006'],
  ...OUT_OF_SPACE_CODES,
  ...['55P03', '57014', '40001', '40P01'],
])

/** The driver gives these no code. */
const UNAVAILABLE_MESSAGE =
  /^(?:timeout exceeded when trying to connect|Connection terminated|Query read timeout|timeout expired|Client has encountered a connection error|Cannot use a pool after calling end|Client was closed)/

/**
 * PgBouncer says so of itself when it ends a connection: no server behind it answers, no room was made in time, or it has too many
 * clients. For a statement, where it is no end of the connection, it is a mistake in what was sent.
 */
const POOLER_GAVE_UP = '08P01'

/** PgBouncer's words for settings that it does not know: it refuses every connection of ours. */
const POOLER_REFUSES = /^unsupported startup parameter/

/** True when a pooler in front of the server refuses what each of our connections brings along. */
export function isPoolerRefusal(error: unknown): boolean {
  return sqlState(error) === POOLER_GAVE_UP && error instanceof Error && POOLER_REFUSES.test(error.message)
}

/** For a certificate whose authority is not known here. */
export const UNKNOWN_AUTHORITY_CODES = new Set([
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  ...['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
])
const CERTIFICATE_CODES = new Set([
  ...UNKNOWN_AUTHORITY_CODES,
  ...['ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'],
])
/** The driver's words, which have no code. */
export const NO_TLS_OFFERED = 'The server does not support SSL connections'
/** For the end of a connection: its user or password is refused, there is no such database, or it is not for this user. */
const REFUSED_CODES = new Set(['28000', '28P01', '3D000', '42501'])

/**
 * True when there is a server, and it does not let us in. At the start something is wrong with DATABASE_URL; later its password or
 * certificate was changed under us, which ends as an outage does.
 */
export function isLoginRefused(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = sqlState(error)
  if (CERTIFICATE_CODES.has(code) || error.message === NO_TLS_OFFERED || isPoolerRefusal(error)) return true
  return REFUSED_CODES.has(code) && textOf(error, 'severity') === 'FATAL'
}

/** True when an error says that the database cannot be reached or cannot answer now. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (isLoginRefused(error)) return true
  const code = sqlState(error)
  if (UNAVAILABLE_CODES.has(code) || UNAVAILABLE_MESSAGE.test(error.message)) return true
  if (code === POOLER_GAVE_UP && textOf(error, 'severity') === 'FATAL') return true
  // The socket file of a local server that is down.
  return (code === 'ENOENT' || code === 'EACCES') && textOf(error, 'syscall') === 'connect'
}

/** A lock was not to be had within the time that is waited for one. */
export const LOCK_NOT_AVAILABLE = '55P03'

/** Our schema has not been made yet. */
export const UNDEFINED_TABLE = '42P01'
export const UNIQUE_VIOLATION = '23505'

/** The SQLSTATE of a PostgreSQL error, or an empty string. */
export function sqlState(error: unknown): string {
  return textOf(error, 'code')
}

/**
 * True when the error is a violation of this constraint. A distributed engine names the constraints of its parts with a
 * number at the end (`charges_pkey_102008`).
 */
export function violates(error: unknown, constraint: string): boolean {
  return isPartOf(textOf(error, 'constraint'), constraint)
}

function isPartOf(name: string, whole: string): boolean {
  return new RegExp(`^${whole}(?:_\\d+)?$`).test(name)
}

const NOT_NULL_VIOLATION = '23502'

/** True when a row was refused because this column of it was null; parts of tables are named as those of constraints. */
export function isNullRefused(error: unknown, table: string, column: string): boolean {
  if (sqlState(error) !== NOT_NULL_VIOLATION) return false
  return isPartOf(textOf(error, 'table'), table) && textOf(error, 'column') === column
}

/**
 * The connection leads to a server that takes no writes (`faults.md` A6), or to one that has stopped answering, where a
 * ROLLBACK would only wait for one more time-out (A11); or its server has ended it. Closing it rolls back too.
 */
export function isUseless(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  return (
    sqlState(error) === READ_ONLY || error.message === 'Query read timeout' || textOf(error, 'severity') === 'FATAL'
  )
}
