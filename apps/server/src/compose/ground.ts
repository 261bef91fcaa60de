import type { Pool } from 'pg'
import type { CreateCheckout } from '../checkout/shops/service.ts'
import type { Config } from '../config.ts'
import type { DatabaseClock } from '../db/clock.ts'
import type { Connection } from '../db/pool.ts'
import type { KeyRing } from '../keys/ring.ts'
import type { EgressPolicy } from '../platform/egress/policy.ts'
import type { KeyProvider } from '../platform/key-provider.ts'
import type { Log } from '../platform/log.ts'
import type { Secret } from '../platform/secret.ts'

/** What everything stands on, opened by the role that runs. */
export interface Ground {
  config: Config
  pool: Pool
  connection: Connection
  clock: DatabaseClock
  rootKey: Secret<Buffer>
  keys: KeyGround
  log: Log
  /** The operator's own image; absent: none was given. */
  operatorLogo?: OperatorLogo | undefined
  /** How shops are spoken to, where that is not by the adapters: in tests. */
  createCheckout?: CreateCheckout | undefined
  /** How long a caller waits for another system. Below the time of a request as a whole; less only in tests. */
  callerWaitMillis?: number | undefined
  /** How long one request may take; longer than that of the product only in tests. */
  deadlineMillis?: number | undefined
  /** How long an answer is waited for that the simulated network loses, where that is less than for any other: in tests. */
  lostMillis?: number | undefined
  /** How long servers of others and the places of requests to them are waited for, where that is not as in the product: in tests. */
  outside?: OutsideLimits | undefined
}

/** All in milliseconds; absent: as in the product. */
export interface OutsideLimits {
  /** For the connection to a receiver of webhooks or a shop. */
  connect?: number
  /** From the place of such a request to the request. */
  stale?: number
  /** For the document of a client. */
  document?: number
}

export function outsidePolicy({ outside }: Pick<Ground, 'outside'>, policy: EgressPolicy): EgressPolicy {
  return outside?.connect === undefined ? policy : { ...policy, connectMillis: outside.connect }
}

/** A PNG that was encoded anew, and where the surface serves it. */
export interface OperatorLogo {
  path: string
  image: Buffer
}

export const CALLER_WAIT_MILLIS = 8_000

/** The key-encryption keys: as one provider, and where each is found. */
export interface KeyGround {
  ring: KeyRing
  rootKeyFile: string
  providerOf(keyId: string): KeyProvider
}
