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

/** What an agent that came by the tool protocol may be allowed to ask for: to look, to ask for mandates and stop them, to buy. */
export const AGENT_SCOPES = ['payments:read', 'mandates:write', 'checkout:write'] as const
export type AgentScope = (typeof AGENT_SCOPES)[number]

/** What an owner limits. */
export const LIMIT_KINDS = [
  'currency',
  'merchants',
  'hours',
  'charge',
  'open',
  'day',
  'month',
  'ask_above',
  'ask_repeats',
] as const
/** What a charge of an agent may be refused for: one of the owner's limits, or the mandate's: its cap, its number of charges, its shop. */
export const CHARGE_LIMITS = [...LIMIT_KINDS, 'mandate', 'max_charges', 'shop'] as const

/** How long an owner can answer what an agent's charge asks beyond a limit, in minutes. */
export const ESCALATION_MINUTES = 30
/** How long a charge that the owner has allowed can be made, in seconds: as long as a one-time mandate lasts. */
export const ALLOWED_SECONDS = 7 * 24 * 60 * 60
/** How many escalations of one agent may wait at once. */
export const MAX_ESCALATIONS = 10
/** How an escalation stands. */
export const ESCALATION_STATUSES = ['pending', 'allowed', 'denied', 'expired'] as const
export type EscalationStatus = (typeof ESCALATION_STATUSES)[number]
