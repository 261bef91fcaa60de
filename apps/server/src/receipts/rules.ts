import type { EventType } from '@mintmark/contract'
import type { Receipt } from '@mintmark/contract/wire/receipts'

type Said = Pick<Receipt, 'act' | 'outcome'>

/** Events that a receipt is of. */
export const RECEIPT_EVENTS = [
  'payment.credentials_ready',
  'payment.succeeded',
  'payment.failed',
  'session.revoked',
  'mandate.created',
  'mandate.creation_failed',
  'mandate.creation_cancelled',
  'mandate.creation_expired',
  'mandate.paused',
  'mandate.resumed',
  'mandate.cancelled',
] as const satisfies readonly EventType[]
export type ReceiptEvent = (typeof RECEIPT_EVENTS)[number]

const MANDATE: Partial<Record<ReceiptEvent, Said>> = {
  'mandate.creation_failed': { act: 'refusal', outcome: 'refused' },
  'mandate.creation_cancelled': { act: 'denial', outcome: 'denied' },
  'mandate.creation_expired': { act: 'refusal', outcome: 'refused' },
  'mandate.paused': { act: 'revocation', outcome: 'paused' },
  'mandate.resumed': { act: 'approval', outcome: 'allowed' },
  'mandate.cancelled': { act: 'revocation', outcome: 'ended' },
}

/** What happened to a permission; null: its receipt is that of the approval. */
export const saidOfMandate = (type: ReceiptEvent): Said | null => MANDATE[type] ?? null

/** What happened to a payment. One whose number was made and that failed gives its amount back. */
export function saidOfPayment(type: ReceiptEvent, code: string | null, hadNumber: boolean): Said | null {
  switch (type) {
    case 'payment.credentials_ready':
      return { act: 'charge', outcome: 'number_made' }
    case 'payment.succeeded':
      return { act: 'charge', outcome: 'paid' }
    case 'payment.failed':
      return saidOfFailure(code, hadNumber)
    case 'session.revoked':
      return { act: 'revocation', outcome: 'ended' }
    default:
      return null
  }
}

function saidOfFailure(code: string | null, hadNumber: boolean): Said {
  if (code === 'CANCELLED' || code === 'OWNER_DENIED') return { act: 'denial', outcome: 'denied' }
  if (code === 'SESSION_REVOKED') return { act: 'revocation', outcome: 'ended' }
  return hadNumber ? { act: 'return', outcome: 'given_back' } : { act: 'refusal', outcome: 'refused' }
}
