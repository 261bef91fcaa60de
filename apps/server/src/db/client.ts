import { Client, type ClientBase, type ClientConfig } from 'pg'
import { type Connection, targetOf } from './pool.ts'

/** A connection that is not of a pool, and not open yet. The server lists it by its `application_name`. */
export function createClient(connection: Connection, settings: ClientConfig & { application_name: string }): Client {
  const client = new Client({ ...targetOf(connection), ...settings })
  // What runs on it rejects as well; without a listener a connection that is lost would end the program.
  client.on('error', () => undefined)
  return client
}

/** How long the server has to say that the connection is at its end. */
const END_MILLIS = 1_000

/**
 * Ends a connection that is not of a pool. One that is dead and does not say so (half-open TCP) takes the farewell and
 * returns none: it is cut off, or whoever stops would wait until the kernel gives it up.
 */
export async function endClient(client: ClientBase & { end(): Promise<void> }): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>()
  const timer = setTimeout(resolve, END_MILLIS, 'late')
  const ended = client.end().catch(() => undefined)
  if ((await Promise.race([ended, late])) === 'late') streamOf(client).destroy()
  clearTimeout(timer)
}

/** The driver's own. */
function streamOf(client: ClientBase): { destroy(): void } {
  return (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream
}
