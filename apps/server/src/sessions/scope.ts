import type { RowOf } from '../db/row.ts'
import type { SHOWN_MERCHANT } from '../merchants/fragments.ts'
import { untouchedOrigins } from '../merchants/service.ts'
import type { CeremonyOwner, CeremonyScope } from '../passkeys/service.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import type { Session } from './store.ts'
import type { SurfaceCaller } from './token.ts'

/** Whose ceremony, and for what, as far as the token says it. */
export function ownerOf({ merchantId, customerId, sessionId }: Omit<SurfaceCaller, 'readAs'>): CeremonyOwner {
  return { merchantId, customerId, subject: { type: 'session', id: sessionId } }
}

/** The same of a session that was read. */
export function ownerIn({ merchantId, customerId, id: sessionId }: Session): CeremonyOwner {
  return ownerOf({ merchantId, customerId, sessionId })
}

/** The same with the origins that may frame it. */
export function scopeOf(deps: { seals: RowSeals }, session: Session & RowOf<typeof SHOWN_MERCHANT>): CeremonyScope {
  return { ...ownerIn(session), allowedOrigins: untouchedOrigins(deps, session) }
}
