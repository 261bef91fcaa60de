import type { MintmarkEvent } from '@mintmark/node'
import type { Inbox } from './inbox.ts'

/**
 * What the shop does about an event, once for each. It runs in the transaction that closes the event. What leaves the
 * machine (a mail, a parcel) cannot be in a transaction: such work carries the event's id as its own idempotency key.
 */
export function work(inbox: Pick<Inbox, 'savePayment'>, event: MintmarkEvent): void {
  // Asked for by a developer; its data is an example.
  if (event.test === true) return
  switch (event.type) {
    case 'payment.credentials_ready':
    case 'payment.succeeded':
    case 'payment.failed':
      inbox.savePayment(event.resource.id, event.data.status, event.data.amount.value, event.resource.version)
      return
    default:
      // Nothing to do about the others, nor about kinds that are not known yet.
      return
  }
}
