import type { CreateSessionRequest, EnrollCardRequest, Operations, ReportStatusRequest } from '../api-types.ts'
import type { Call, CallOptions } from './call.ts'
import { isUnderWay, untilSettled, type WaitOptions } from './wait.ts'

export interface Sessions extends ReturnType<typeof sessionsOf> {}

export const sessionsOf = (call: Call) => {
  const result = (sessionId: string, options?: CallOptions) =>
    call('getPaymentResult', { params: { sessionId } }, options)
  return {
    /**
     * Asks a cardholder for a purchase, or with `mandate_setup` for a standing mandate. Open `iframe_url` exactly as it
     * is.
     */
    create: (session: CreateSessionRequest, options?: CallOptions) => call('createSession', { body: session }, options),
    /** How it stands; in `awaiting_result` with the card. */
    result,
    /** The result, once the cardholder and the network are done: every status but `pending` and `processing`. */
    waitForResult: (sessionId: string, options: WaitOptions = {}) =>
      untilSettled(() => result(sessionId, options), isUnderWay, options),
    /** What became of the purchase. The same report again has the first result. */
    report: (sessionId: string, report: ReportStatusRequest, options?: CallOptions) =>
      call('reportStatus', { params: { sessionId }, body: report }, options),
    /** Takes it back before there is a card. */
    revoke: (sessionId: string, options?: CallOptions) => call('revokeSession', { params: { sessionId } }, options),
  }
}

export interface Enrollments extends ReturnType<typeof enrollmentsOf> {}

export const enrollmentsOf = (call: Call) => ({
  /** Enrolls a card without a payment. */
  create: (card: EnrollCardRequest, options?: CallOptions) => call('enrollCard', { body: card }, options),
  get: (sessionId: string, options?: CallOptions) => call('getEnrollmentStatus', { params: { sessionId } }, options),
})

export interface Cards extends ReturnType<typeof cardsOf> {}

export const cardsOf = (call: Call) => ({
  list: (query: Operations['listCards']['query'], options?: CallOptions) => call('listCards', { query }, options),
  delete: (card: Operations['deleteCard']['body'], options?: CallOptions) =>
    call('deleteCard', { body: card }, options),
  /** Puts a number in the vault, which your servers would better never see. */
  vault: (card: Operations['createVaultRecord']['body'], options?: CallOptions) =>
    call('createVaultRecord', { body: card }, options),
})

export interface Customers extends ReturnType<typeof customersOf> {}

export const customersOf = (call: Call) => ({
  /** Lets a customer replace a lost passkey, for 24 hours. */
  resetPasskey: (userId: string, options?: CallOptions) => call('resetPasskey', { params: { userId } }, options),
})
