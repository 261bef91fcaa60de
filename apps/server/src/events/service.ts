import { type Environment, EVENT_SCHEMA_VERSION } from '@mintmark/contract'
import type { Captured, EventSink } from '../db/command.ts'
import { newId } from '../platform/ids.ts'
import { insertEvent } from './store.ts'

interface Deps {
  environment: Environment
}

/** Where commands put their events. The bytes of a body are fixed here, for every retry, replay and read. */
export function createEventSink(deps: Deps): EventSink {
  return {
    async append(tx, events, at) {
      for (const event of events) {
        const id = newId('event')
        const { merchantId, type, resource } = event
        await insertEvent(tx, {
          merchantId,
          id,
          type,
          resourceType: resource.type,
          resourceId: resource.id,
          resourceVersion: resource.version,
          body: bodyOf(deps, id, event, at),
          at,
        })
      }
    },
  }
}

/** The body of an event, as every reader gets it. */
export function bodyOf({ environment }: Deps, id: string, { merchantId, type, resource, data }: Captured, at: Date) {
  return JSON.stringify({
    id,
    type,
    schema_version: EVENT_SCHEMA_VERSION,
    occurred_at: at.toISOString(),
    environment,
    account_id: merchantId,
    resource,
    data,
  })
}
