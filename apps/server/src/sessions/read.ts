import type { SessionDeps, SessionRef } from './deps.ts'
import { findPlain, findPlainOnSurface } from './plain-store.ts'
import { isPlain } from './rules.ts'
import { findSession, type Session } from './store.ts'
import type { SurfaceSession } from './surface-store.ts'
import * as surface from './surface-store.ts'

// Which statement reads a session.

/** A session, and whether it is plain, where that is known. */
export type ReadRef = SessionRef & { plain?: boolean }

/** What its merchant reads. */
export function findOfMerchant({ pool }: SessionDeps, { merchantId, sessionId, plain }: ReadRef) {
  const place = { merchantId, sessionId }
  return plainOr<Session>(
    { sessionId, plain },
    () => findPlain(pool, place),
    () => findSession(pool, place),
  )
}

/** All that the cardholder's page looks at or shows. */
export function findOnSurface({ pool, clock }: SessionDeps, { merchantId, sessionId, plain }: ReadRef) {
  const place = { merchantId, sessionId, at: clock.now() }
  return plainOr<SurfaceSession>(
    { sessionId, plain },
    () => findPlainOnSurface(pool, place),
    () => surface.findOnSurface(pool, place),
  )
}

/** Sessions that this process has found not to be plain, which none becomes; the oldest makes room. */
const others = new Set<string>()
const MOST_OTHERS = 10_000

/** Takes the session for a plain one, unless it is known not to be: of another one the first read of a process may be two. */
async function plainOr<S extends Session>(
  { sessionId, plain }: { sessionId: string; plain: boolean | undefined },
  findPlain: () => Promise<S | undefined>,
  findAny: () => Promise<S | undefined>,
): Promise<S | undefined> {
  if (plain === false || others.has(sessionId)) return findAny()
  const found = (await findPlain()) ?? (await findAny())
  if (found === undefined || isPlain(found)) return found
  if (others.size >= MOST_OTHERS) others.delete(others.values().next().value ?? '')
  others.add(sessionId)
  return found
}
