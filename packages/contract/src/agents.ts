/** How the link of an agent to its owner stands. */
export const AGENT_LINK_STATUSES = ['pending', 'approved', 'denied', 'expired'] as const
export type AgentLinkStatus = (typeof AGENT_LINK_STATUSES)[number]

export const AGENT_STATUSES = ['active', 'revoked'] as const
export type AgentStatus = (typeof AGENT_STATUSES)[number]

/** How long a link may be approved, in minutes. */
export const AGENT_LINK_MINUTES = 15

/** How long the key that an agent has changed for another one goes on, in seconds, unless less is asked for. */
export const AGENT_OLD_KEY_SECONDS = 24 * 60 * 60

/** The first line of what a new key signs to show that the agent has it; then come the agent's id, the old thumbprint and the new one. */
export const AGENT_KEY_CHANGE = 'mintmark-agent-key-change'

/** What an owner limits. */
export const LIMIT_KINDS = ['currency', 'merchants', 'hours', 'charge', 'open', 'day', 'month', 'ask_above'] as const
/** What a charge of an agent may be refused for: one of the owner's limits, or the mandate's. */
export const CHARGE_LIMITS = [...LIMIT_KINDS, 'mandate', 'max_charges'] as const
