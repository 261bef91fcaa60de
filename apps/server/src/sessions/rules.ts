import type {
  ApprovalStatement,
  ChargeStatus,
  LineItemStatus,
  PaymentFailure,
  SurfaceOutcome,
  TransactionStatus,
} from '@mintmark/contract'
import { amountFromMinor } from '../platform/money.ts'
import type { SessionRow } from './store.ts'

/** What must happen before a session is shown, because time passed. */
export function dueEnd(session: SessionRow, now: Date): 'expire' | 'lapse' | null {
  if (session.status === 'pending' && session.expires_at <= now) return 'expire'
  if (session.status !== 'awaiting_result' || session.reported_outcome !== null) return null
  return session.mandate_valid_until !== null && session.mandate_valid_until <= now ? 'lapse' : null
}

export const TRANSACTION_STATUS_OF: Record<ChargeStatus, TransactionStatus> = {
  initiated: 'initiated',
  minting: 'initiated',
  awaiting_result: 'awaiting_result',
  completed: 'completed',
  failed: 'failed',
}

export const LINE_ITEM_STATUS_OF: Record<ChargeStatus, LineItemStatus> = {
  initiated: 'pending',
  minting: 'pending',
  awaiting_result: 'credentials_generated',
  completed: 'completed',
  failed: 'failed',
}

/** How a session that the cardholder can do nothing more about looks to the cardholder; null while they can. */
export function outcomeFor(session: SessionRow): SurfaceOutcome | null {
  switch (session.status) {
    case 'pending':
    case 'processing':
      return null
    case 'awaiting_result':
    case 'completed':
      return 'approved'
    case 'failed':
      return FAILED_OUTCOMES[session.failure_code ?? 'PAYMENT_FAILED'] ?? 'failed'
  }
}

const FAILED_OUTCOMES: Partial<Record<PaymentFailure, SurfaceOutcome>> = {
  SESSION_EXPIRED: 'expired',
  SESSION_REVOKED: 'revoked',
  CANCELLED: 'cancelled',
  // Approved and minted; what the shop made of it afterwards is between the shop and the cardholder.
  MANDATE_EXPIRED: 'approved',
  PAYMENT_DECLINED: 'approved',
}

export interface StatementCard {
  id: string
  brand: string | null
  last4: string
}

/** The terms of this session with this card, as they are now; an issued challenge keeps them from changing. */
export function approvalStatement(session: SessionRow, card: StatementCard): ApprovalStatement {
  return {
    version: 1,
    type: 'payment',
    session_id: session.id,
    account_id: session.merchant_id,
    customer_id: session.customer_id,
    payee: { name: session.payee_name, url: session.payee_url, country: session.payee_country },
    amount: amountFromMinor(session.amount_minor),
    currency: session.currency,
    description: session.description,
    products: session.products.map(({ name, unitPrice, quantity }) => ({ name, unit_price: unitPrice, quantity })),
    card: { id: card.id, brand: card.brand, last4: card.last4 },
    charges: 1,
    valid_minutes: session.effective_minutes,
    approve_by: session.expires_at.toISOString(),
  }
}

/** Where hosted mode returns to: the merchant's address with the session's id added. */
export function returnUrl(session: Pick<SessionRow, 'id' | 'callback_url' | 'integration_type'>): string | null {
  if (session.callback_url === null || session.integration_type !== 'full_checkout') return null
  const url = new URL(session.callback_url)
  url.searchParams.set('session_id', session.id)
  return url.href
}
