/**
 * A failure of the embedded PostgreSQL. Its message is one line that says what is wrong and what to do. It speaks of
 * "the home" and of "your own PostgreSQL"; the caller knows by which settings an operator chooses them.
 */
export class EmbeddedPostgresError extends Error {
  override readonly name: string = 'EmbeddedPostgresError'
}

/** The errno name of a failed system call (`EACCES`); undefined for any other value. */
export function errorCode(error: unknown): string | undefined {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  return undefined
}

/** The first line of any thrown value, for use inside a one-line message. */
export function oneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.trim().split('\n', 1)[0] ?? ''
}

/**
 * Turns any failure of a start into the one-line error that the operator reads. Errors of this package pass unchanged.
 */
export function explainStartFailure(error: unknown, home: string): Error {
  if (error instanceof EmbeddedPostgresError) return error
  const code = errorCode(error)
  const advice =
    code === 'ENOSPC' || code === 'EDQUOT'
      ? 'free some disk space'
      : code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOTDIR' || code === 'ENOENT'
        ? 'make it writable for this user, or choose another home'
        : 'choose another home, or use your own PostgreSQL'
  return new EmbeddedPostgresError(`Cannot run PostgreSQL in ${home} (${oneLine(error)}): ${advice}.`, { cause: error })
}
