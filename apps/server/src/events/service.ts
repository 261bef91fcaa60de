import { EVENT_SCHEMA_VERSION, type EventType } from '@mintmark/contract'
import type { Tx } from '../db/transaction.ts'
import { newId } from '../platform/ids.ts'
import { insertEvent } from './store.ts'

export interface CapturedChange {
  merchantId: string
  type: EventType
  resource: { type: 'session'; id: string; version: number }
  /** Public facts only: never a credential, number, vault reference, email, address or a network's message. */
  data: Record<string, string | number | boolean | null>
  at: Date
}

export interface EventService {
  /** Writes the event in the transaction of its cause; its bytes are fixed here for every retry, replay and read. */
  capture(tx: Tx, change: CapturedChange): Promise<void>
}

export function createEventService(deps: { environment: 'sandbox' | 'production' }): EventService {
  return {
    async capture(tx, change) {
      const id = newId('event')
      const body = JSON.stringify({
        id,
        type: change.type,
        schema_version: EVENT_SCHEMA_VERSION,
        occurred_at: change.at.toISOString(),
        environment: deps.environment,
        account_id: change.merchantId,
        resource: change.resource,
        data: change.data,
      })
      await insertEvent(tx, {
        merchantId: change.merchantId,
        id,
        type: change.type,
        resourceType: change.resource.type,
        resourceId: change.resource.id,
        resourceVersion: change.resource.version,
        body,
        occurredAt: change.at,
      })
    },
  }
}
