import type { Pool } from 'pg'
import { holdingConnection } from './pool.ts'
import type { Queryable } from './statement.ts'

/**
 * Reads the database as it was at one moment, by any number of statements, whatever is committed meanwhile. It locks
 * nothing and can write nothing. As long as it lasts the server keeps every version of a row that it may still ask for:
 * it is for an operator's question, never for a request.
 */
export async function inSnapshot<T>(pool: Pool, read: (on: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin isolation level repeatable read read only')
    const result = await holdingConnection(() => read(client))
    await client.query('rollback')
    client.release()
    return result
  } catch (error) {
    // The end of the connection is the end of its transaction, whatever has become of that.
    client.release(true)
    throw error
  }
}
