// Guarantee: a database whose TLS does not come about is told in one line that names the setting, and what to do.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { createLog } from '../platform/log.ts'
import { explainDatabaseError } from './database-words.ts'
import { openFoundation } from './foundation.ts'

let directory: string
let certFile: string
let options: { key: string; cert: string }
let server: Server | undefined
const sockets = new Set<Socket>()
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'mintmark-tls-words-'))
  const keyFile = join(directory, 'key.pem')
  certFile = join(directory, 'cert.pem')
  execFileSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-subj', '/CN=db.example', '-addext', 'subjectAltName=DNS:db.example', '-keyout', keyFile, '-out', certFile],
  ])
  options = { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') }
})
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  server?.close()
})
afterAll(() => rmSync(directory, { recursive: true }))

/**
 * A server that answers the first question of a driver, whether there is TLS, and says no more. Returns the URL of it.
 */
async function listen(hasTls: boolean, parameters: string): Promise<string> {
  server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write(hasTls ? 'S' : 'N')
      if (hasTls) new TLSSocket(socket, { isServer: true, ...options }).on('error', () => undefined)
    })
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return `postgres://mintmark:x@127.0.0.1:${(server.address() as AddressInfo).port}/mintmark?${parameters}`
}

test('a pooler that refuses our settings is named at once, not waited for', async () => {
  const fields = ['SFATAL', 'VFATAL', 'C08P01', 'Munsupported startup parameter: statement_timeout', '', ''].join('\0')
  const head = Buffer.from('E0000')
  head.writeInt32BE(4 + Buffer.byteLength(fields), 1)
  server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(Buffer.concat([head, Buffer.from(fields)])))
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const config = readConfig({ DATABASE_URL: `postgres://mintmark:x@127.0.0.1:${port}/mintmark` })
  const opened = openFoundation(config, createLog({ level: 'silent' }), { waitForDatabase: true })
  await expect(opened).rejects.toThrow(/pooler that refuses .*statement_timeout\)\. Name the PostgreSQL server itself/)
})

test.each([
  ['offers none', false, () => '', 'The server of DATABASE_URL offers no TLS, which its sslmode asks for. Turn it on'],
  [
    'is of an unknown authority',
    true,
    () => '',
    'is of an authority that is not known here (DEPTH_ZERO_SELF_SIGNED_CERT',
  ],
  [
    'is for another host',
    true,
    () => `&sslrootcert=${certFile}`,
    "The certificate of DATABASE_URL's server is for another",
  ],
])('a server that %s', async (_what, hasTls, more, words) => {
  const url = await listen(hasTls, `sslmode=verify-full${more()}`)
  const config = readConfig({ MINTMARK_HOME: join(directory, 'home'), DATABASE_URL: url })
  const failed = await openFoundation(config, createLog({ level: 'silent' })).catch((error: Error) => error.message)
  expect(failed).toContain(words)
  expect(failed).not.toContain('\n')
})

test.each([
  ['CERT_HAS_EXPIRED', 'certificate has expired', /Renew it, and look at this machine's clock\.$/],
  [
    '28000',
    'no pg_hba.conf entry for host "10.0.0.9", user "m", database "m", no encryption',
    /Add \?sslmode=verify-full/,
  ],
  ['28000', 'no pg_hba.conf entry for host "10.0.0.9", user "m", database "m", SSL encryption', /refuses its user/],
])('%s: %s', (code, message, words) => {
  expect(explainDatabaseError(Object.assign(new Error(message), { code }))).toMatch(words)
})
