import type { Confirmation, PaymentFailure } from '@mintmark/contract'
import type { ChargeDeps } from './deps.ts'
import type { MintOutcome } from './mint.ts'
import type { ChargeWork } from './store.ts'

/** Undefined: the charge was finished elsewhere, or its lease taken over; nothing is written then. */
export type Recorded = Promise<object | undefined>
export type Minted = Extract<MintOutcome, { outcome: 'minted' }>

/** How the holder of a charge records a word about it, in one statement with its events. */
export interface ChargeEnds {
  minted(deps: ChargeDeps, work: ChargeWork, minted: Minted): Recorded
  refused(deps: ChargeDeps, work: ChargeWork, failure: PaymentFailure): Recorded
  /** The network knows the reported outcome. */
  paid(deps: ChargeDeps, work: ChargeWork, confirmation: Confirmation): Recorded
  declined(deps: ChargeDeps, work: ChargeWork, confirmation: Confirmation): Recorded
  /** The time to report is over. Where the network is to be asked for it, unknown gives the work back, to be tried again. */
  runOut(deps: ChargeDeps, work: ChargeWork): Recorded
}
