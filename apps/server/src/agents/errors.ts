import { declareError } from '../platform/errors.ts'

export const agentSignatureRequired = declareError(
  'AUTH_REQUIRED',
  "Sign the request with the agent's key (RFC 9421). `details.reason` says which check failed.",
)
export const agentRevoked = declareError('AUTH_REQUIRED', 'The agent was revoked.')
export const agentKeyLinked = declareError('AGENT_KEY_LINKED', 'This key is linked already. Link another one.')
export const agentNotFound = declareError('NOT_FOUND', 'You have no such agent.')
export const agentLinkNotFound = declareError('NOT_FOUND', 'There is no such link.')
