import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AuthKind, Route } from './route.ts'

/** What to send to a route: values for its path, query and body. */
export interface RequestParts {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** An example of a route's use, made when the host runs, so that it may create what it names. */
export interface RouteExample {
  /** A request the caller of `working` may make; need not succeed. */
  readonly own: RequestParts
  /**
   * The same with ids of another merchant, and with ids of nobody: the answers must be alike, byte for byte. Or why the
   * route names nothing that belongs to a merchant.
   */
  readonly foreign: { readonly theirs: RequestParts; readonly nobodys: RequestParts; readonly status: number } | string
}

export interface WalkedCredential {
  /** The whole `Authorization` header of a caller that may use the route. */
  readonly working: string
  /**
   * Headers that must be refused with AUTH_1001, by what they are: 'key of the other environment', 'publishable key',
   * 'session token' and so on.
   */
  readonly refused: Readonly<Record<string, string>>
}

export interface RunningHost {
  readonly baseUrl: string
  readonly credentials: { readonly [Auth in Exclude<AuthKind, 'public'>]?: WalkedCredential }
  /** By operation id. A route without an example fails the walk. */
  readonly examples: Readonly<Record<string, () => RouteExample | Promise<RouteExample>>>
  close(): Promise<void>
}

export interface RouteTableWalk {
  readonly name: string
  readonly routes: readonly Route[]
  start(): Promise<RunningHost>
  /** False for hosts that publish no description. */
  readonly hasApiDocument?: boolean
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The guarantee: no route of the table answers anybody who may not ask, and none answers about another merchant's things.
 * A row added tomorrow is walked tomorrow, without anybody remembering to write these tests.
 */
export function describeRouteTable(walk: RouteTableWalk): void {
  describe(`${walk.name}: every route`, () => {
    let host: RunningHost
    beforeAll(async () => {
      host = await walk.start()
    })
    afterAll(async () => {
      await host?.close()
    })

    test('has an operation id and a path of its own', () => {
      const ids = walk.routes.map(({ operationId }) => operationId)
      const places = walk.routes.map(({ method, path }) => `${method} ${path}`)
      expect(ids).toEqual([...new Set(ids)])
      expect(places).toEqual([...new Set(places)])
    })

    for (const row of walk.routes) {
      describe(`${row.operationId} (${row.method} ${row.path})`, () => {
        if (row.auth === 'public') testPublic(row)
        else testProtected(row, row.auth, () => host)
        if (walk.hasApiDocument !== false) testDocumented(row, () => host)
      })
    }
  })
}

function testPublic(row: Route): void {
  test('says why it is public', () => expect(row.publicReason).toMatch(/\S{3}/))
}

function testProtected(row: Route, auth: Exclude<AuthKind, 'public'>, host: () => RunningHost): void {
  const refusedAs = async (authorization: string | undefined, code: string, what: string) => {
    const answer = await send(host(), row, placeholders(row), authorization)
    expect(answer.status, what).toBe(401)
    expectErrorEnvelope(answer, code, what)
  }

  test('refuses a request without a credential', () => refusedAs(undefined, 'AUTH_1002', 'no header'))
  test('refuses another scheme', () => refusedAs('Basic dXNlcjpwYXNz', 'AUTH_1002', 'Basic'))
  test('refuses a bearer scheme without a credential', () => refusedAs('Bearer ', 'AUTH_1002', 'empty bearer'))
  test('refuses a credential nobody issued', () => refusedAs('Bearer garbage', 'AUTH_1001', 'garbage'))

  test('refuses credentials of another kind', async () => {
    const credential = credentialFor(host(), auth)
    expect(Object.keys(credential.refused), 'the setup names credentials to refuse').not.toEqual([])
    for (const [what, header] of Object.entries(credential.refused)) await refusedAs(header, 'AUTH_1001', what)
  })

  test('lets its own caller in', async () => {
    const { own } = await exampleFor(host(), row)
    const answer = await send(host(), row, own, credentialFor(host(), auth).working)
    expect(answer.status).not.toBe(401)
    expect(answer.responseId).toMatch(UUID)
  })

  test('answers about things of another merchant as about things that do not exist', async () => {
    const { foreign } = await exampleFor(host(), row)
    if (typeof foreign === 'string') {
      expect(foreign, 'why the route names nothing of a merchant').toMatch(/\S{3}/)
      return
    }
    const { working } = credentialFor(host(), auth)
    const theirs = await send(host(), row, foreign.theirs, working)
    const nobodys = await send(host(), row, foreign.nobodys, working)
    expect(theirs.status).toBe(foreign.status)
    expect({ status: theirs.status, text: theirs.text }).toEqual({ status: nobodys.status, text: nobodys.text })
  })
}

function testDocumented(row: Route, host: () => RunningHost): void {
  test('is described with its security', async () => {
    const response = await fetch(`${host().baseUrl}/openapi.json`)
    const { paths } = (await response.json()) as { paths: Record<string, Record<string, Record<string, unknown>>> }
    const operation = paths[row.path.replaceAll(/:(\w+)/g, '{$1}')]?.[row.method.toLowerCase()]
    expect(operation?.operationId).toBe(row.operationId)
    expect(operation?.security).toEqual(row.auth === 'public' ? [] : [{ [row.auth]: [] }])
  })
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly responseId: string
}

async function send(host: RunningHost, row: Route, parts: RequestParts, authorization?: string): Promise<Answer> {
  const path = row.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(parts.params?.[name] ?? 'none'))
  const query = parts.query === undefined ? '' : `?${new URLSearchParams(parts.query)}`
  const response = await fetch(`${host.baseUrl}${path}${query}`, {
    method: row.method,
    headers: {
      ...(authorization !== undefined && { authorization }),
      ...(parts.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(parts.body !== undefined && { body: JSON.stringify(parts.body) }),
  })
  const responseId = response.headers.get('x-response-id') ?? ''
  return { status: response.status, text: await response.text(), responseId }
}

/** Refusal comes before anything else is looked at, so a wrong body must not matter: an empty one is sent. */
function placeholders(row: Route): RequestParts {
  return row.method === 'GET' ? {} : { body: {} }
}

function expectErrorEnvelope(answer: Answer, code: string, what: string): void {
  expect(answer.responseId, what).toMatch(UUID)
  expect(JSON.parse(answer.text), what).toEqual({ error: { code, message: expect.any(String) } })
}

function credentialFor(host: RunningHost, auth: Exclude<AuthKind, 'public'>): WalkedCredential {
  const credential = host.credentials[auth]
  if (credential === undefined) throw new Error(`The setup of the walk has no credential of kind ${auth}.`)
  return credential
}

async function exampleFor(host: RunningHost, { operationId }: Route): Promise<RouteExample> {
  const make = host.examples[operationId]
  if (make === undefined) throw new Error(`The setup of the walk has no example for ${operationId}.`)
  return make()
}
