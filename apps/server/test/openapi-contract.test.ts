// Guarantee: two libraries that are not ours, given nothing but the published descriptions, find them true: what one makes of them
// is sent, what comes back is judged by the other, and what it says is no request of the API is refused as one.
import { randomUUID } from 'node:crypto'
import { signRequest } from '@mintmark/node'
import { generate } from 'json-schema-faker'
import { OpenAPIValidator, type Request } from 'openapi-backend'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LIMITS, limitVariable } from '../src/hosts/limits.ts'
import { linkedAgent, type TestAgent } from './agents.ts'
import { createSession } from './flows.ts'
import { PATIENT, startTestService, type TestService } from './service.ts'
import { goodsOf, paramsOf } from './wallet-examples.ts'

const ROUNDS = Number(process.env.CONTRACT_ROUNDS ?? 6)

// biome-ignore lint/suspicious/noExplicitAny: a document is read as a caller would, without types.
type Json = any

let service: TestService
const LIMITLESS = LIMITS.map((limit) => [limitVariable(limit), '100000000'])
beforeAll(async () => {
  service = await startTestService({ env: { ...PATIENT, ...Object.fromEntries(LIMITLESS) } })
})
afterAll(() => service.close())

interface Host {
  base: string
  credential: Record<string, string>
  /** Operations that an agent signs. */
  agent?: TestAgent
  /** Values of path parameters and of what names something, of things that are there. */
  known: Record<string, string>
}

const HOSTS: Record<string, () => Promise<Host>> = {
  'main API': async () => {
    const { merchant } = service
    const { session_id } = await createSession(merchant)
    return {
      base: service.apiUrl,
      credential: { authorization: `Bearer ${merchant.secretKey}` },
      agent: await linkedAgent(service),
      known: { sessionId: session_id },
    }
  },
  'wallet API': async () => {
    const { merchant } = service
    const known = paramsOf(await goodsOf(service, merchant))
    return { base: service.walletUrl, credential: { 'api-key': merchant.wallet.key }, known }
  },
}

/** It would make every other request fail for want of time. */
const LEFT_OUT = ['advanceClock']

describe.each(Object.keys(HOSTS))('%s', (name) => {
  let host: Host
  let validator: OpenAPIValidator<Json>
  const seen = new Map<string, number>()

  beforeAll(async () => {
    host = await (HOSTS[name] as () => Promise<Host>)()
    validator = validatorOf(await (await fetch(`${host.base}/openapi.json`)).json())
  })

  test('every operation: requests made of its schema', async () => {
    for (const operation of operationsOf(validator)) {
      for (let round = 0; round < ROUNDS; round += 1) {
        const request = await requestFor(host, operation, round)
        const status = await sendAndJudge(host, validator, operation, request)
        seen.set(String(operation.operationId), Math.min(status, seen.get(String(operation.operationId)) ?? 999))
      }
    }
    // Not refusals alone: what names something that is there comes through.
    const succeeded = [...seen].filter(([, status]) => status < 300).map(([operationId]) => operationId)
    const some =
      name === 'main API'
        ? ['getPaymentResult', 'listMandates', 'getHealth']
        : ['createCustomer', 'addAddress', 'depositToWallet', 'listProducts', 'getCart', 'getOrder']
    expect(succeeded).toEqual(expect.arrayContaining(some))
  })

  test('every operation: a required field left out, an unknown one added, a value of another type', async () => {
    let refused = 0
    for (const operation of operationsOf(validator)) {
      const schema = bodySchema(operation)
      if (schema === undefined) continue
      const good = await requestFor(host, operation, 0)
      for (const body of brokenBodies(schema, good.body)) {
        const request = { ...good, headers: { ...good.headers, 'idempotency-key': randomUUID() }, body }
        if (validator.validateRequest(request, operation).valid) continue
        expect(
          await sendAndJudge(host, validator, operation, request),
          `${operation.operationId} ${JSON.stringify(body)}`,
        ).toBe(400)
        refused += 1
      }
    }
    expect(refused).toBeGreaterThan(name === 'main API' ? 20 : 8)
  })
})

test('the judge sees a response that is not of its schema, and the maker makes most requests', async () => {
  const { base, known } = await (HOSTS['wallet API'] as () => Promise<Host>)()
  const validator = validatorOf(await (await fetch(`${base}/openapi.json`)).json())
  const { body } = await service.merchant.wallet.get(`/v1/customers/${known.customerId}`)
  const problems = (value: Json) => validator.validateResponse(value, 'getCustomer', 200).errors ?? []
  expect(problems(body)).toEqual([])
  for (const broken of [
    { ...body, data: { ...body.data, id: undefined } },
    { ...body, data: { ...body.data, status: 'unheard of' } },
    { ...body, data: { ...body.data, email: 7 } },
    { data: body.data },
    { error: { code: 'X' } },
  ]) {
    expect(problems(JSON.parse(JSON.stringify(broken)))).not.toEqual([])
  }
  const schemas = operationsOf(validator).flatMap((operation) => bodySchema(operation) ?? [])
  const made = await Promise.all(schemas.map((schema) => generated(schema, 1)))
  expect(made.filter((one) => one === undefined)).toEqual([])
})

