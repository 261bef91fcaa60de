import { brandedNames } from '@mintmark/contract'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { declareError, invalidState, notFound } from '../../platform/errors.ts'
import { createLog, type Log } from '../../platform/log.ts'
import { type CheckedCredential, checkedBy, credential, open } from '../credential.ts'
import { createDoor } from '../door.ts'
import { PLAIN_ENVELOPE } from '../envelope.ts'
import { rateLimited } from '../errors.ts'
import { buildHost, type HostOptions } from '../host.ts'
import { IDEMPOTENCY_KEY } from '../idempotency.ts'
import { type AnyLimit, byAddress, limit, type Quota } from '../limit.ts'
import type { ApiDocumentInfo } from '../openapi.ts'
import type { RateLimiter } from '../rate-limit.ts'
import { type Route, route } from '../route.ts'

/** The smallest table that has one row of every kind. The builder's own tests run against it. */
export const SECRET_KEY = 'sk_test_working'

const invalidKey = declareError('AUTH_1001', 'The API key is not valid.')
const invalidHeader = declareError('AUTH_1002', 'The Authorization header is missing or malformed.')
const networkFailed = declareError('NETWORK_CONFIRMATION_FAILED', 'The card network did not confirm.')

export interface ToyCaller {
  shopId: string
}

export const toyKey = credential<ToyCaller>('toy_key', {
  scheme: { type: 'http', scheme: 'bearer', description: 'A toy.' },
  header: 'authorization',
  errors: {
    missing: invalidHeader,
    invalid: invalidKey,
    ended: [declareError('AUTH_1003', 'The key has expired.')],
  },
  tenantOf: ({ shopId }) => shopId,
})
const plenty = { points: 100_000, windowSeconds: 60, withoutStore: 'pass', meaning: 'Toys.', countedBy: 'toy' } as const
export const perShop = limit('shop', { ...plenty, by: ({ shopId }: ToyCaller) => shopId })
export const perAddress = limit('address', { ...plenty, by: byAddress })

const Amount = Type.String({
  pattern: '^\\d{1,12}(\\.\\d{1,2})?$',
  'x-message': 'must be a decimal string',
  examples: ['40.00'],
})
const Purchase = Type.Object(
  {
    name: Type.String({ minLength: 1, format: 'clean-text' }),
    url: Type.String({ format: 'https-url', maxLength: 2048 }),
  },
  { additionalProperties: false },
)
const OrderBody = Type.Object(
  {
    amount: Amount,
    email: Type.Optional(Type.String({ format: 'email', maxLength: 320 })),
    at: Type.Optional(Type.String({ format: 'date-time' })),
    kind: Type.Optional(Type.Union([Type.Literal('one'), Type.Literal('two')])),
    quantity: Type.Optional(Type.Integer({ minimum: 1 })),
    note: Type.Optional(Type.Union([Type.String({ maxLength: 5 }), Type.Null()])),
    purchase: Type.Optional(Type.Union([Purchase, Type.Array(Purchase, { minItems: 1, maxItems: 1 })])),
    tags: Type.Optional(
      Type.Array(Type.Object({ key: Type.String() }, { additionalProperties: false }), { maxItems: 500 }),
    ),
  },
  { additionalProperties: false },
)
const Id = Type.Object({ orderId: Type.String() })
const Order = Type.Object({ id: Type.String(), note: Type.Union([Type.String(), Type.Null()]) })

const common = { tag: 'Orders', auth: [toyKey], limit: perShop, errors: [notFound] } as const

export const toyDocument = (title: string): ApiDocumentInfo => ({
  title,
  version: '1.0.0',
  summary: 'A toy.',
  description: 'A toy.',
  contact: { name: 'Nobody' },
  license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
  servers: [{ url: 'https://toys.example', description: 'Toys' }],
  tags: { Orders: 'Orders of toys.' },
})

