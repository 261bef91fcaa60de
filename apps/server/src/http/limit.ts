/** What a limit may count by, besides the caller. */
interface LimitedRequest {
  /** The client's address. */
  ip: string
}

export interface Quota {
  points: number
  windowSeconds: number
}

interface LimitSpec<Caller> extends Quota {
  /** Default number of points in the sandbox, where it differs. */
  sandboxPoints?: number
  /** The key that is counted, made before the body is read. */
  by: (caller: Caller, request: LimitedRequest) => string
  /**
   * What happens while the store cannot be read. `refuse` where the limit stands between an attacker and something that
   * can be guessed. `pass` elsewhere: an outage of the limiter must not become an outage of the service.
   */
  withoutStore: 'pass' | 'refuse'
  /** What is counted, and by what: for the operator who sets the number. */
  meaning: string
  countedBy: string
}

/** How often something may be done. Rows name one; the operator may change its points. */
export interface Limit<Caller> extends LimitSpec<Caller> {
  /** In lower snake case. The setting `RATE_LIMIT_<NAME>` and the response fields are made from it. */
  name: string
}
export type AnyLimit = Limit<never>

/** Declares a limit. The feature whose rows name it does this once. */
export function limit<Caller>(name: string, spec: LimitSpec<Caller>): Limit<Caller> {
  return Object.freeze({ name, ...spec })
}

/** The key of a limit that counts by the client's address. */
export function byAddress(_caller: unknown, { ip }: LimitedRequest): string {
  return ip
}
