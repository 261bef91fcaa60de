/** A failure of the embedded PostgreSQL; its message is one line that says what is wrong and what to do. */
export class EmbeddedPostgresError extends Error {
  override readonly name: string = 'EmbeddedPostgresError'
}

/** The errno name of a failed system call (`EACCES`), or nothing for any other value. */
export function errorCode(error: unknown): string | undefined {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  return undefined
}

/** First line of any thrown value, fit for the middle of a one-line message. */
export function oneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.trim().split('\n', 1)[0] ?? ''
}

/** Turns whatever broke a start into the one-line error the operator reads. Declared errors pass unchanged. */
export function explainStartFailure(error: unknown, home: string): Error {
  if (error instanceof EmbeddedPostgresError) return error
  const code = errorCode(error)
  const advice =
    code === 'ENOSPC' || code === 'EDQUOT'
      ? 'free some disk space'
      : code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOTDIR' || code === 'ENOENT'
        ? 'make it writable for this user, or choose another directory with MINTMARK_HOME'
        : 'choose another directory with MINTMARK_HOME, or set DATABASE_URL to use your own PostgreSQL'
  return new EmbeddedPostgresError(`Cannot run PostgreSQL in ${home} (${oneLine(error)}): ${advice}.`, { cause: error })
}