export const TOY_ROUTES: readonly Route[] = [
  route({
    ...common,
    method: 'POST',
    path: '/v1/orders',
    operationId: 'createOrder',
    summary: 'Create an order',
    body: OrderBody,
    check: (body) => (isSoldOut(body) ? { kind: 'is sold out' } : {}),
    status: 201,
    response: Order,
    noStore: true,
    async handler({ body }) {
      const order = { id: 'ord_1', note: body.note ?? null, secret: 'never sent' }
      return order
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/v1/orders',
    operationId: 'listOrders',
    summary: 'List orders',
    query: Type.Object(
      {
        customer_id: Type.String({ minLength: 1, maxLength: 255 }),
        all: Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')])),
      },
      { additionalProperties: false },
    ),
    status: 200,
    response: Type.Object({ customer: Type.String(), shop: Type.String() }),
    handler: async ({ query, caller }) => ({ customer: query.customer_id, shop: caller.shopId }),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/v1/orders/:orderId/cancel',
    operationId: 'cancelOrder',
    summary: 'Cancel an order',
    params: Id,
    status: 200,
    response: Order,
    errors: [notFound, invalidState],
    handler: async ({ params }) => {
      if (params.orderId !== 'ord_1') throw notFound()
      return { id: params.orderId, note: null }
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: '/v1/orders/:orderId/pay',
    operationId: 'payOrder',
    summary: 'Pay an order once',
    params: Id,
    idempotencyKey: IDEMPOTENCY_KEY,
    body: Type.Object({ amount: Amount }, { additionalProperties: false }),
    status: 200,
    response: Type.Object({ paid: Type.String() }),
    handler: async ({ idempotencyKey }) => ({ paid: idempotencyKey }),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/v1/failures/:orderId',
    operationId: 'fail',
    summary: 'Fail as asked',
    params: Id,
    status: 200,
    response: Order,
    errors: [networkFailed],
    handler: async ({ params }) => {
      throw failure(params.orderId)
    },
  }),
  route({
    method: 'POST',
    path: '/v1/test_helpers/advance',
    operationId: 'advance',
    summary: 'Sandbox only',
    tag: 'Test helpers',
    auth: open('A toy.'),
    environment: 'sandbox',
    limit: null,
    status: 200,
    response: Type.Object({ ok: Type.Boolean() }),
    errors: [],
    handler: async () => ({ ok: true }),
  }),
  route({
    method: 'POST',
    path: '/api/visits',
    operationId: 'visit',
    summary: 'Limited by the address, not by what the body names',
    tag: 'Visits',
    auth: open('The secret in the body is the credential.'),
    limit: perAddress,
    body: Type.Object({ visitor: Type.Optional(Type.String()) }, { additionalProperties: false }),
    optionalBody: true,
    status: 200,
    response: Type.Object({ ok: Type.Boolean() }),
    errors: [],
    handler: async () => ({ ok: true }),
  }),
]

function isSoldOut(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'kind' in body && body.kind === 'two'
}

function failure(kind: string): unknown {
  switch (kind) {
    case 'declared':
      return networkFailed()
    case 'status-code':
      return Object.assign(new Error('insert failed for 4242424242424242'), { statusCode: 404, code: 'XX001' })
    case 'database':
      return Object.assign(new Error('terminating connection'), { code: '57P01' })
    case 'retry':
      return rateLimited({ message: 'Slow down.', retryAfterSeconds: 7 })
    default:
      return 'not even an error'
  }
}

export const toyKeyCheck: CheckedCredential = checkedBy(toyKey, {
  async check({ headers }) {
    const key = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1]
    if (key === undefined) throw invalidHeader()
    if (key !== SECRET_KEY) throw invalidKey()
    return { shopId: 'shop_toy' }
  },
})

/** Counts in this process, for tests that are not about the store. `quotas` replaces numbers by the limit's name. */
export function countingLimiter(quotas: Readonly<Record<string, Quota>> = {}): RateLimiter {
  const used = new Map<string, number>()
  const quotaOf = (of: AnyLimit): Quota => quotas[of.name] ?? plenty
  return {
    quotaOf,
    giveBack: (of, key) => used.set(`${of.name}:${key}`, (used.get(`${of.name}:${key}`) ?? 1) - 1),
    fullest: async () => ({ share: 0, resetSeconds: 0, seenAt: 0 }),
    consume: async (of, key) => {
      const { points, windowSeconds } = quotaOf(of)
      const count = (used.get(`${of.name}:${key}`) ?? 0) + 1
      used.set(`${of.name}:${key}`, count)
      if (count > points) throw rateLimited({ retryAfterSeconds: windowSeconds })
      return { limit: points, remaining: points - count, resetSeconds: windowSeconds, fullest: null }
    },
  }
}

export function silentLog(): Log {
  return createLog({ level: 'silent' })
}

export interface ToyHost {
  app: FastifyInstance
  baseUrl: string
  port: number
  close(): Promise<void>
}

/** The toy table on an ephemeral port. */
export async function startToyHost(options: Partial<HostOptions> = {}): Promise<ToyHost> {
  const app = await buildHost({
    name: 'toy',
    routes: TOY_ROUTES,
    credentials: [toyKeyCheck],
    envelope: PLAIN_ENVELOPE,
    limiter: countingLimiter(),
    // A machine that is busy ends no request.
    door: createDoor({ places: 1_000, log: silentLog(), deadlineMillis: 600_000, slowMillis: 600_000 }),
    log: silentLog(),
    environment: 'sandbox',
    brand: brandedNames('acme'),
    ...options,
  })
  const baseUrl = await app.listen({ port: 0, host: '127.0.0.1' })
  return { app, baseUrl, port: Number(new URL(baseUrl).port), close: () => app.close() }
}
