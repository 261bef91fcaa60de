import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { LogLevel } from '../src/platform/log.ts'
import { approveLink, type LinkedAgent, linkedAgent } from './agents.ts'
import { keepLog } from './logged.ts'
import { freePort } from './processes/spawn.ts'
import { issue, trustTestAuthority } from './receivers/certificates.ts'
import { startTestService, type TestService } from './service.ts'

// Clients of the tool protocol, and browsers of owners, as they are seen from outside.

/** A service that is called by the name that its tokens are for. */
async function startToolService(options: ServiceOptions = {}): Promise<TestService> {
  const env = {
    API_URL: `http://localhost:${await freePort()}`,
    CLIENT_DOCUMENT_ALLOW_LOOPBACK: 'on',
    ...options.env,
  }
  return startTestService({ ...options, env })
}

/** All that a client may ask for. */
export const ALL = 'payments:read mandates:write checkout:write'

/** Where clients and owners meet in the tests of a file, which closes it. */
export interface ToolParty {
  service: TestService
  documents: Documents
  /** The document of a client that nothing is said of. */
  clientId: string
  /** The log of the service, where it was asked to keep one. */
  lines: string[]
  /** Another node of the service, which answers to the same name. The test that made it closes it. */
  startNode(options?: ServiceOptions): Promise<TestService>
  close(): Promise<void>
}

type ServiceOptions = NonNullable<Parameters<typeof startTestService>[0]>

/** `logs`: what of its log is kept. */
export async function startToolParty({
  logs = 'silent',
  ...options
}: Omit<ServiceOptions, 'log'> & { logs?: LogLevel } = {}): Promise<ToolParty> {
  const { log, lines } = keepLog(logs)
  const service = await startToolService({ ...options, log })
  const documents = await startDocuments()
  return {
    ...{ service, documents, lines, clientId: documents.url() },
    startNode({ env, ...more } = {}) {
      const shared = { ...options, database: service.database, log }
      return startToolService({ ...shared, ...more, env: { ...options.env, API_URL: service.config.apiUrl, ...env } })
    },
    async close() {
      await service.close()
      await documents.close()
    },
  }
}

export interface Documents {
  /** The address of a client's document, which is its name. */
  url(path?: string): string
  /** What is answered there instead of the document. */
  answer: Map<string, (respond: (status: number, body: string) => void) => void>
  asked: string[]
  close(): Promise<void>
}

export const REDIRECT = 'http://127.0.0.1:9/callback'