/** How an agent signs an operation. One that is not linked yet signs by its key's thumbprint. */
function signatureOf({ agent }: Host, { security = [] }: Json, request: Parameters<typeof signRequest>[0]) {
  const schemes = security.flatMap((one: object) => Object.keys(one))
  if (agent?.keyId === undefined) return {}
  if (schemes.some((name: string) => name === 'agent_signature' || name === 'reporting_agent_signature'))
    return signRequest(request, { privateKey: agent.privateKey, keyId: agent.keyId })
  return schemes.includes('linking_signature') ? signRequest(request, { privateKey: agent.privateKey }) : {}
}

function operationsOf(validator: OpenAPIValidator<Json>): Json[] {
  return validator.router.getOperations().filter(({ operationId }: Json) => !LEFT_OUT.includes(operationId))
}

function validatorOf(document: Json): OpenAPIValidator<Json> {
  return new OpenAPIValidator({
    definition: inlined(document),
    ajvOpts: { strict: false, allErrors: true, validateFormats: false, code: { optimize: false } },
  })
}

/** Every reference replaced by what it names. The descriptions have no cycles. */
function inlined(document: Json, value: Json = document): Json {
  if (Array.isArray(value)) return value.map((entry) => inlined(document, entry))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...rest } = value
  const own = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, inlined(document, inner)]))
  if (typeof $ref !== 'string') return own
  const named = $ref
    .split('/')
    .slice(1)
    .reduce((at, key) => at[key.replaceAll('~1', '/')], document)
  // What stands beside a reference narrows it.
  const { properties, ...others } = own as Json
  const whole = inlined(document, named)
  return properties === undefined ? { ...whole, ...others } : { allOf: [whole, { properties, ...others }] }
}

const bodySchema = (operation: Json): Json => operation.requestBody?.content?.['application/json']?.schema

async function requestFor(host: Host, operation: Json, round: number): Promise<Request> {
  const { path, query, header } = await parametersOf(host, operation)
  const content = operation.requestBody?.content?.['application/json']
  // The example first, then what the schema lets a stranger think of.
  const made = content === undefined || round === 0 ? undefined : await generated(content.schema, round)
  const body = made ?? (content === undefined ? undefined : fresh(content.example))
  return {
    method: operation.method,
    path: operation.path.replaceAll(/\{(\w+)\}/g, (_: string, name: string) =>
      encodeURIComponent(path[name] ?? 'none'),
    ),
    query: round % 2 === 0 ? {} : query,
    headers: {
      ...host.credential,
      ...header,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body,
  }
}

async function parametersOf(host: Host, operation: Json) {
  const found: Record<'path' | 'query' | 'header', Record<string, string>> = { path: {}, query: {}, header: {} }
  for (const { in: place, name, schema } of operation.parameters ?? []) {
    const value = host.known[name] ?? (name === 'Idempotency-Key' ? randomUUID() : String(await generated(schema, 1)))
    found[place as 'path'][place === 'header' ? name.toLowerCase() : name] = value
  }
  return found
}

/** Emails of examples are taken once. */
function fresh(example: Json): Json {
  const copy = structuredClone(example)
  if (copy?.email !== undefined) copy.email = `${randomUUID()}@example.com`
  return copy
}

/** Undefined where the library cannot: it knows no schema whose alternatives only say which fields are required. */
async function generated(schema: Json, seed: number): Promise<Json> {
  const options = { seed, alwaysFakeOptionals: seed % 2 === 0, useExamplesValue: seed % 3 === 0 }
  return generate(schema, options).catch(() => undefined)
}

function brokenBodies(schema: Json, good: Json): Json[] {
  if (schema.type !== 'object') return [{ not: 'this' }, 'text', 1]
  const without = (schema.required ?? []).map((name: string) => {
    const { [name]: _left, ...rest } = good
    return rest
  })
  const otherwise = Object.keys(good).map((name) => ({ ...good, [name]: typeof good[name] === 'string' ? 7 : 'text' }))
  return [...without, ...otherwise, { ...good, unheard_of: true }, [], 'text']
}

/** Sends it; the response must be one that the description knows. Returns its status. */
async function sendAndJudge(
  host: Host,
  validator: OpenAPIValidator<Json>,
  operation: Json,
  request: Request,
): Promise<number> {
  const query = new URLSearchParams(request.query as Record<string, string>)
  const url = `${host.base}${request.path}${query.size > 0 ? `?${query}` : ''}`
  const method = request.method.toUpperCase()
  const sent = request.body === undefined ? {} : { body: JSON.stringify(request.body) }
  const response = await fetch(url, {
    method,
    headers: {
      ...(request.headers as Record<string, string>),
      ...signatureOf(host, operation, { method, url, ...sent }),
    },
    ...sent,
  })
  const { status } = response
  const body: Json = await response.json()
  const said = `${operation.operationId} ${JSON.stringify(request.body)} → ${status} ${JSON.stringify(body).slice(0, 300)}`
  const { [status]: schemas } = operation.responses
  expect(schemas, said).toBeDefined()
  expect(validator.validateResponse(body, operation, status).errors ?? null, said).toBeNull()
  for (const [name, header] of Object.entries<Json>(schemas.headers ?? {})) {
    if (header.required) expect(response.headers.has(name), said).toBe(true)
  }
  expect(response.headers.get('content-type'), said).toBe('application/json; charset=utf-8')
  return status
}
