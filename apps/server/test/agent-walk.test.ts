// Guarantee: an agent calls what is for agents, of its own things, and nothing else: on every other route of every host it is answered as a caller
// without a credential, and one that was revoked may report and nothing more. A row added tomorrow is walked tomorrow.
import { signRequest } from '@mintmark/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { credentialsOf, isOpen } from '../src/http/credential.ts'
import type { Route } from '../src/http/route.ts'
import { askFor, type LinkedAgent, linkedAgent, mandateOf, newAgent, type TestAgent } from './agents.ts'
import { PATIENT, startTestService, type TestService } from './service.ts'

let service: TestService
let agent: LinkedAgent
let sibling: LinkedAgent
let strangersAgent: LinkedAgent
let revoked: LinkedAgent
beforeAll(async () => {
  service = await startTestService({ env: { ...PATIENT, RATE_LIMIT_FAILED_AUTHENTICATION: '1000000' } })
  agent = await linkedAgent(service)
  sibling = await linkedAgent(service)
  strangersAgent = await linkedAgent(service, { owner: 'owner-2' })
  revoked = await linkedAgent(service)
})
afterAll(() => service?.close())

const AGENTS_OWN = ['agent_signature', 'reporting_agent_signature', 'linking_signature']
const takesAgents = ({ auth }: Route, names = AGENTS_OWN) =>
  credentialsOf(auth).some(({ name }) => names.includes(name))

/** Every route of every host that is not for agents, with the address of its host. */
const rows = () =>
  [
    ...service.app.apiRoutes.map((row) => ({ row, origin: service.apiUrl })),
    ...service.app.walletRoutes.map((row) => ({ row, origin: service.walletUrl })),
    ...service.app.surfaceRoutes.map((row) => ({ row, origin: service.surfaceUrl })),
  ].filter(({ row }) => !isOpen(row.auth))

interface Sent {
  row: Route
  origin: string
  params?: Record<string, string>
  body?: object
}

/** What a request is answered, without what is different each time; signed by `by`, or not at all. */
async function answered({ row, origin, params = {}, body = {} }: Sent, by: TestAgent | null) {
  const path = row.path.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? 'none')
  const text = row.method === 'GET' ? undefined : JSON.stringify(body)
  const request = { method: row.method, url: origin + path, ...(text !== undefined && { body: text }) }
  const headers =
    by === null ? {} : signRequest(request, { privateKey: by.privateKey, ...(by.keyId && { keyId: by.keyId }) })
  const content = text === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(request.url, {
    method: row.method,
    headers: { ...headers, ...content },
    ...(text && { body: text }),
  })
  const id = response.headers.get('x-response-id') ?? 'none'
  const said = (await response.text()).replaceAll(id, 'id').replaceAll(/"timestamp":"[^"]+"/g, '"timestamp"')
  return { status: response.status, challenges: response.headers.get('www-authenticate'), said }
}

test('on a route that is not for agents, none is told from somebody without a credential', async () => {
  await service.app.agentOperations.revoke(revoked.agentId)
  const others = rows().filter(({ row }) => !takesAgents(row))
  expect(others.length).toBeGreaterThan(60)
  for (const sent of others) {
    const what = `${sent.row.method} ${sent.row.path}`
    const nobody = await answered(sent, null)
    expect([401, 403], what).toContain(nobody.status)
    for (const one of [agent, revoked, newAgent(service)]) expect(await answered(sent, one), what).toEqual(nobody)
  }
})

/** What is a right body where an empty one is none. */
const BODIES: Readonly<Record<string, object>> = {
  chargeMandate: { amount: '1.00' },
  reportCharge: { txn_status: 'APPROVED', txn_type: 'PURCHASE' },
  reportAgentStatus: { txn_ref_id: 'tli_1', txn_status: 'APPROVED' },
}
const forAgents = (names: string[]) =>
  rows()
    .filter(({ row }) => takesAgents(row, names))
    .map((sent) => ({ ...sent, body: BODIES[sent.row.operationId] ?? {} }))

test('on a route for agents, one that was revoked is told from nobody, but where it reports', async () => {
  const routes = forAgents(['agent_signature'])
  expect(routes.map(({ row }) => row.operationId)).toContain('chargeMandate')
  for (const sent of routes) {
    const { status, said } = await answered(sent, revoked)
    expect([status, JSON.parse(said).error.details.reason], sent.row.operationId).toEqual([401, 'key_unknown'])
  }
  for (const sent of forAgents(['reporting_agent_signature'])) {
    expect((await answered(sent, revoked)).status, sent.row.operationId).toBe(404)
  }
})

test('a mandate of another agent is forbidden and a session of one is not there, whoever owns it', async () => {
  const named: { params: Record<string, string>; isTheirs: boolean }[] = []
  for (const other of [sibling, strangersAgent]) {
    const { session_id: sessionId } = (await askFor(other)).body
    named.push({ params: { mandateId: await mandateOf(service, other), sessionId }, isTheirs: true })
  }
  named.push({ params: { mandateId: 'mdt_nobodys', sessionId: 'sess_00000000000000000000000000' }, isTheirs: false })
  const naming = forAgents(['agent_signature', 'reporting_agent_signature']).filter(({ row }) =>
    /:(?:mandate|session)Id/.test(row.path),
  )
  expect(naming.length).toBeGreaterThan(7)
  for (const sent of naming) {
    for (const { params, isTheirs } of named) {
      const isForbidden = isTheirs && sent.row.path.includes(':mandateId')
      const { status } = await answered({ ...sent, params }, agent)
      expect(status, `${sent.row.operationId} ${JSON.stringify(params)}`).toBe(isForbidden ? 403 : 404)
    }
  }
})
