import { agentAt, chargeFacts, type Draft, type Said, saying } from './drafts.ts'
import { draftsOfEvent } from './events.ts'
import type { DraftDeps } from './facts.ts'
import * as store from './facts-store.ts'
import type { ReceiptEvent } from './rules.ts'
import type { Act } from './store.ts'

/** What receipts an act has: none of one that is of no owner. */
export async function draftsOf(deps: DraftDeps, act: Act): Promise<Draft[]> {
  if (act.kind === 'event') return draftsOfEvent(deps, eventOf(act))
  if (act.customerId === null) return []
  const said = await saidOf(deps, act)
  const cause = { kind: 'act', id: act.id } as const
  return said === null ? [] : [{ customerId: act.customerId, cause, allowedIn: null, said }]
}

function eventOf({ subjectId: id, eventType, resourceId, data, occurredAt }: Act) {
  const facts = JSON.parse(data ?? '{}')
  return { id, type: eventType as ReceiptEvent, resourceId: resourceId ?? '', occurredAt, data: facts }
}

async function saidOf(deps: DraftDeps, act: Act): Promise<Said | null> {
  switch (act.kind) {
    case 'agent_linked':
      return saidOfLink(deps, act)
    case 'agent_denied':
      return saidOfDeniedLink(deps, act)
    case 'agent_revoked':
      return saidOfRevoked(deps, act)
    case 'limits_changed':
      return saidOfLimits(deps, act)
    case 'escalation_allowed':
      return saidOfEscalation(deps, act, { act: 'approval', outcome: 'allowed' })
    case 'escalation_denied':
      return saidOfEscalation(deps, act, { act: 'denial', outcome: 'denied' })
    case 'event':
      return null
  }
}

const at = ({ occurredAt }: Act) => ({ occurred_at: occurredAt.toISOString() })

async function saidOfLink(deps: DraftDeps, act: Act): Promise<Said | null> {
  const evidence = await deps.facts.evidence({ subjectType: 'agent_link', subjectId: act.subjectId })
  if (evidence === undefined) return null
  const { name, key_thumbprint, agent_id } = evidence.terms as {
    name: string
    key_thumbprint?: string
    agent_id: string
  }
  return saying({
    ...{ act: 'approval', outcome: 'allowed', ...at(act), about: { type: 'agent', id: agent_id } },
    ...{ agent: { name, jkt: key_thumbprint ?? null }, sentence: evidence.sentence, proof: evidence.proof },
  })
}

async function saidOfDeniedLink({ pool, merchantId }: DraftDeps, act: Act): Promise<Said | null> {
  const link = await store.findLink(pool, { merchantId, id: act.subjectId })
  if (link === undefined) return null
  const agent = { name: link.name, jkt: link.thumbprint }
  return saying({ act: 'denial', outcome: 'denied', ...at(act), about: { type: 'agent', id: act.subjectId }, agent })
}

async function saidOfRevoked(deps: DraftDeps, act: Act): Promise<Said | null> {
  const agent = await agentAt(deps, act.subjectId, act.occurredAt)
  return saying({ act: 'revocation', outcome: 'ended', ...at(act), about: { type: 'agent', id: act.subjectId }, agent })
}

/** Limits that allow more are signed; those that allow less are not. */
async function saidOfLimits(deps: DraftDeps, act: Act): Promise<Said | null> {
  const { pool, merchantId } = deps
  const change = await store.findLimitsChange(pool, { merchantId, id: act.subjectId })
  if (change === undefined) return null
  const agent = await agentAt(deps, change.agentId, act.occurredAt)
  const evidence = await deps.facts.evidence({ subjectType: 'agent_limits', subjectId: act.subjectId })
  const facts = { ...at(act), about: { type: 'limits', id: act.subjectId } as const, agent }
  if (evidence === undefined) return saying({ act: 'revocation', outcome: 'narrowed', ...facts })
  return saying({ act: 'approval', outcome: 'allowed', ...facts, sentence: evidence.sentence, proof: evidence.proof })
}

async function saidOfEscalation(deps: DraftDeps, act: Act, said: Pick<Said, 'act' | 'outcome'>): Promise<Said | null> {
  const { pool, merchantId } = deps
  const asked = await store.findEscalation(pool, { merchantId, id: act.subjectId })
  if (asked === undefined) return null
  const agent = await agentAt(deps, asked.agentId, act.occurredAt)
  const evidence =
    said.act === 'denial'
      ? undefined
      : await deps.facts.evidence({ subjectType: 'escalation', subjectId: act.subjectId })
  return saying({
    ...{ ...said, ...at(act), about: { type: 'escalation', id: act.subjectId }, ...chargeFacts(asked) },
    ...{ agent, sentence: evidence?.sentence ?? null, proof: evidence?.proof ?? null },
  })
}
