import type { Operations } from '../api-types.ts'
import type { Call, CallOptions } from './call.ts'

type Body<Id extends 'completeSession' | 'approveAgentLink' | 'decideAgentEscalation' | 'authorize'> =
  Operations[Id]['body']

export interface TestHelpers extends ReturnType<typeof testHelpersOf> {}

/** What people and shops would do. Only a sandbox has these. */
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
})
