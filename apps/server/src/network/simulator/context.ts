import type { Pool } from 'pg'
import type { Clock } from '../../platform/clock.ts'
import type { NetworkCipher } from './cipher.ts'

/** What every part of the simulated network works with. */
export interface Context {
  readonly pool: Pool
  readonly clock: Clock
  readonly cipher: NetworkCipher
  /** How long the adapter waits for an answer; scripted hangs last longer. */
  readonly timeoutMs: number
}
