import type { AgentService } from '../agents/service.ts'
import type { CardService } from '../cards/service.ts'
import type { QuoteService } from '../checkout/quotes/service.ts'
import { oauthErrorPage } from '../hosts/oauth.ts'
import { createToolService } from '../mcp/service.ts'
import { webhookPolicy } from '../platform/egress/policy.ts'
import type { SessionService } from '../sessions/service.ts'
import type { Ground } from './ground.ts'
import type { Operated } from './operated.ts'
import { ownerUrlOf } from './owners.ts'

interface ToolParts {
  agents: AgentService
  sessions: SessionService
  cards: CardService
  quotes: QuoteService
}

/** What clients of the tool protocol are let in by, and do. */
export function composeTools(
  { config, log, outside = {} }: Ground,
  operated: Operated,
  { agents, ...used }: ToolParts,
) {
  const { parts, mandates, agentOperations } = operated
  const { derived, common } = parts
  const toolDeps = {
    ...{ ...common, log, seals: parts.seals, agents, endAgent: agentOperations.revoke, merchantId: agents.merchantId },
    ...{ apiUrl: config.apiUrl, ownerUrl: ownerUrlOf(config), errorPage: oauthErrorPage },
    ...{ entriesKey: derived.oauthEntries, cookiesKey: derived.oauthCookies, signingKey: derived.oauthSigning },
    documentPolicy: webhookPolicy({ allowLoopback: config.clientDocumentAllowLoopback }),
    documentMillis: outside.document,
  }
  const tools = createToolService({ ...toolDeps, ...used, mandates, statesKey: derived.toolStates })
  return { toolDeps, tools }
}