/** A host on this machine that describes clients. */
async function startDocuments(): Promise<Documents> {
  trustTestAuthority()
  const answer: Documents['answer'] = new Map()
  const asked: string[] = []
  const server: Server = createServer(issue({ names: ['localhost'] }), (request, response) => {
    const path = request.url ?? '/'
    asked.push(path)
    const url = `https://localhost:${(server.address() as AddressInfo).port}${path}`
    const respond = (status: number, body: string) =>
      response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere.json' }).end(body)
    const own = answer.get(path)
    if (own !== undefined) return own(respond)
    respond(200, JSON.stringify({ client_id: url, client_name: 'Pantry', redirect_uris: [REDIRECT] }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: (path = '/client.json') => `https://localhost:${(server.address() as AddressInfo).port}${path}`,
    answer,
    asked,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A browser: it keeps cookies for the paths that they are for, and is led on by hand. */
export function newBrowser() {
  const cookies = new Map<string, { value: string; path: string }>()
  return {
    cookies,
    async open(url: string, init: RequestInit = {}): Promise<Response> {
      const { pathname } = new URL(url)
      const cookie = [...cookies]
        .filter(([, { path }]) => pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`))
        .map(([key, { value }]) => `${key.split('@')[0]}=${value}`)
        .join('; ')
      const response = await fetch(url, {
        redirect: 'manual',
        ...init,
        headers: { ...(cookie === '' ? {} : { cookie }), ...(init.headers as Record<string, string> | undefined) },
      })
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        const [, path = '/'] = /;\s*path=([^;]*)/i.exec(line) ?? []
        if (value === '') cookies.delete(`${name}@${path}`)
        else cookies.set(`${name}@${path}`, { value, path })
      }
      return response
    },
  }
}
export type Browser = ReturnType<typeof newBrowser>

export const newVerifier = () => randomBytes(32).toString('base64url')
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

export interface AuthorizationRequest {
  clientId: string
  scope?: string
  verifier?: string
  changes?: Record<string, string | undefined>
}

export function authorizationUrl(
  service: Pick<TestService, 'apiUrl'>,
  { clientId, scope = 'payments:read', verifier = newVerifier(), changes = {} }: AuthorizationRequest,
): string {
  const params = {
    ...{ response_type: 'code', client_id: clientId, redirect_uri: REDIRECT, scope, state: 'state-1' },
    ...{ code_challenge: challengeOf(verifier), code_challenge_method: 'S256', resource: `${service.apiUrl}/mcp` },
    ...changes,
  }
  const given = Object.entries(params).filter((pair): pair is [string, string] => pair[1] !== undefined)
  return `${service.apiUrl}/oauth/authorize?${new URLSearchParams(given)}`
}

/** Goes from the client's request to the owner's page. Returns the link. */
export async function begin(browser: Browser, url: string): Promise<string> {
  const asked = await browser.open(url)
  const mine = asked.headers.get('location') ?? ''
  const led = await browser.open(mine)
  const owners = led.headers.get('location') ?? ''
  const [, linkId] = /\/links\/(lk_[0-9a-z]+)$/.exec(owners) ?? []
  if (asked.status !== 303 || led.status !== 303 || linkId === undefined) {
    throw new Error(`not led to the owner: ${asked.status} ${mine} ${led.status} ${owners} ${await asked.text()}`)
  }
  return linkId
}

/** The owner's part: a new agent, unless `body` says otherwise. Returns where their browser goes on. */
export async function approve(service: TestService, linkId: string, body: object = {}): Promise<string> {
  const { body: answer } = await approveLink(service, linkId, { agent_id: 'new', ...body })
  if (answer.continue_url === undefined) throw new Error(`not approved: ${JSON.stringify(answer)}`)
  return answer.continue_url
}

/** Follows redirects up to the client. Returns what the client is told. */
export async function goOn(browser: Browser, url: string, back = REDIRECT): Promise<URLSearchParams> {
  let next = url
  for (let steps = 0; steps < 5; steps += 1) {
    const response = await browser.open(next)
    const location = response.headers.get('location')
    if (location === null) throw new Error(`not led on: ${response.status} ${await response.text()}`)
    next = new URL(location, next).href
    if (next.startsWith(back)) return new URL(next).searchParams
  }
  throw new Error(`led in circles: ${next}`)
}

/** A client that has led its owner's browser to the owner's page. */
export interface Asking extends Required<Pick<AuthorizationRequest, 'clientId' | 'verifier'>> {
  browser: Browser
  linkId: string
  /** Where it waits for the answer. */
  back: string
}

export async function askOwner(
  service: Pick<TestService, 'apiUrl'>,
  { verifier = newVerifier(), ...asked }: AuthorizationRequest,
): Promise<Asking> {
  const browser = newBrowser()
  const linkId = await begin(browser, authorizationUrl(service, { ...asked, verifier }))
  return { browser, verifier, linkId, clientId: asked.clientId, back: asked.changes?.redirect_uri ?? REDIRECT }
}

/** What it is told when its owner has approved. */
export const toldOf = async (service: TestService, { browser, linkId, back }: Asking, approval: object = {}) =>
  goOn(browser, await approve(service, linkId, approval), back)

/** The code in that, with what proves whose it is. */
export async function grantOf(service: TestService, asking: Asking, approval: object = {}) {
  return { ...asking, code: (await toldOf(service, asking, approval)).get('code') ?? '' }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read answers as a caller would, without types.
type Json = any

/** Undefined: not in the form. */
async function postForm(
  url: string,
  form: Record<string, string | undefined>,
): Promise<{ status: number; body: Json }> {
  const given = Object.entries(form).filter((pair): pair is [string, string] => pair[1] !== undefined)
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(given) })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : JSON.parse(text) }
}

export interface LinkedClient {
  clientId: string
  agentId: string
  token: string
  refreshToken: string
}

/** A client that an owner has let in: as a new agent, unless `approval` names one. */
export async function linkedClient(
  service: TestService,
  { clientId, scope }: Pick<AuthorizationRequest, 'clientId' | 'scope'>,
  approval: object = {},
): Promise<LinkedClient> {
  const asking = await askOwner(service, { clientId, ...(scope && { scope }) })
  const { status, body } = await trade(service, await grantOf(service, asking, approval))
  if (status !== 200) throw new Error(`no tokens: ${JSON.stringify(body)}`)
  const { rows } = await service.pool.query('select agent_id from agent_links where id = $1', [asking.linkId])
  return { clientId, agentId: rows[0].agent_id, token: body.access_token, refreshToken: body.refresh_token }
}

export interface KeyedClient extends LinkedClient {
  key: LinkedAgent
}

/** One that acts as an agent with a key, of the same owner. */
export async function keyedClient(
  service: TestService,
  asked: Parameters<typeof linkedClient>[1],
  approval: { owner?: string; limits?: object } = {},
): Promise<KeyedClient> {
  const { limits: _, ...owner } = approval
  const key = await linkedAgent(service, approval)
  return { ...(await linkedClient(service, asked, { ...owner, agent_id: key.agentId })), key }
}

export const trade = (
  { apiUrl }: Pick<TestService, 'apiUrl'>,
  {
    clientId,
    code,
    verifier,
    back = REDIRECT,
  }: Pick<Asking, 'clientId' | 'verifier'> & { code: string; back?: string },
  changes: Record<string, string | undefined> = {},
) =>
  postForm(`${apiUrl}/oauth/token`, {
    ...{ grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier },
    ...{ redirect_uri: back, resource: `${apiUrl}/mcp` },
    ...changes,
  })

export const refresh = (
  { apiUrl }: Pick<TestService, 'apiUrl'>,
  { clientId, refreshToken }: Pick<LinkedClient, 'clientId' | 'refreshToken'>,
  changes: Record<string, string | undefined> = {},
) =>
  postForm(`${apiUrl}/oauth/token`, {
    ...{ grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken },
    ...changes,
  })

export const revoke = (
  { apiUrl }: Pick<TestService, 'apiUrl'>,
  clientId: string | undefined,
  token: string,
  changes: Record<string, string | undefined> = {},
) => postForm(`${apiUrl}/oauth/revoke`, { client_id: clientId, token, ...changes })

/** Registers a client with what it says of itself. */
export async function register(
  { apiUrl }: Pick<TestService, 'apiUrl'>,
  metadata: object,
): Promise<{ status: number; body: Json }> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${apiUrl}/oauth/register`, { method: 'POST', headers, body: JSON.stringify(metadata) })
  return { status: response.status, body: await response.json() }
}

let calls = 0

/** A request of the tool protocol, as bytes: by a client of 2026 that opens pages for its owner, unless it says otherwise. */
export async function rpc(
  { apiUrl }: Pick<TestService, 'apiUrl'>,
  token: string | undefined,
  method: string,
  params: object = {},
  {
    capabilities = { elicitation: { url: {} } },
    headers = {},
  }: { capabilities?: object; headers?: Record<string, string> } = {},
): Promise<{ status: number; headers: Headers; body: Json }> {
  calls += 1
  const named = (params as { name?: string }).name
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  const response = await fetch(`${apiUrl}/mcp`, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...{
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(named !== undefined && { 'mcp-name': named }),
      },
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: calls, method, params: { ...params, _meta } }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
}

export const callTool = (
  service: Pick<TestService, 'apiUrl'>,
  token: string,
  name: string,
  given: object = {},
  { more = {}, ...by }: Parameters<typeof rpc>[4] & { more?: object } = {},
) => rpc(service, token, 'tools/call', { name, arguments: given, ...more }, by)

/** What a tool answers, to a client that opens no pages. */
export async function answerOf(
  service: Pick<TestService, 'apiUrl'>,
  { token }: Pick<LinkedClient, 'token'>,
  name: string,
  given: object = {},
): Promise<Json> {
  return (await callTool(service, token, name, given, { capabilities: {} })).body.result.structuredContent
}

/** The agent that a token stands for, as a tool names it; undefined where the token is refused. */
export async function callerOf(service: Pick<TestService, 'apiUrl'>, token: string): Promise<Json> {
  const { status, body } = await callTool(service, token, 'get_agent')
  return status === 401 ? undefined : body.result.structuredContent
}

/** Under which the database keeps a token. */
export const digestOf = (kind: 'AccessToken' | 'RefreshToken', token: string) =>
  createHash('sha256').update(`${kind}:${token}`).digest()
