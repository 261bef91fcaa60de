import type { AgentCaller } from '../agents/service.ts'
import { readTogether } from '../db/pipeline.ts'
import { addSeconds } from '../platform/clock.ts'
import { isUntouched } from '../platform/row-seals.ts'
import { listOfAgent, listOpenOfAgent } from './agent-store.ts'
import type { SessionDeps } from './deps.ts'
import { upToDate } from './end.ts'
import { agentLaunchSecret, launchSecretMatches, launchUrl } from './launch.ts'
import { endWithMore } from './more-time.ts'
import { find } from './read.ts'
import { isOpen, isOverdue, readAsOf } from './rules.ts'
import { checkAgent } from './seal.ts'
import { listPayments, listSetups, type PaymentSession, type Session, type SetupSession } from './store.ts'

// What an agent has asked its owner for, so that one whose answer was lost finds it, with the address to show.

type OfAgent = Pick<AgentCaller, 'merchantId' | 'agentId'>
/** An agent enrolls no card. */
type AskedSession = PaymentSession | SetupSession

/** The last session of a page: those that were made before it follow. */
export interface Place {
  createdAt: Date
  id: string
}

export interface ListedSession {
  session: AskedSession
  /** Where its owner approves it; null once that is over. */
  url: string | null
}

/** Later than any session. */
const NEWEST: Place = { createdAt: new Date('9999-12-31T23:59:59.999Z'), id: '' }

/** Newest first. What time has ended is ended first, and what was edited outside the program is left out, with an alarm. */
export async function listSessions(
  deps: SessionDeps,
  { merchantId, agentId }: OfAgent,
  { before = NEWEST, limit }: { before?: Place | undefined; limit: number },
): Promise<{ sessions: ListedSession[]; before: Place | null }> {
  const { createdAt: beforeAt, id: beforeId } = before
  const found = await listOfAgent(deps.pool, { merchantId, agentId, beforeAt, beforeId, limit: limit + 1 })
  const page = found.slice(0, limit)
  const sessions: ListedSession[] = []
  for (const row of await findAll(deps, merchantId, page)) {
    if (!isWhole(deps, row)) continue
    const ref = { merchantId, sessionId: row.id, readAs: readAsOf(row) }
    const session = await upToDate<Session>(deps, row, () => find(deps.pool, ref))
    if (session.kind !== 'enrollment') sessions.push({ session, url: urlOf(deps, session) })
  }
  return { sessions, before: found.length > limit ? (page.at(-1) ?? null) : null }
}

const MAX_WAITING = 50

/** The newest that the owner can still approve. */
export async function listWaiting(deps: SessionDeps, { merchantId, agentId }: OfAgent) {
  const at = deps.clock.now()
  // None that is older can be open, so those that ended long ago are not looked at.
  const since = addSeconds(at, -(Number(endWithMore(addSeconds(at, deps.lifetimeSeconds))) - Number(at)) / 1000)
  const listed = await listOpenOfAgent(deps.pool, { merchantId, agentId, at, since, limit: MAX_WAITING })
  return (await findAll(deps, merchantId, listed)).flatMap((session) => {
    if (!isWhole(deps, session)) return []
    const url = urlOf(deps, session)
    return url === null ? [] : [{ ...session, url }]
  })
}

/** In their order, in one trip; one that was deleted meanwhile is left out. */
async function findAll(
  { pool }: SessionDeps,
  merchantId: string,
  listed: readonly { id: string; kind: Session['kind'] }[],
): Promise<AskedSession[]> {
  const idsOf = (of: Session['kind']) => listed.flatMap(({ id, kind }) => (kind === of ? [id] : []))
  const found = await readTogether(pool, (on) =>
    Promise.all([
      listPayments(on, { merchantId, sessionIds: idsOf('payment') }),
      listSetups(on, { merchantId, sessionIds: idsOf('mandate_setup') }),
    ]),
  )
  const byId = new Map(found.flat().map((session) => [session.id, session]))
  return listed.flatMap(({ id }) => byId.get(id) ?? [])
}

const isWhole = (deps: SessionDeps, session: Session) => isUntouched(() => checkAgent(deps, session))

/** As it was answered first. Null: the owner cannot approve any more, or it is of a version that could not say it again. */
function urlOf(deps: SessionDeps, session: AskedSession): string | null {
  const { merchantId, id: sessionId, agentId, launchHash } = session
  if (agentId === null || !isOpen(session) || isOverdue(session, deps.clock.now())) return null
  const { launchSecretsKey: key, surfaceUrl } = deps
  const secret = agentLaunchSecret(key, { sessionId, agentId })
  if (!launchSecretMatches(key, sessionId, secret, launchHash)) return null
  return launchUrl(surfaceUrl, merchantId, sessionId, secret)
}
