import type { Static, TObject, TSchema } from 'typebox'
import type { DeclaredError } from '../platform/errors.ts'

/** Who is calling, as `auth` of the route resolved it. Every handler reads the merchant from here and nowhere else. */
export interface MerchantCaller {
  readonly merchantId: string
  readonly keyId: string
}

/** The page of the secure surface, by the session's token. */
export interface SurfaceCaller {
  readonly merchantId: string
  readonly sessionId: string
  readonly customerId: string
}

/**
 * What a route accepts as credential. There is no default: a row that names none does not compile.
 * `public` routes answer anybody and must say why in `publicReason`.
 */
export interface Callers {
  public: null
  secret_key: MerchantCaller
  session_token: SurfaceCaller
}
export type AuthKind = keyof Callers

/** Named limits; the numbers come from the configuration. `none` only for health checks and static documents. */
export type RateLimitName = 'none' | 'merchant' | 'launch' | 'surface' | 'surface_secret_entry' | 'document'

export interface RequestContext<Auth extends AuthKind, Params, Query, Body> {
  readonly caller: Callers[Auth]
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly responseId: string
  /** Adds a response header, e.g. `cache-control`. */
  setHeader(name: string, value: string): void
}

type Shape<S> = S extends TSchema ? Static<S> : undefined

interface RouteSpec<
  Auth extends AuthKind,
  Params extends TObject | undefined,
  Query extends TObject | undefined,
  Body extends TSchema | undefined,
> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Fastify form: `/v1/sessions/:sessionId/revoke`. */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tag: string
  readonly auth: Auth
  readonly publicReason?: string
  readonly rateLimit: RateLimitName
  /** 'sandbox': the route does not exist in production. */
  readonly environment?: 'sandbox'
  readonly params?: Params
  readonly query?: Query
  /** Absent: the route takes no body, and a body that is not an empty object is refused. */
  readonly body?: Body
  readonly status: 200 | 201
  /** Only what is in the schema is sent. */
  readonly response: TSchema
  readonly errors: readonly DeclaredError[]
  /** Every response of the route carries `Cache-Control: no-store`. */
  readonly noStore?: boolean
  readonly handler: (context: RequestContext<Auth, Shape<Params>, Shape<Query>, Shape<Body>>) => Promise<unknown>
}

/** A row of the route table with its types erased, as the builder and the table-walking test see it. */
export type Route = RouteSpec<AuthKind, TObject | undefined, TObject | undefined, TSchema | undefined> & {
  readonly handler: (context: RequestContext<never, never, never, never>) => Promise<unknown>
}

/** Checks a row's handler against its schemas, then erases the types. */
export function route<
  Auth extends AuthKind,
  Params extends TObject | undefined = undefined,
  Query extends TObject | undefined = undefined,
  Body extends TSchema | undefined = undefined,
>(spec: RouteSpec<Auth, Params, Query, Body>): Route {
  return Object.freeze(spec) as unknown as Route
}
