import type { LinkView, Decided as WireDecided } from '@mintmark/contract/wire/owner'
import type { Decided, LookedAtLink } from '../../owners/service.ts'

export function toWireLink({
  linkId,
  status,
  asks,
  agentId,
  limits,
  expiresAt,
  now,
  continueUrl,
}: LookedAtLink): LinkView {
  const agent = asks && {
    ...{ name: asks.name, platform: asks.platform, description: asks.description },
    key_thumbprint: asks.thumbprint,
  }
  return {
    ...{ link_id: linkId, status, agent, agent_id: agentId, limits, continue_url: continueUrl },
    ...{ expires_at: expiresAt.toISOString(), now: now.toISOString() },
  }
}

export const toWireDecided = ({ continueUrl }: Decided): WireDecided => ({ continue_url: continueUrl })
