import type { AgentService } from '../agents/service.ts'
import type { CommandDeps } from '../db/command.ts'
import type { EgressPolicy } from '../platform/egress/policy.ts'
import type { Log } from '../platform/log.ts'
import type { RowSeals } from '../platform/row-seals.ts'
import type { Secret } from '../platform/secret.ts'

export interface AuthorizationDeps extends CommandDeps {
  log: Log
  seals: Pick<RowSeals, 'alarm'>
  agents: AgentService
  endAgent(agentId: string): Promise<unknown>
  /** The operator's own account, whose customers the owners are. */
  merchantId: string
  /** The public origin of the API: what issues tokens, and what they are for. */
  apiUrl: string
  ownerUrl: string
  /** What is stored is encrypted with it. */
  entriesKey: Secret<Buffer>
  cookiesKey: Secret<Buffer>
  signingKey: Secret<Buffer>
  /** Where documents of clients may be. */
  documentPolicy: EgressPolicy
  /** How long one is waited for; other than in the product only in tests. */
  documentMillis?: number | undefined
  /** What a person reads who is sent here with a request that does not work. */
  errorPage: () => { headers: Readonly<Record<string, string>>; body: string }
}

/** What tokens are for. */
export const resourceOf = ({ apiUrl }: { apiUrl: string }): string => `${apiUrl}/mcp`
