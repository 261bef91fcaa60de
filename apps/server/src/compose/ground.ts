import type { Pool } from 'pg'
import type { CreateCheckout } from '../checkout/shops/service.ts'
import type { Config } from '../config.ts'
import type { DatabaseClock } from '../db/clock.ts'
import type { Connection } from '../db/pool.ts'
import type { KeyRing } from '../keys/ring.ts'
import type { CapableNetwork } from '../network/capabilities.ts'
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
  /** What stands in place of the card network: in tests, which are given the program's own. */
  createNetwork?: ((own: CapableNetwork) => CapableNetwork) | undefined
  /** How long a caller waits for another system. Below the time of a request as a whole; less only in tests. */
  callerWaitMillis?: number | undefined
  /** How long a burst of requests may take to come through. The door's own time, but in tests of busy machines. */
  burstMillis?: number | undefined
  /** How long the simulated network is waited for where its script loses an answer; its whole time, but in tests. */
  lostMillis?: number | undefined
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
