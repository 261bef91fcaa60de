import { setTimeout as delay } from 'node:timers/promises'
import type { EventType } from '@mintmark/node'
import { readAccount } from './account.ts'
import { type Api, createApi, type Json } from './api.ts'
import { type Cause, TRIGGERS } from './journeys.ts'
import type { Terminal } from './terminal.ts'

/** An event is in the feed within a second of its cause, unless the service is busy. */
const WAIT_MILLIS = 30_000
const POLL_MILLIS = 200

/** Brings an event about in the sandbox, and waits until the feed has it. */
export async function trigger(type: EventType, { env, say, tell, paint, stopped }: Terminal): Promise<void> {
  const journey = TRIGGERS[type]
  if (typeof journey === 'string') throw new Error(`${type} cannot be triggered. ${journey}`)
  const api = createApi(await readAccount(env), stopped)
  const cause = await journey(api, (step) => say(paint('dim', step)))
  const id = await eventOf(api, type, cause, stopped)
  if (tell === undefined) say(`${paint('green', type)}  ${id}`)
  else tell({ type, event_id: id })
}

async function eventOf(api: Api, type: EventType, { resourceId, from }: Cause, stopped: AbortSignal): Promise<Json> {
  const query = new URLSearchParams({ type })
  if (resourceId !== undefined) query.set('resource_id', resourceId)
  if (from !== undefined) query.set('from', from)
  const deadline = performance.now() + WAIT_MILLIS
  while (performance.now() < deadline) {
    const { body } = await api.get(`/v1/events?${query}`)
    const event = body.data?.[0]
    if (event?.id !== undefined) return event.id
    // A page looks at a bounded part of the feed: one that is empty and leads on says nothing of what comes after it.
    if (typeof body.next_cursor === 'string') query.set('cursor', body.next_cursor)
    else await delay(POLL_MILLIS, undefined, { signal: stopped }).catch(() => stopped.throwIfAborted())
  }
  throw new Error(
    `It was brought about, but the feed has no ${type} after ${WAIT_MILLIS / 1000} s. Does a worker run (mintmark all, or mintmark worker)?`,
  )
}
