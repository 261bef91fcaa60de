import type { Environment } from '@mintmark/contract'
import type { Static, TObject, TSchema } from 'typebox'
import type { KeyedRequest, StoredResponse } from '../db/respond-once.ts'
import type { DeclaredError, ErrorDetails } from '../platform/errors.ts'
import type { WithCookie } from './cookie.ts'
import type { Auth, CallerOf } from './credential.ts'
import type { KeyFormat } from './idempotency.ts'
import type { AnyLimit, Limit } from './limit.ts'
import type { Page } from './page.ts'
import type { RawJson } from './raw-json.ts'
import type { Refusals } from './refusals.ts'

export interface RequestContext<Caller, Params, Query, Body, Key = undefined, Once = undefined> {
  /** The caller, as a credential of the row resolved it. Handlers read the tenant from here and nowhere else. */
  caller: Caller
  params: Params
  query: Query
  body: Body
  /** The caller's key for this operation, where the row takes one. */
  idempotencyKey: Key
  /** The whole request under that key, for `respondOnce`: its response is stored with its effect. */
  once: Once
}

type Shape<S> = S extends TSchema ? Static<S> : undefined

export interface RouteExample<Body, Response> {
  body?: Body
  response: Response
}

interface RouteText {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Fastify form: `/v1/orders/:orderId/cancel`. */
  path: string
  operationId: string
  summary: string
  description?: string
  tag: string
  /** 'sandbox': the route does not exist in production. */
  environment?: Extract<Environment, 'sandbox'>
  status: 200 | 201
  errors: readonly DeclaredError[]
  /** Every response of the route carries `Cache-Control: no-store`. */
  noStore?: boolean
  /** It begins what more requests have to finish: under load it is refused before those that go on with something. */
  begins?: true
  /** It takes further, or ends, what earlier requests have begun: under load it waits longer than others, as a refusal throws those away. */
  goesOn?: true
  /** A missing body means the same as an empty object. */
  optionalBody?: boolean
  /** Its handler returns a `Page`: the envelope says where in the list it is. */
  isPaged?: true
  /** Pages of origins that the host allows may call it. */
  crossOrigin?: true
  /** The error for a missing required field, where the contract has one of its own; it wins over what else is wrong. */
  missing?: DeclaredError
  /**
   * What the schema cannot say of a body: rules between fields, or by the time of day. It is run with the schema, so that
   * one response names every failing field; so it also sees bodies that the schema refuses, and takes any value.
   */
  check?: (body: unknown) => ErrorDetails
}

interface RouteSpec<
  A extends Auth,
  Params extends TObject | undefined,
  Query extends TObject | undefined,
  Body extends TSchema | undefined,
  Response extends TSchema,
  Key extends KeyFormat | undefined,
> extends RouteText {
  /** The credentials it accepts, or `open(reason)`. Required: a row without it does not compile. */
  auth: A
  /** Null only for health checks and static documents. */
  limit: Limit<CallerOf<A>> | null
  /** Answers that help a guesser, and how many of them are given. */
  refusals?: Refusals<CallerOf<A>>
  params?: Params
  query?: Query
  /** Absent: the route takes no body, and a body that is not an empty object is refused. */
  body?: Body
  /** It takes an `Idempotency-Key` of this form. What comes with one twice takes effect once: see `commandOnce`. */
  idempotencyKey?: Key
  /** What the handler returns. Only what is in the schema is sent. */
  response: Response
  /** One request and its response, for the published description. */
  example?: RouteExample<Shape<Body>, Static<Response>>
  handler: (
    context: RequestContext<
      CallerOf<A>,
      Shape<Params>,
      Shape<Query>,
      Shape<Body>,
      Key extends KeyFormat ? string : undefined,
      Key extends KeyFormat ? KeyedRequest<Static<Response>> : undefined
    >,
  ) => Promise<Static<Response> | RawJson | Page<Static<Response>> | StoredResponse | WithCookie<Static<Response>>>
}

/** A row of the route table with its types erased, as the builder and the table-walking test see it. */
export interface Route extends RouteText {
  auth: Auth
  limit: AnyLimit | null
  refusals?: Refusals<never> | undefined
  params?: TObject | undefined
  query?: TObject | undefined
  body?: TSchema | undefined
  idempotencyKey?: KeyFormat | undefined
  response: TSchema
  example?: RouteExample<unknown, unknown>
  handler: (context: RequestContext<never, never, never, never, never, never>) => Promise<unknown>
}

/** Checks a row's handler against its schemas, then erases the types. */
export function route<
  const A extends Auth,
  Response extends TSchema,
  Params extends TObject | undefined = undefined,
  Query extends TObject | undefined = undefined,
  Body extends TSchema | undefined = undefined,
  Key extends KeyFormat | undefined = undefined,
>(spec: RouteSpec<A, Params, Query, Body, Response, Key>): Route {
  return Object.freeze(spec)
}
