import type { LimitsChange } from '@mintmark/contract/wire/owner'
import type { OwnerCaller, OwnerDeps } from './deps.ts'

// Other limits for an agent that an owner has linked.

/** The statement of limits that allow more, and the WebAuthn request that signs it. */
export async function limitsApproval(
  { agents }: OwnerDeps,
  { customerId }: OwnerCaller,
  { agentId, ...change }: LimitsChange & { agentId: string },
) {
  return agents.limitsApproval({ agentId, customerId }, change)
}

export async function approveLimits(
  { agents }: OwnerDeps,
  { customerId }: OwnerCaller,
  { agentId, ...signed }: { agentId: string; changeId: string; response: unknown },
): Promise<void> {
  await agents.approveLimits({ agentId, customerId }, signed)
}

/** Limits that allow no more than those before, which need no passkey. */
export async function narrowLimits(
  { agents }: OwnerDeps,
  { customerId }: OwnerCaller,
  { agentId, ...change }: LimitsChange & { agentId: string },
): Promise<void> {
  await agents.narrowLimits({ agentId, customerId }, change)
}
