import type { CeremonyOwner, CeremonyScope } from '../passkeys/service.ts'
import type { Session } from './store.ts'
import type { SurfaceCaller } from './token.ts'

/** Whose ceremony, and for what, as far as the token says it. */
export function ownerOf({
  merchantId,
  customerId,
  sessionId,
}: Omit<SurfaceCaller, 'enrolls' | 'plain'>): CeremonyOwner {
  return { merchantId, customerId, subject: { type: 'session', id: sessionId } }
}

/** The same of a session that was read, with the origins that may frame it. */
export function scopeOf(session: Session & { allowedOrigins: string[] }): CeremonyScope {
  const { merchantId, customerId, id: sessionId, allowedOrigins } = session
  return { ...ownerOf({ merchantId, customerId, sessionId }), allowedOrigins }
}
