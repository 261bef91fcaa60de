import type { Operations } from '../api-types.ts'
import type { Call, CallOptions } from './call.ts'

type Helper = 'completeSession' | 'approveAgentLink' | 'decideAgentEscalation' | 'authorize' | 'settleAuthorization'
type Body<Id extends Helper> = Operations[Id]['body']

export interface TestHelpers extends ReturnType<typeof testHelpersOf> {}

/** For a sandbox alone: what people and shops would do. */
export const testHelpersOf = (call: Call) => ({
  /** The cardholder's part of a session. */
  completeSession: (sessionId: string, body: Body<'completeSession'> = {}, options?: CallOptions) =>
    call('completeSession', { params: { sessionId }, body }, options),
  /** An owner approves the link of an agent. */
  approveAgentLink: (linkId: string, body: Body<'approveAgentLink'> = {}, options?: CallOptions) =>
    call('approveAgentLink', { params: { linkId }, body }, options),
  /** An owner shows shops who an agent is, or takes that back. */
  publishAgent: (agentId: string, published = true, options?: CallOptions) =>
    call('publishAgent', { params: { agentId }, body: { published } }, options),
  /** An owner answers what the charge of an agent asks. */
  decideEscalation: (escalationId: string, body: Body<'decideAgentEscalation'>, options?: CallOptions) =>
    call('decideAgentEscalation', { params: { escalationId }, body }, options),
  advanceClock: (seconds: number, options?: CallOptions) => call('advanceClock', { body: { seconds } }, options),
  /** A shop spends a card. */
  authorize: (body: Body<'authorize'>, options?: CallOptions) => call('authorize', { body }, options),
  /** The shop's bank takes what was authorized, gives it up or pays it back, or the cardholder disputes it. */
  settleAuthorization: (authorizationId: string, body: Body<'settleAuthorization'>, options?: CallOptions) =>
    call('settleAuthorization', { params: { authorizationId }, body }, options),
})
