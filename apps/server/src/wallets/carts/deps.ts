import type { RespondDeps } from '../../db/respond-once.ts'
import type { Log } from '../../platform/log.ts'

export interface CartDeps extends RespondDeps {
  log: Log
  /** After so many days without a change an open cart is abandoned. */
  cartDays: number
  /** So long an abandoned cart is kept. */
  retentionDays: number
}
