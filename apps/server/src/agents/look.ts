import type { AgentLinkStatus } from '@mintmark/contract/agents'
import type { AgentClient, AgentLimits } from '@mintmark/contract/wire/agents'
import { isUntouched } from '../platform/row-seals.ts'
import { type OwnersLink, whoseKeyOf } from './approve.ts'
import type { AgentDeps } from './deps.ts'
import { agentLinkNotFound } from './errors.ts'
import { checkLink } from './link.ts'
import * as linkStore from './link-store.ts'
import { standingOf } from './rules.ts'
import { checkAgent } from './seal.ts'
import * as store from './store.ts'

/** A link as whoever has its address sees it. */
export interface SeenLink {
  linkId: string
  /** `taken`: another owner has approved it. */
  status: AgentLinkStatus | 'taken'
  /** The software that asks; null where it is `taken`. */
  asks:
    | (Pick<linkStore.AgentLink, 'name' | 'platform' | 'description' | 'thumbprint'> & { client: AgentClient | null })
    | null
  agentId: string | null
  /** What the agent may do that it has become; null: none, or it has ended. */
  limits: AgentLimits | null
  /** When that agent ended. */
  endedAt: Date | null
  /** What that agent is called, where the owner had it before. */
  joined: string | null
  /** Which of the owner's agents it may be, beside a new one, newest first. */
  mayBe: store.JoinableAgent[]
  /** The one as which this client was let in last: a client that asks for more goes on as it. */
  last: string | null
  expiresAt: Date
}

const MAX_SHOWN = 200
const NOBODY = { joined: null, mayBe: [], last: null }

/** How a link stands, for an owner whose agent it may become. Throws `RowTampered`. */
export async function lookAtLink(deps: AgentDeps, { linkId, customerId }: OwnersLink): Promise<SeenLink> {
  const { merchantId, pool, clock } = deps
  const found = await linkStore.findLink(pool, { merchantId, linkId })
  if (found === undefined) throw agentLinkNotFound()
  checkLink(deps, found)
  const { name, platform, description, thumbprint, agentId, expiresAt } = found
  const status = standingOf(found, clock.now())
  const asks = { name, platform, description, thumbprint, client: whoseKeyOf(found).client ?? null }
  const seen = { linkId, status, asks, agentId, limits: null, endedAt: null, expiresAt, ...NOBODY }
  if (status === 'pending') return { ...seen, ...(await candidatesFor(deps, found, customerId)) }
  if (agentId === null) return seen
  const made = await store.findMade(pool, { merchantId, agentId })
  if (made?.customerId !== customerId) return { ...seen, status: 'taken', asks: null, agentId: null }
  checkAgent(deps.seals, { ...made, merchantId })
  const { revokedAt: endedAt, limits } = made
  return {
    ...seen,
    limits: endedAt === null ? limits : null,
    endedAt,
    joined: made.linkId === linkId ? null : made.name,
  }
}

/** The agents that a link may join: a key only one that has none, for an agent changes its key by itself. */
async function candidatesFor(
  { merchantId, pool, seals }: AgentDeps,
  { clientId }: linkStore.AgentLink,
  customerId: string,
): Promise<Pick<SeenLink, 'mayBe' | 'last'>> {
  const rows = await store.listJoinable(pool, { merchantId, customerId, clientId, limit: MAX_SHOWN })
  const mayBe = rows.filter(
    (row) => (clientId !== null || !row.hasKey) && isUntouched(() => checkAgent(seals, { ...row, merchantId })),
  )
  const at = ({ lastGrantedAt }: store.JoinableAgent) => lastGrantedAt?.getTime() ?? 0
  const [newest] = mayBe.filter((row) => at(row) > 0).sort((one, other) => at(other) - at(one))
  return { mayBe, last: newest?.id ?? null }
}
