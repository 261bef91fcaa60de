/**
 * A condition, always true: the transaction is committed without waiting for the disk. A commit that waits has all
 * before it on disk, so what is lost with a crash of the database is lost only if nothing was kept that came after it.
 * Which statements may do so, and why: `distribution.test.ts`, ADR 0059.
 */
export const UNAWAITED = `set_config('synchronous_commit', 'off', true) is not null`
