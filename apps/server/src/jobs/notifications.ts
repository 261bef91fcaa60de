import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { createClient, endClient } from '../db/client.ts'
import { sqlState } from '../db/errors.ts'
import type { Connection } from '../db/pool.ts'
import type { Log } from '../platform/log.ts'
import { announce } from './presence.ts'

interface NotificationDeps {
  connection: Connection
  log: Log
  onNotification(name: string): void
  onConnected(): void
}

interface Notifications {
  /** Tells all processes, this one included, soon; names said together are sent together. */
  send(name: string): void
  stop(): Promise<void>
}

const CHANNEL = 'mintmark_jobs'
/** Between two notifications of one process, however many commits there are. */
const SEND_REST_MILLIS = 10
const CONNECT_TIMEOUT_MILLIS = 3_000
const SETTINGS = {
  application_name: 'mintmark-notifications',
  keepAlive: true,
  keepAliveInitialDelayMillis: 5_000,
  connectionTimeoutMillis: CONNECT_TIMEOUT_MILLIS,
  query_timeout: CONNECT_TIMEOUT_MILLIS,
}
const FIRST_RETRY_MILLIS = 500
const MAX_RETRY_MILLIS = 10_000

/**
 * One connection outside the pool that listens, sends, and shows that this process is there. It is opened again each time it is lost. Behind a pooler
 * of transactions LISTEN hears nothing: work is then found by polling, only later.
 */
export function startNotifications(deps: NotificationDeps): Notifications {
  const stopping = new AbortController()
  const pending = new Set<string>()
  let client: Client | undefined
  let sending = false

  const pause = (millis: number) => delay(millis, undefined, { signal: stopping.signal }).catch(() => undefined)

  async function flush(): Promise<void> {
    if (sending) return
    sending = true
    while (client !== undefined && pending.size > 0 && !stopping.signal.aborted) {
      const [names, line] = [[...pending], client]
      pending.clear()
      await notify(line, names).catch(() => {
        // A line that is dead and does not say so (half-open TCP) would be kept for a quarter of an hour, and nothing heard on it
        // either. The next one tells what this one did not.
        for (const name of names) pending.add(name)
        if (client === line) client = undefined
        void line.end().catch(() => undefined)
      })
      await pause(SEND_REST_MILLIS)
    }
    sending = false
  }

  async function keepConnected(): Promise<void> {
    for (let failures = 0; !stopping.signal.aborted; failures += 1) {
      const opened = await listen(deps, stopping.signal).catch((error: unknown) => {
        if (failures === 0) deps.log.warn('no connection for notifications', { sql_state: sqlState(error) })
      })
      if (opened !== undefined) {
        failures = 0
        client = opened.client
        deps.onConnected()
        void flush()
        await opened.lost
        client = undefined
        if (!stopping.signal.aborted) deps.log.warn('the connection for notifications was lost')
      }
      await pause(retryMillis(failures))
    }
  }

  const done = keepConnected()
  return {
    send(name) {
      pending.add(name)
      void flush()
    },
    async stop() {
      stopping.abort()
      if (client !== undefined) await endClient(client)
      await done
    },
  }
}

function retryMillis(failures: number): number {
  // Uneven, so that all processes do not reconnect in the same moment.
  return Math.min(MAX_RETRY_MILLIS, FIRST_RETRY_MILLIS * 2 ** failures) * (0.5 + Math.random() * 0.5)
}

async function listen({ connection, onNotification }: NotificationDeps, signal: AbortSignal) {
  const client = createClient(connection, SETTINGS)
  const { promise: lost, resolve } = Promise.withResolvers<void>()
  // It follows an error as well.
  client.on('end', () => resolve())
  client.on('notification', ({ payload = '' }) => onNotification(payload))
  try {
    await client.connect()
    await client.query(`listen ${CHANNEL}`)
    await announce(client)
    signal.throwIfAborted()
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
  return { client, lost }
}

/** Changes no row, so its commit waits for no disk. */
async function notify(client: Client, names: string[]): Promise<void> {
  await client.query(`select pg_notify('${CHANNEL}', name) from unnest($1::text[]) as name`, [names])
}
