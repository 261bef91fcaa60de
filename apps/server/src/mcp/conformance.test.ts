// Guarantee: what the protocol's own suite requires of a server holds in both revisions, except where a scenario calls tools that only a
// fixture has; each of those stands in `testing/conformance-….yaml` with its reason, and the suite says when one is there for nothing. What it
// requires of an authorization server holds without exception.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../test/processes/spawn.ts'
import {
  ALL,
  approve,
  begin,
  goOn,
  linkedClient,
  newBrowser,
  register,
  startToolParty,
} from '../../test/tool-clients.ts'

const SUITE = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
)
const expected = (revision: string) => join(import.meta.dirname, `testing/conformance-${revision}.yaml`)

const portOf = (server: Server) => (server.address() as AddressInfo).port

const party = await startToolParty({ isForCrowds: true })
const { service, documents, clientId } = party
let door: Server
let url: string
let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'mintmark-conformance-'))
  const { token } = await linkedClient(service, { clientId, scope: ALL })
  door = createServer((incoming, outgoing) => {
    // The suite knows no tokens: this is all that the door adds. A Host that it chose is left as it is.
    const { host = '' } = incoming.headers
    const isOwn = host === `localhost:${portOf(door)}` || host === `127.0.0.1:${portOf(door)}`
    const headers = {
      ...incoming.headers,
      authorization: `Bearer ${token}`,
      ...(isOwn && { host: new URL(service.apiUrl).host }),
    }
    const onwards = request(`${service.apiUrl}${incoming.url}`, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onwards.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onwards.destroy())
    incoming.pipe(onwards)
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  url = `http://localhost:${portOf(door)}/mcp`
})
afterAll(async () => {
  door?.closeAllConnections()
  door?.close()
  await party.close()
  await rm(home, { recursive: true })
})

test.each(['2026-07-28', '2025-11-25'])('the requirements of %s', async (revision) => {
  const args = [SUITE, 'server', '--url', url, '--requirements', revision, '--expected-failures', expected(revision)]
  const { code, said } = await new Promise<{ code: unknown; said: string }>((resolve) => {
    execFile(process.execPath, args, { cwd: home, maxBuffer: 16_000_000 }, (error, out, err) =>
      resolve({ code: error === null ? 0 : error.code, said: `${out}${err}` }),
    )
  })
  expect(code, said.slice(-6_000)).toBe(0)
  if (revision === '2026-07-28') expect(said).toContain('server-stateless: 24 passed, 4 failed')
})

test.each([
  ['that names itself by a document', describedAt],
  ['that has registered', registeredAt],
])('what it requires of an authorization server, as a client %s', async (_, clientAt) => {
  const port = await freePort()
  const back = `http://127.0.0.1:${port}/callback`
  const given = ['--resource', `${service.apiUrl}/mcp`, '--port', String(port), '--client-id', await clientAt(back)]
  const suite = spawn(process.execPath, [SUITE, 'authorization', '--url', service.apiUrl, ...given], { cwd: home })
  let said = ''
  let isAnswered = false
  const hear = async (bytes: Buffer) => {
    said += bytes
    const [, url] = /^(http\S+\/oauth\/authorize\?\S+)\n/m.exec(said) ?? []
    if (url === undefined || isAnswered) return
    isAnswered = true
    const browser = newBrowser()
    const told = await goOn(browser, await approve(service, await begin(browser, url)), back)
    await fetch(`${back}?${told}`)
  }
  for (const stream of [suite.stdout, suite.stderr]) {
    stream.on('data', (bytes: Buffer) => void hear(bytes).catch((error) => suite.emit('error', error)))
  }
  const [code] = await once(suite, 'close').finally(() => suite.kill())
  expect(code, said).toBe(0)
  expect(said).toContain('Total: 3 passed, 0 failed')
})

async function describedAt(back: string): Promise<string> {
  const id = documents.url(`/suite-${new URL(back).port}.json`)
  documents.answer.set(new URL(id).pathname, (respond) =>
    respond(200, JSON.stringify({ client_id: id, client_name: 'Suite', redirect_uris: [back] })),
  )
  return id
}

async function registeredAt(back: string): Promise<string> {
  return (await register(service, { redirect_uris: [back] })).body.client_id
}
