import type { Pool } from 'pg'
import type { SessionDeps, SessionRef } from './deps.ts'
import type { RowName } from './fragments.ts'
import { enrollments } from './kinds/enrollment/store.ts'
import { setups } from './kinds/mandate-setup/store.ts'
import { payments } from './kinds/payment/store.ts'
import type { SurfaceSession } from './page/store.ts'
import type { Session } from './store.ts'

// Which statement reads a session.

/** By the row that a session is in. */
export const READS = { charge: payments, mandate: setups, enrollment: enrollments } as const

/** A session, and in which row it is, where that is known. */
export type ReadRef = SessionRef & { row?: RowName }

/** Asked of a token that does not say it. */
export const isPurchaseIn =
  (pool: Pool) =>
  async ({ merchantId, sessionId }: SessionRef) =>
    (await payments.find(pool, { merchantId, sessionId })) !== undefined

/** What its merchant reads. */
export function findOfMerchant({ pool }: Pick<SessionDeps, 'pool'>, ref: ReadRef): Promise<Session | undefined> {
  const { merchantId, sessionId } = ref
  return findIn<Session>(ref, (row) => READS[row].find(pool, { merchantId, sessionId }))
}

/** All that the cardholder's page looks at or shows. */
export function findOnSurface({ pool, clock }: SessionDeps, ref: ReadRef): Promise<SurfaceSession | undefined> {
  const { merchantId, sessionId } = ref
  return findIn<SurfaceSession>(ref, (row) =>
    READS[row].findOnSurface(pool, { merchantId, sessionId, at: clock.now() }),
  )
}

/** The rows of sessions that are no purchases, of those that this process has read; the oldest makes room. */
const others = new Map<string, RowName>()
const MAX_OTHERS = 10_000
/** Most are purchases. */
const IN_TURN: readonly RowName[] = ['charge', 'mandate', 'enrollment']

/** Looks where the session is; where that is not known, in one row after the other. No session changes its row. */
async function findIn<S>(
  { sessionId, row }: ReadRef,
  find: (row: RowName) => Promise<S | undefined>,
): Promise<S | undefined> {
  const known = row ?? others.get(sessionId)
  if (known !== undefined) return find(known)
  for (const name of IN_TURN) {
    const found = await find(name)
    if (found === undefined) continue
    if (name !== 'charge') remember(sessionId, name)
    return found
  }
  return undefined
}

function remember(sessionId: string, row: RowName): void {
  if (others.size >= MAX_OTHERS) others.delete(others.keys().next().value ?? '')
  others.set(sessionId, row)
}
