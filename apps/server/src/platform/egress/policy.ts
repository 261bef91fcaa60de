import { type Address, isLoopback, isPublic } from './addresses.ts'
import { type Resolve, resolveLikeTheSystem, resolvePublicly } from './resolve.ts'

/** What a request to the outside may do. A value: nothing of it is read from the environment where the request is made. */
export interface EgressPolicy {
  /** Addresses that may be called over TLS. */
  overTls: Allows
  /** Addresses that may be called without TLS; null: none, and `http:` is refused as it is written. */
  inTheClear: Allows | null
  /** Names that may be called without TLS: those that are this machine's by definition, or any. `inTheClear` decides about addresses. */
  namesInTheClear: 'localhost' | 'any'
  /** `standard`: 443 alone. */
  ports: 'standard' | 'any'
  resolve: Resolve
  /** Name, TCP and TLS together. */
  connectMillis: number
  /** From the beginning to the last byte that is read. */
  totalMillis: number
  /** So much of a body is read, then the connection is destroyed. */
  bodyBytes: number
}

type Allows = (address: Address) => boolean

/** To destinations that another party than the operator chooses, such as a merchant. The budgets are the contract's. */
export const PUBLIC_ONLY: EgressPolicy = Object.freeze({
  overTls: isPublic,
  inTheClear: null,
  namesInTheClear: 'localhost',
  ports: 'standard',
  resolve: resolvePublicly(),
  connectMillis: 3_000,
  totalMillis: 10_000,
  bodyBytes: 4096,
})

/**
 * As `PUBLIC_ONLY`, and every port of this machine, where developers run what they build. Its other addresses and its network
 * stay refused. Never for production.
 */
export const PUBLIC_AND_LOOPBACK: EgressPolicy = Object.freeze({
  ...PUBLIC_ONLY,
  overTls: (address: Address) => isPublic(address) || isLoopback(address),
  inTheClear: isLoopback,
  ports: 'any',
})

/**
 * To destinations that the operator of the deployment wrote into its settings: a key management service, a mail server. They may
 * be private, and the names of the machine (`/etc/hosts`, its search domains) are good. Budgets hold, and no redirect is followed.
 */
export const OPERATOR: EgressPolicy = Object.freeze({
  ...PUBLIC_ONLY,
  overTls: () => true,
  inTheClear: () => true,
  namesInTheClear: 'any',
  ports: 'any',
  resolve: resolveLikeTheSystem,
  bodyBytes: 65_536,
})

/** What webhook endpoints may be. */
export function webhookPolicy({ allowLoopback }: { allowLoopback: boolean }): EgressPolicy {
  return allowLoopback ? PUBLIC_AND_LOOPBACK : PUBLIC_ONLY
}

/** So much of a shop's answer is read: a page of its catalog, with descriptions. */
const SHOP_BODY_BYTES = 1_048_576

/** What shops may be where the service buys. */
export function shopPolicy({ allowLoopback }: { allowLoopback: boolean }): EgressPolicy {
  return { ...(allowLoopback ? PUBLIC_AND_LOOPBACK : PUBLIC_ONLY), bodyBytes: SHOP_BODY_BYTES }
}
