import type { BrandedNames } from '@mintmark/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { KeyedRequest } from '../db/respond-once.ts'
import { canonicalJson, type JsonValue } from '../platform/canonical-json.ts'
import type { Envelope } from './envelope.ts'
import { isKeyGiven } from './idempotency.ts'
import type { Route } from './route.ts'

/** The request under its key, of a row that takes one. Nothing is written or compared before it is asked for. */
export function keyedRequest(
  key: string,
  row: Route,
  { envelope, brand }: { envelope: Envelope; brand: BrandedNames },
  request: FastifyRequest,
  reply: FastifyReply,
): KeyedRequest<unknown> {
  const { id: responseId, method, body } = request
  return {
    key,
    isNamed: isKeyGiven(request.headers),
    // White space and the order of fields do not make another request: SDKs write the same body differently after an update. Nor does
    // a parameter that the operation does not read: clients add a fresh one to each try, against caches.
    get input() {
      return `${method} ${whereOf(row, request)}\n${body === undefined ? '' : canonicalJson(body as JsonValue)}`
    },
    success(result) {
      const whole = envelope.success?.body(result, { responseId, idempotencyKey: key }) ?? result
      return { status: row.status, responseId, body: writeWith(reply, row.status, whole) }
    },
    refusal: (error) => ({ status: error.status, responseId, body: envelope.error(error, brand, responseId) }),
  }
}

/**
 * What the row reads of the address. It has many spellings: a library between the sender and us may encode its letters, or not, and ids in
 * it may be the same in upper and lower case.
 */
function whereOf({ path, query, idempotencyKey }: Route, { params, url }: FastifyRequest): string {
  const named = JSON.stringify(params)
  const start = query === undefined ? -1 : url.indexOf('?')
  return `${path} ${idempotencyKey?.isCaseless ? named.toLowerCase() : named}${start === -1 ? '' : url.slice(start)}`
}

/** By the schema of the row, as every other response: only what is in it is sent. */
function writeWith(reply: FastifyReply, status: number, whole: unknown): string {
  const write = reply.getSerializationFunction(String(status))
  if (write === undefined) throw new TypeError(`Responses of status ${status} have no schema.`)
  return write(whole as Record<string, unknown>)
}
