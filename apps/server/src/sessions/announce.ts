import type { EventType, PaymentFailure } from '@mintmark/contract'
import type { Tx } from '../db/transaction.ts'
import type { SessionDeps } from './deps.ts'
import type { ChangedSession } from './store.ts'

/** Captures what happened to a session's payment, in the transaction in which it happened. */
export async function announce(
  deps: Pick<SessionDeps, 'events'>,
  tx: Tx,
  type: EventType,
  session: ChangedSession,
  facts: { chargeId: string; failure?: PaymentFailure },
  at: Date,
): Promise<void> {
  await deps.events.capture(tx, {
    merchantId: session.merchant_id,
    type,
    resource: { type: 'session', id: session.id, version: session.version },
    data: {
      session_id: session.id,
      order_id: session.order_id,
      external_order_ref: session.external_order_ref,
      txn_id: facts.chargeId,
      error_code: facts.failure ?? null,
    },
    at,
  })
}
