import type { Confirmation, PaymentFailure } from '@mintmark/contract'
import type { ChargeDeps } from './deps.ts'
import type { MintOutcome } from './mint.ts'
import type { ChargeWork } from './store.ts'

/** Undefined: the charge was finished elsewhere, or its lease taken over; nothing is written then. */
export type Recorded = Promise<object | undefined>
export type Minted = Extract<MintOutcome, { outcome: 'minted' }>

/** How the holder of a charge records, in one statement with its events, that the network knows the reported outcome. */
export interface ReportEnds<Work> {
  paid(deps: ChargeDeps, work: Work, confirmation: Confirmation): Recorded
  declined(deps: ChargeDeps, work: Work, confirmation: Confirmation): Recorded
}

/** How it records any word about it. */
export interface ChargeEnds extends ReportEnds<ChargeWork> {
  minted(deps: ChargeDeps, work: ChargeWork, minted: Minted): Recorded
  refused(deps: ChargeDeps, work: ChargeWork, failure: PaymentFailure): Recorded
  /** The time to report is over. Where the network is to be asked for it, unknown gives the work back, to be tried again. */
  runOut(deps: ChargeDeps, work: ChargeWork): Recorded
}
