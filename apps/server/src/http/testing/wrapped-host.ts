import { createPublicKey, sign, verify } from 'node:crypto'
import { Type } from 'typebox'
import { declareError, notFound } from '../../platform/errors.ts'
import { checkedBy, credential } from '../credential.ts'
import type { Envelope } from '../envelope.ts'
import type { HostOptions } from '../host.ts'
import { byAddress, limit } from '../limit.ts'
import { type Route, route } from '../route.ts'
import { startToyHost, type ToyHost, toyKey, toyKeyCheck } from './toy-host.ts'

/** A second host: other response bodies, and rows that accept two kinds of credential, one of which covers the body. */
export const WRAPPED_AT = '2026-01-31T12:00:00.000Z'

/** `{ data, meta }` for a success, `{ error }` with the request's id for an error. */
export const WRAPPED_ENVELOPE: Envelope = {
  error: ({ code, message }, brand, responseId) =>
    JSON.stringify({ error: { code: brand.code(code), message, request_id: responseId } }),
  code: (code, brand) => brand.code(code),
  errorSchema: Type.Object({
    error: Type.Object({ code: Type.String(), message: Type.String(), request_id: Type.String() }),
  }),
  errorCodes: (codes) => ({ properties: { error: { properties: { code: { enum: codes } } } } }),
  success: {
    body: (data, { responseId }) => ({ data, meta: { request_id: responseId, timestamp: WRAPPED_AT } }),
    schema: (data) => Type.Object({ data, meta: Type.Object({ request_id: Type.String(), timestamp: Type.String() }) }),
  },
}

const signatureMissing = declareError('AUTH_1002', 'The Toy-Signature header is missing.')
const signatureInvalid = declareError('AUTH_1001', 'The signature does not fit the request.')

interface AgentCaller {
  agentId: string
}

/** Signs method, path, query and the body's digest. */
const toySignature = credential<AgentCaller>('toy_signature', {
  scheme: { type: 'apiKey', in: 'header', name: 'Toy-Signature' },
  header: 'toy-signature',
  errors: { missing: signatureMissing, invalid: signatureInvalid },
})

/** The header for one request: a signature over the head of the message, and one that adds the body's digest. */
export function toySignatureOf(
  method: string,
  target: string,
  digest: Buffer,
  key: Parameters<typeof sign>[2],
): string {
  const head = `${method} ${target}`
  const signed = (text: string) => sign(null, Buffer.from(text), key).toString('base64url')
  return `${signed(head)}.${signed(`${head} ${digest.toString('hex')}`)}`
}

function toySignatureCheck(publicKey: string) {
  const key = createPublicKey(publicKey)
  const check = (text: string, signature = '') => {
    if (!verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'))) throw signatureInvalid()
  }
  return checkedBy(toySignature, {
    async check({ method, path, query, headers }) {
      const given = headers[toySignature.header]
      if (given === undefined) throw signatureMissing()
      check(`${method} ${path}?${query}`, String(given).split('.')[0])
      return { agentId: 'agent_toy' }
    },
    async checkBody({ method, path, query, headers }, digest) {
      const given = String(headers[toySignature.header])
      check(`${method} ${path}?${query} ${digest.toString('hex')}`, given.split('.')[1])
    },
  })
}

/** Both credentials of the rows count in one limit, each by its own key. */
const perToyCaller = limit('toy_caller', {
  points: 100,
  windowSeconds: 60,
  by: (caller: { shopId: string } | AgentCaller) => ('shopId' in caller ? caller.shopId : caller.agentId),
  withoutStore: 'pass',
  meaning: 'Toys.',
  countedBy: 'caller',
})
const perVisitor = limit('visitor', { ...perToyCaller, by: byAddress })

const common = { tag: 'Parcels', auth: [toyKey, toySignature], errors: [notFound], status: 200 } as const
const Parcel = Type.Object({ id: Type.String(), sender: Type.String() })

export const WRAPPED_ROUTES: readonly Route[] = [
  route({
    ...common,
    method: 'POST',
    path: '/v2/parcels',
    operationId: 'sendParcel',
    summary: 'Send a parcel',
    limit: perToyCaller,
    body: Type.Object({ weight: Type.Integer({ minimum: 1 }) }, { additionalProperties: false }),
    status: 201,
    response: Parcel,
    handler: async ({ caller }) => ({ id: 'par_1', sender: 'shopId' in caller ? caller.shopId : caller.agentId }),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/v2/parcels/:parcelId',
    operationId: 'getParcel',
    summary: 'Read a parcel',
    limit: perVisitor,
    params: Type.Object({ parcelId: Type.String() }),
    response: Parcel,
    async handler({ params }) {
      if (params.parcelId !== 'par_1') throw notFound()
      const parcel = { id: params.parcelId, sender: 'shop_toy', secret: 'never sent' }
      return parcel
    },
  }),
]

export function startWrappedHost(agentKey: string, options: Partial<HostOptions> = {}): Promise<ToyHost> {
  return startToyHost({
    name: 'wrapped',
    routes: WRAPPED_ROUTES,
    credentials: [toyKeyCheck, toySignatureCheck(agentKey)],
    envelope: WRAPPED_ENVELOPE,
    ...options,
  })
}
