import { count, statement } from '../db/statement.ts'
import type { Tx } from '../db/transaction.ts'

const insert = statement(
  'events.insert',
  `insert into events (merchant_id, id, type, resource_type, resource_id, resource_version, body, occurred_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
)

export interface NewEvent {
  merchantId: string
  id: string
  type: string
  resourceType: string
  resourceId: string
  resourceVersion: number
  body: string
  occurredAt: Date
}

/** Exists if and only if the transaction commits. The unique version refuses a second event for one change. */
export async function insertEvent(tx: Tx, event: NewEvent): Promise<void> {
  await count(tx, insert, [
    event.merchantId,
    event.id,
    event.type,
    event.resourceType,
    event.resourceId,
    event.resourceVersion,
    event.body,
    event.occurredAt,
  ])
}
