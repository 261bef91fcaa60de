import type { AgentStatus } from '@mintmark/contract/agents'
import type { Transitions } from '../platform/states.ts'

/** As a link is stored: that its time is over is seen by whoever reads it. */
export const STORED_LINK_STATUSES = ['pending', 'approved', 'denied'] as const
type StoredLinkStatus = (typeof STORED_LINK_STATUSES)[number]

export const AGENT_LINK_TRANSITIONS: Transitions<StoredLinkStatus> = {
  /** It waits for an owner. */
  pending: ['approved', 'denied'],
  /** It has become an agent. Terminal. */
  approved: [],
  /** An owner said no. Terminal. */
  denied: [],
}

export const AGENT_TRANSITIONS: Transitions<AgentStatus> = {
  active: ['revoked'],
  /** Its owner or the operator has ended it. Terminal. */
  revoked: [],
}
