// Guarantee: a database that cannot be reached is known for that also where a pooler says it, and a mistake of ours is not taken for it.
import { createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { isDatabaseUnavailable, isNullRefused } from './errors.ts'
import { closePool, createPool } from './pool.ts'

/** What a server says that ends the connection, in the form of the protocol. */
function fatal(code: string, message: string): Buffer {
  const fields = ['SFATAL', 'VFATAL', `C${code}`, `M${message}`, ''].join('\0')
  const body = Buffer.from(`${fields}\0`, 'latin1')
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

test.each([
  ['08P01', 'query_wait_timeout'],
  ['08P01', 'server login has been failing, try again later (server_login_retry)'],
  ['08P01', 'no more connections allowed (max_client_conn)'],
  ['53300', 'sorry, too many clients already'],
  ['28P01', 'password authentication failed for user "one"'],
  ['28000', 'no pg_hba.conf entry for host "127.0.0.1", user "one", database "one", no encryption'],
  ['3D000', 'database "one" does not exist'],
  ['42501', 'permission denied for database "one"'],
])('who is told %s, %s, has no database', async (code, message) => {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(fatal(code, message)))
  })
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
  })
  const connection = { host: '127.0.0.1', port, user: 'one', password: 'secret', database: 'one' }
  const pool = createPool({ connection, log: { warn: () => undefined } })
  try {
    const error: unknown = await pool.query('select 1').catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code, severity: 'FATAL' })
    expect(isDatabaseUnavailable(error)).toBe(true)
  } finally {
    await closePool(pool)
    server.close()
  }
})

test('a server whose certificate has ended, or is of nobody who is known, is away', () => {
  for (const code of ['CERT_HAS_EXPIRED', 'SELF_SIGNED_CERT_IN_CHAIN', 'ERR_TLS_CERT_ALTNAME_INVALID']) {
    expect(isDatabaseUnavailable(Object.assign(new Error('no'), { code }))).toBe(true)
  }
})

test('a table that is not for us is no server that does not let us in', () => {
  const error = Object.assign(new Error('permission denied for table cards'), { code: '42501', severity: 'ERROR' })
  expect(isDatabaseUnavailable(error)).toBe(false)
})

test('a statement that was sent wrongly is no database that is away', () => {
  const error = Object.assign(new Error('bind message supplies 1 parameters'), { code: '08P01', severity: 'ERROR' })
  expect(isDatabaseUnavailable(error)).toBe(false)
})

test.each([
  [true, '23502', 'approvals', 'passkey_id'],
  // A part of it, on an engine that distributes.
  [true, '23502', 'approvals_102008', 'passkey_id'],
  [false, '23502', 'approvals', 'terms'],
  [false, '23502', 'old_approvals', 'passkey_id'],
  [false, '23514', 'approvals', 'passkey_id'],
])('that a null was refused there is %s for %s of %s.%s', (expected, code, table, column) => {
  const error = Object.assign(new Error('null value'), { code, table, column })
  expect(isNullRefused(error, 'approvals', 'passkey_id')).toBe(expected)
})
