import type { IncomingHttpHeaders } from 'node:http'
import type { DeclaredError } from '../platform/errors.ts'

/** What a credential may look at before the body is read. */
export interface CredentialRequest {
  method: string
  /** As sent, without the query. */
  path: string
  /** What follows the `?`, as sent; empty when there is nothing. */
  query: string
  headers: IncomingHttpHeaders
  /** Names and values in turn, as they came: what came twice is there twice. */
  rawHeaders: readonly string[]
}

interface CredentialSpec<Caller> {
  /** Description in the OpenAPI document: an object of `securitySchemes`. */
  scheme: Readonly<Record<string, unknown>>
  /** The header that carries it, in lower case. */
  header: string
  errors: {
    /** The request carries no credential of this kind, or one that cannot be read. */
    missing: DeclaredError
    /** The credential is wrong. Counted as a guess against the client's address. */
    invalid: DeclaredError
    /** The credential was a real one and its time is over. Not a guess. */
    ended?: readonly DeclaredError[]
  }
  /**
   * What a caller shows in each request alike and no other caller can, or not from this address; null: nothing. Without it: the value of the
   * header, after its scheme. Whose it was when it was good decides about the order of those who wait, and about nothing else.
   */
  shown?(headers: IncomingHttpHeaders, address: string): string | null
  /** True when the headers carry this kind of credential, for rows that accept several. Without it: the header is there. */
  applies?(headers: IncomingHttpHeaders): boolean
  /** The check has compared the page that calls with those of the account: then the page may read the response (CORS). */
  isOfPage?: boolean
  /** Whose account the caller acts for: it is in the access log, and what is scarce is shared out among them. */
  tenantOf?(caller: Caller): string
}

declare const CALLER: unique symbol

/** A kind of proof of who is calling: what a row names in `auth`. How it is checked is a `CredentialCheck` of the host. */
export interface Credential<Caller> extends CredentialSpec<Caller> {
  /** The key in `securitySchemes`. */
  name: string
  applies(headers: IncomingHttpHeaders): boolean
  shown(headers: IncomingHttpHeaders, address: string): string | null
  /** Carries the type of the caller; has no value. */
  [CALLER]?: Caller
}
export type AnyCredential = Credential<unknown>

/** Declares a kind of credential. The feature that issues it does this once, in its `credential.ts`. */
export function credential<Caller>(name: string, spec: CredentialSpec<Caller>): Credential<Caller> {
  const applies = (headers: IncomingHttpHeaders) => headers[spec.header] !== undefined
  const shown = (headers: IncomingHttpHeaders) => {
    const value = headers[spec.header]
    if (typeof value !== 'string') return null
    return spec.header === 'authorization' ? value.slice(value.lastIndexOf(' ') + 1) : value
  }
  return Object.freeze({ applies, shown, ...spec, name })
}

/** Every error a row may return because of this credential. */
export function errorsOf({ errors }: AnyCredential): readonly DeclaredError[] {
  return [errors.invalid, errors.missing, ...(errors.ended ?? [])]
}

/**
 * What a 401 says in `WWW-Authenticate`, which HTTP demands of it (RFC 9110, 11.6.1): some clients take a 401 without it for a broken
 * response. An open row says `Bearer`: what it refuses with 401 is an authority that has ended, and other rows take that as `Bearer`.
 */
export function challengesOf(auth: Auth): string {
  const schemes = credentialsOf(auth).map(({ scheme }) => (scheme.type === 'apiKey' ? 'ApiKey' : 'Bearer'))
  return [...new Set(schemes.length === 0 ? ['Bearer'] : schemes)]
    .map((scheme) => `${scheme} realm="mintmark"`)
    .join(', ')
}

/** How a host checks one kind of credential. The functions throw the declared errors of the credential. */
interface CredentialCheck<Caller> {
  check(request: CredentialRequest): Promise<Caller>
  /** Uses up a credential that is good once, when the limits have let the request in. `check` has said who it is of. */
  spend?(shown: Caller): Promise<Caller>
  /** Runs after the body was read and before it is used, for credentials that cover it. SHA-256 of the bytes as sent. */
  checkBody?(request: CredentialRequest, bodyDigest: Buffer, caller: Caller): Promise<void>
}

/** A credential with its check: what a host is built with. */
export interface CheckedCredential extends CredentialCheck<unknown> {
  credential: AnyCredential
}

export function checkedBy<Caller>(
  credential: Credential<Caller>,
  check: CredentialCheck<NoInfer<Caller>>,
): CheckedCredential {
  return { ...check, credential }
}

interface OnceCheck<Caller, Shown> extends Pick<CredentialCheck<Caller>, 'checkBody'> {
  /** With what the row's limit counts by, and `tenantOf` reads. */
  identify(request: CredentialRequest): Promise<Shown>
  spend(shown: Shown): Promise<Caller>
}

/** The same of a credential that is good once. A request that the limits refuse has not used it up. */
export function checkedOnce<Caller, Shown>(
  credential: Credential<Caller>,
  { identify, spend, checkBody }: OnceCheck<NoInfer<Caller>, Shown>,
): CheckedCredential {
  return { credential, check: identify, spend, checkBody } as CheckedCredential
}

/** The `auth` of a row that everyone may call. */
export interface Open {
  reason: string
}

/** Says that a row needs no credential, and why that is safe. */
export function open(reason: string): Open {
  return Object.freeze({ reason })
}

/** What a row accepts. There is no default: a row that says nothing does not compile. */
export type Auth = Open | readonly [AnyCredential, ...AnyCredential[]]

/** The caller a handler sees: null on an open row, otherwise the caller of one of the credentials. */
export type CallerOf<A extends Auth> = A extends readonly (infer Each)[] ? CallerOfOne<Each> : null
type CallerOfOne<Each> = Each extends Credential<infer Caller> ? Caller : never

export function isOpen(auth: Auth): auth is Open {
  return 'reason' in auth
}

/** The credentials of a row, none for an open one. */
export function credentialsOf(auth: Auth): readonly AnyCredential[] {
  return isOpen(auth) ? [] : auth
}
