import type { RevokedEventData } from '@mintmark/contract'
import type { Captured } from '../db/command.ts'
import type { Session } from './store.ts'

/** That a session was revoked. What it was for ends with it, and has no event of its own. */
export function revokedEvent(session: Session, version: number): Captured<'session.revoked'> {
  const { merchantId, id, orderId, externalOrderRef } = session
  const isPayment = session.kind === 'payment'
  const data: RevokedEventData = {
    session_id: id,
    txn_id: isPayment ? session.chargeId : null,
    mandate_id: isPayment ? null : session.mandateId,
    order_id: orderId,
    external_order_ref: externalOrderRef,
    status: 'failed',
    failure_category: 'revoked',
    error_code: 'SESSION_REVOKED',
  }
  return { merchantId, type: 'session.revoked', resource: { type: 'session', id, version }, data }
}
