import { expect } from 'vitest'
import { blocked } from './flows.ts'
import type { TestService } from './service.ts'

/**
 * Holds what a statement locks from before `send` until something of it waits for that; then does `meanwhile`, commits, and returns
 * what came of `send`.
 */
export async function blockedBy<Sent>(
  service: TestService,
  [statement, values]: readonly [statement: string, values: readonly unknown[]],
  send: () => Promise<Sent>,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<Sent> {
  const client = await service.pool.connect()
  try {
    await client.query('begin')
    await client.query(statement, [...values])
    const sent = send()
    await expect.poll(() => blocked(service), { interval: 5 }).toBeGreaterThan(0)
    await meanwhile()
    await client.query('commit')
    return await sent
  } finally {
    client.release()
  }
}
