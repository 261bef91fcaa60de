import type { LimitsChange, LimitsReading } from '@mintmark/contract/wire/owner'
import type { OwnerCaller, OwnerDeps } from './deps.ts'
import { rejectWider } from './recovered.ts'

// Other limits for an agent that an owner has linked.

/** The statement of limits that allow more, and the WebAuthn request that signs it. */
export async function limitsApproval(
  deps: OwnerDeps,
  caller: OwnerCaller,
  { agentId, ...change }: LimitsReading & { agentId: string },
) {
  const { customerId } = caller
  await rejectWider(deps, caller)
  return deps.agents.limitsApproval({ agentId, customerId }, change)
}

export async function approveLimits(
  deps: OwnerDeps,
  caller: OwnerCaller,
  { agentId, ...signed }: { agentId: string; changeId: string; response: unknown },
): Promise<void> {
  const { customerId } = caller
  await rejectWider(deps, caller)
  await deps.agents.approveLimits({ agentId, customerId }, signed)
}

/** Limits that allow no more than those before, which need no passkey. */
export async function narrowLimits(
  { agents }: OwnerDeps,
  { customerId }: OwnerCaller,
  { agentId, ...change }: LimitsChange & { agentId: string },
): Promise<void> {
  await agents.narrowLimits({ agentId, customerId }, change)
}
