// Guarantee: whatever is sent to the page of owners and to every tool of the tool protocol, no card is in an answer, and no number that was typed, no
// session of an owner, no code and no address of theirs is in an error or a log; the database has only the hash of a session.
import { afterAll, expect, test } from 'vitest'
import type { Route } from '../src/http/route.ts'
import { bodiesOf, startMailServer } from '../src/mail/testing/mail-server.ts'
import { askFor, completeFor, linkedAgent } from './agents.ts'
import { LeakScan, needle } from './leak-scan.ts'
import { newOwner, sandboxOwner } from './owners.ts'
import { ALL, callTool, keyedClient, rpc, startToolParty } from './tool-clients.ts'

/** Entered by an owner. */
const CARD_NUMBER = '5105105105105100'
/** Typed where no number belongs. */
const TYPED = '4012888888881881'
const ADDRESS = 'hidden-77ac@owners.example'

const errors: string[] = []
const answers: string[] = []
const mails = await startMailServer()
const limits = { RATE_LIMIT_FAILED_AUTHENTICATION: '100000', RATE_LIMIT_OWNER_SIGN_IN: '100000' }
const party = await startToolParty({ logs: 'debug', env: { ...limits, SMTP_URL: mails.url } })
const { service, clientId, lines: logged } = party
afterAll(async () => {
  await party.close()
  await mails.stop()
})

/** Each text of the body replaced, a member that is none, a name that is a number, and what is no JSON. */
function hostileBodies({ body }: Route): string[] {
  const names = Object.keys((body as { properties?: object } | undefined)?.properties ?? {})
  const whole = Object.fromEntries(names.map((name) => [name, TYPED]))
  const odd = names.map((name) => JSON.stringify({ ...whole, [name]: { [TYPED]: TYPED } }))
  return [JSON.stringify(whole), JSON.stringify({ ...whole, [TYPED]: TYPED }), `{"a":"${TYPED}`, TYPED, ...odd]
}

async function send(path: string, method: string, headers: Record<string, string>, body?: string): Promise<void> {
  const content = body === undefined ? {} : { body }
  const init = { method, headers: { ...headers, 'content-type': 'application/json' }, ...content }
  const response = await fetch(service.ownerUrl + path, init)
  const text = await response.text()
  answers.push(text, JSON.stringify([...response.headers]))
  if (response.status >= 400) errors.push(text)
}

test('at the page of owners, by one who is told by mail and has a card, and by a stranger', async () => {
  const agent = await linkedAgent(service, { owner: 'leaks' })
  const asked = await askFor(agent)
  expect((await completeFor(service, asked.body.session_id, { card_number: CARD_NUMBER })).status).toBe(200)
  const owner = await sandboxOwner(service, agent.agentId)
  expect((await owner.post('/api/mail', { email: ADDRESS })).status).toBe(200)
  await service.runJobs()
  const [, code = ''] = /^Code: (\d{6})$/m.exec(bodiesOf(mails.received.at(-1) ?? { text: '' }).plain) ?? []
  for (const typed of ['000000', code])
    answers.push(JSON.stringify((await owner.post('/api/mail/confirm', { code: typed })).body))
  const stranger = await newOwner(service)
  const rows = service.app.ownerRoutes.filter(({ operationId }) => operationId !== 'signOut')
  expect(rows.length).toBeGreaterThan(15)
  for (const row of rows) {
    for (const { cookie } of [owner, stranger, { cookie: `mintmark_owner=${TYPED}` }]) {
      const headers = { cookie, origin: service.ownerUrl }
      const path = row.path.replaceAll(/:\w+/g, row.path.includes('/agents/') ? agent.agentId : TYPED)
      // It is looked at and published, and not ended before the others were asked.
      if (row.operationId === 'revokeAgent' && cookie === owner.cookie) continue
      if (row.body === undefined) await send(path, row.method, headers)
      else for (const body of hostileBodies(row)) await send(path, row.method, headers, body)
      await send(`/api/${TYPED}?a=${TYPED}`, 'GET', headers)
    }
  }
  answers.push(JSON.stringify((await owner.get('/api/home')).body))
  const token = owner.cookie.split('=')[1] ?? ''
  const secrets = [needle('session of an owner', token), needle('entered number', CARD_NUMBER)]
  const inLog = new LeakScan([
    ...secrets,
    needle('typed number', TYPED),
    needle('address', ADDRESS),
    needle('code', ` ${code} `),
  ])
  expect(logged.length).toBeGreaterThan(0)
  for (const line of logged) inLog.text('log', line)
  for (const error of errors) inLog.text('error', error)
  expect([...inLog.found]).toEqual([])
  const inAnswers = new LeakScan(secrets)
  for (const answer of answers) inAnswers.text('answer', answer)
  expect([...inAnswers.found]).toEqual([])
  const inDatabase = new LeakScan([...secrets, needle('address', ADDRESS)])
  await inDatabase.database(service.pool)
  // The hash of a random token, by which it is found; the address was forgotten when the mails were stopped.
  expect([...inDatabase.found]).toEqual(['session of an owner in public.owner_sessions.digest'])
})

test('by every tool of the tool protocol', async () => {
  // With a key, so that it is offered all of them.
  const client = await keyedClient(service, { clientId, scope: ALL })
  const { tools } = (await rpc(service, client.token, 'tools/list')).body.result
  expect(tools.map(({ name }: { name: string }) => name)).toContain('request_purchase')
  const said: string[] = []
  for (const { name, inputSchema } of tools) {
    const names = Object.keys(inputSchema.properties ?? {})
    const whole = Object.fromEntries(names.map((field) => [field, TYPED]))
    for (const given of [{}, whole, { [TYPED]: TYPED }, ...names.map((field) => ({ [field]: { [TYPED]: [TYPED] } }))]) {
      said.push(JSON.stringify((await callTool(service, client.token, name, given)).body))
    }
  }
  const found = new LeakScan([needle('entered number', CARD_NUMBER), needle('token', client.token)])
  for (const answer of said) found.text('answer', answer)
  const inLog = new LeakScan([
    needle('typed number', TYPED),
    needle('token', client.token),
    needle('entered number', CARD_NUMBER),
  ])
  expect(logged.length).toBeGreaterThan(0)
  for (const line of logged) inLog.text('log', line)
  expect([...found.found, ...inLog.found]).toEqual([])
})
