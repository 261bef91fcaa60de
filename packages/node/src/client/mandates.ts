import { randomUUID } from 'node:crypto'
import type { ChargeReportRequest, ChargeRequest, MandateChargeResult, Operations } from '../api-types.ts'
import type { Call, CallOptions } from './call.ts'
import { everyItem } from './lists.ts'

// The same for merchants and for agents: what differs is whose mandates there are, and how a card comes.

type ListQuery = Operations['listMandates']['query']
type DashboardQuery = Operations['getMandate']['query']

export interface Mandates extends ReturnType<typeof mandatesOf> {}

export const mandatesOf = (call: Call) => ({
  /** One page; `next_cursor` is there when more follows. */
  list: (query: ListQuery = {}, options?: CallOptions) => call('listMandates', { query }, options),
  /** All of them, newest first, page by page as they are asked for. */
  all: (query: Omit<ListQuery, 'cursor'> = {}, options?: CallOptions) =>
    everyItem(
      (cursor) => call('listMandates', { query: { ...query, cursor } }, options),
      ({ mandates }) => mandates,
    ),
  get: (mandateId: string, query: DashboardQuery = {}, options?: CallOptions) =>
    call('getMandate', { params: { mandateId }, query }, options),
  pause: (mandateId: string, query: DashboardQuery = {}, options?: CallOptions) =>
    call('pauseMandate', { params: { mandateId }, query }, options),
  resume: (mandateId: string, query: DashboardQuery = {}, options?: CallOptions) =>
    call('resumeMandate', { params: { mandateId }, query }, options),
  /** For good. */
  cancel: (mandateId: string, query: DashboardQuery = {}, options?: CallOptions) =>
    call('cancelMandate', { params: { mandateId }, query }, options),
})

/** A charge, and the reference that finds it again. */
export type Charge = MandateChargeResult & { reference: string }

export interface Charges extends ReturnType<typeof chargesOf> {}

export const chargesOf = (call: Call) => ({
  /**
   * Charges a mandate. A charge that is not allowed is no error: its `status` is `failed`. A `reference` is made where
   * none is given, and is in what comes back and in `OutcomeUnknownError`: the same one again is the same charge,
   * unless that one failed.
   */
  async create(mandateId: string, charge: ChargeRequest, options?: CallOptions): Promise<Charge> {
    const reference = charge.reference || `sdk-${randomUUID()}`
    const input = { params: { mandateId }, query: {}, body: { ...charge, reference } }
    return { ...(await call('chargeMandate', input, options)), reference }
  },
  /** Whether a charge would pass, and why not. Nothing is charged. */
  check: (mandateId: string, charge: ChargeRequest, options?: CallOptions) =>
    call('chargeMandate', { params: { mandateId }, query: { dry_run: true }, body: charge }, options),
  /** What became of it at the shop. The same report again has the first result. */
  report: (mandateId: string, txnId: string, report: ChargeReportRequest, options?: CallOptions) =>
    call('reportCharge', { params: { mandateId, txnId }, query: {}, body: report }, options),
})
