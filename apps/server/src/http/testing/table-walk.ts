import { randomUUID } from 'node:crypto'
import { brandedNames } from '@mintmark/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DeclaredError } from '../../platform/errors.ts'
import { type AnyCredential, challengesOf, credentialsOf, isOpen } from '../credential.ts'
import { type Envelope, PLAIN_ENVELOPE } from '../envelope.ts'
import { IDEMPOTENCY_HEADER } from '../idempotency.ts'
import type { Route } from '../route.ts'

/** What to send to a route: values for its path, query and body. */
interface RequestParts {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string>>
  body?: unknown
}

/** An example of a route's use, made when the host runs, so that it may create what it names. */
export interface RouteExample {
  /** A request the caller of `working` may make; need not succeed. */
  own: RequestParts
  /**
   * The same with ids of another tenant, and with ids that do not exist: the responses must be alike, byte for byte. Or
   * why the route names nothing that belongs to a tenant.
   */
  foreign: ForeignIds | string
}

interface ForeignIds {
  theirs: RequestParts
  nobodys: RequestParts
  status: number
  /**
   * Where the contract tells the two apart: the one error for what is another tenant's. It says that, and nothing else.
   */
  forbidden?: DeclaredError
}

/** A request before its credential is added. */
interface UnsignedRequest {
  method: string
  /** Path and query. */
  target: string
  /** As sent; empty when there is none. */
  body: string
}

interface WalkedCredential {
  /** The whole value of the credential's header for a caller that may use the route, or all headers that it needs. */
  working: string | ((request: UnsignedRequest) => string | Record<string, string>)
  /** Its refusals say in `details` what is wrong with the proof. */
  explains?: true
  /**
   * Values that must be refused as invalid, by what they are: 'key of the other environment', 'publishable key',
   * 'session token' and so on.
   */
  refused: Readonly<Record<string, string>>
}

interface RunningHost {
  baseUrl: string
  /** By the credential's name. */
  credentials: Readonly<Record<string, WalkedCredential>>
  /** By operation id. A route without an example fails the walk. */
  examples: Readonly<Record<string, () => RouteExample | Promise<RouteExample>>>
  close(): Promise<void>
}

interface RouteTableWalk {
  name: string
  routes: readonly Route[]
  start(): Promise<RunningHost>
  /** False for hosts that publish no description. */
  hasApiDocument?: boolean
  /** The plain one unless given. */
  envelope?: Envelope
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * The guarantee: no route of the table responds to a caller who may not ask, and none tells of another tenant's things.
 * A row added tomorrow is walked tomorrow, without a test written for it.
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
        const walked = { row, envelope: walk.envelope ?? PLAIN_ENVELOPE, host: () => host }
        if (isOpen(row.auth)) testOpen(row.auth.reason)
        else testProtected(walked)
        if (walk.hasApiDocument !== false) testDocumented(row, () => host)
      })
    }
  })
}

interface Walked {
  row: Route
  envelope: Envelope
  host: () => RunningHost
}

function testOpen(reason: string): void {
  test('says why it is open', () => expect(reason).toMatch(/\S{3}/))
}

function testProtected(walked: Walked): void {
  const credentials = credentialsOf(walked.row.auth)
  const [first] = credentials
  test('refuses a request without a credential', async () => {
    if (first !== undefined) await expectRefused(walked, first, {}, first.errors.missing, 'no header')
  })
  for (const credential of credentials) describe(credential.name, () => testCredential(walked, credential))
}

function testCredential(walked: Walked, credential: AnyCredential): void {
  const { row, host, envelope } = walked
  const { header, errors, scheme } = credential
  const refusedAs = (value: string, declared: DeclaredError, what: string) =>
    expectRefused(walked, credential, { [header]: value }, declared, what)

  if (scheme.scheme === 'bearer') {
    test('refuses another scheme', () => refusedAs('Basic dXNlcjpwYXNz', errors.missing, 'Basic'))
    test('refuses a bearer scheme without a credential', () => refusedAs('Bearer ', errors.missing, 'empty bearer'))
    test('refuses a credential that was never issued', () => refusedAs('Bearer garbage', errors.invalid, 'garbage'))
  } else {
    test('refuses a credential that was never issued', () => refusedAs('garbage', errors.invalid, 'garbage'))
  }

  test('refuses credentials of another kind', async () => {
    const { refused } = walkedCredential(host(), credential)
    expect(Object.keys(refused), 'the setup names credentials to refuse').not.toEqual([])
    const others = credentialsOf(row.auth).filter((other) => other !== credential)
    const accepted = others.map((other) => walkedCredential(host(), other).working)
    for (const [what, value] of Object.entries(refused)) {
      // A row may take two kinds that come in the same header.
      if (!accepted.includes(value)) await refusedAs(value, errors.invalid, what)
    }
  })

  test('lets its own caller in', async () => {
    const { own } = await exampleFor(host(), row)
    const answer = await send(host(), row, own, working(host(), credential))
    expect(answer.status).not.toBe(401)
    expect(answer.responseId).toMatch(UUID)
  })

  test('responds about things of another tenant as about things that do not exist', async () => {
    const { foreign } = await exampleFor(host(), row)
    if (typeof foreign === 'string') {
      expect(foreign, 'why the route names nothing of a tenant').toMatch(/\S{3}/)
      return
    }
    const theirs = await send(host(), row, foreign.theirs, working(host(), credential))
    const nobodys = await send(host(), row, foreign.nobodys, working(host(), credential))
    if (foreign.forbidden !== undefined) {
      expect(nobodys.status).toBe(foreign.status)
      expect(theirs.status).toBe(foreign.forbidden.status)
      const body = envelope.error(foreign.forbidden(), brandedNames('network'), theirs.responseId)
      expect(theirs.text, 'nothing but the declared error').toBe(body)
      return
    }
    expect(theirs.status).toBe(foreign.status)
    const comparable = ({ status, text, responseId }: Answer) => ({ status, text: text.replaceAll(responseId, 'id') })
    expect(comparable(theirs)).toEqual(comparable(nobodys))
  })
}

