import type { RevokedEventData } from '@mintmark/contract'
import type { Captured } from '../db/command.ts'
import type { Session } from './store.ts'

/** That a session was revoked. What it was for ends with it, and has no event of its own. */
export function revokedEvent(session: Session, version: number): Captured<'session.revoked'> {
  const { merchantId, id, orderId } = session
  const data: RevokedEventData = {
    session_id: id,
    txn_id: session.kind === 'payment' ? session.chargeId : null,
    mandate_id: session.kind === 'mandate_setup' ? session.mandateId : null,
    order_id: orderId,
    external_order_ref: session.kind === 'enrollment' ? null : session.externalOrderRef,
    status: 'failed',
    failure_category: 'revoked',
    error_code: 'SESSION_REVOKED',
  }
  return { merchantId, type: 'session.revoked', resource: { type: 'session', id, version }, data }
}
