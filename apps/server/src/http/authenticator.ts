import type { AuthKind, Callers } from './route.ts'

/** Resolves the `Authorization` header to a caller or throws a declared 401. One per kind of credential. */
export type Authenticator<Auth extends AuthKind> = (header: string | undefined) => Promise<Callers[Auth]>

export type Authenticators = { readonly [Auth in AuthKind]?: Authenticator<Auth> }