function testDocumented(row: Route, host: () => RunningHost): void {
  test('is described with its security', async () => {
    const response = await fetch(`${host().baseUrl}/openapi.json`)
    const { paths } = (await response.json()) as { paths: Record<string, Record<string, Record<string, unknown>>> }
    const operation = paths[row.path.replaceAll(/:(\w+)/g, '{$1}')]?.[row.method.toLowerCase()]
    expect(operation?.operationId).toBe(row.operationId)
    expect(operation?.security).toEqual(credentialsOf(row.auth).map(({ name }) => ({ [name]: [] })))
  })
}

async function expectRefused(
  { host, row, envelope }: Walked,
  credential: AnyCredential,
  headers: Record<string, string>,
  declared: DeclaredError,
  what: string,
): Promise<void> {
  const answer = await send(host(), row, placeholders(row), () => headers)
  expect(answer.status, what).toBe(401)
  // Clients that read HTTP to the letter take a 401 without it for a broken response.
  expect(answer.challenges, what).toBe(challengesOf(row.auth))
  const { explains = false } = walkedCredential(host(), credential)
  expectErrorBody(answer, envelope, declared, what, explains)
}

const ANY_TEXT = 'the text may be sharper than the declared one'

/** The body is exactly what the envelope makes of the declared error; only its text may differ. */
function expectErrorBody(
  answer: Answer,
  envelope: Envelope,
  declared: DeclaredError,
  what: string,
  explains: boolean,
): void {
  expect(answer.responseId, what).toMatch(UUID)
  const details = explains ? { details: { reason: ANY_TEXT } } : {}
  const error = declared({ message: ANY_TEXT, ...details })
  const body = envelope.error(error, brandedNames('network'), answer.responseId)
  const expected: unknown = JSON.parse(body, (_key, value) => (value === ANY_TEXT ? expect.any(String) : value))
  expect(JSON.parse(answer.text), what).toEqual(expected)
}

interface Answer {
  status: number
  text: string
  responseId: string
  challenges: string | null
}

type HeadersFor = (request: UnsignedRequest) => Record<string, string>

async function send(host: RunningHost, row: Route, parts: RequestParts, headersFor: HeadersFor): Promise<Answer> {
  const path = row.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(parts.params?.[name] ?? 'none'))
  const target = `${path}${parts.query === undefined ? '' : `?${new URLSearchParams(parts.query)}`}`
  const body = parts.body === undefined ? '' : JSON.stringify(parts.body)
  const response = await fetch(`${host.baseUrl}${target}`, {
    method: row.method,
    headers: {
      // Another one each time: what is compared is the answer, not the memory of it.
      ...(row.idempotencyKey && { [IDEMPOTENCY_HEADER]: randomUUID() }),
      ...headersFor({ method: row.method, target, body }),
      ...(body !== '' && { 'content-type': 'application/json' }),
    },
    ...(body !== '' && { body }),
  })
  const responseId = response.headers.get('x-response-id') ?? ''
  const challenges = response.headers.get('www-authenticate')
  return { status: response.status, text: await response.text(), responseId, challenges }
}

/** The credential is checked before anything else, so a wrong body must not matter: an empty one is sent. */
function placeholders(row: Route): RequestParts {
  return row.method === 'GET' ? {} : { body: {} }
}

function walkedCredential(host: RunningHost, { name }: AnyCredential): WalkedCredential {
  const found = host.credentials[name]
  if (found === undefined) throw new Error(`The setup of the walk has no credential ${name}.`)
  return found
}

function working(host: RunningHost, credential: AnyCredential): HeadersFor {
  const { working: value } = walkedCredential(host, credential)
  return (request) => {
    const given = typeof value === 'string' ? value : value(request)
    return typeof given === 'string' ? { [credential.header]: given } : given
  }
}

async function exampleFor(host: RunningHost, { operationId }: Route): Promise<RouteExample> {
  const make = host.examples[operationId]
  if (make === undefined) throw new Error(`The setup of the walk has no example for ${operationId}.`)
  return make()
}
