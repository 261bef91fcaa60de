import { agentAt, approvalDraft, chargeFacts, type Draft, mandateFacts, saying } from './drafts.ts'
import type { DraftDeps } from './facts.ts'
import { findSessionOwner } from './facts-store.ts'
import type { Evidence } from './proof.ts'
import { type ReceiptEvent, saidOfMandate, saidOfPayment } from './rules.ts'

// What receipts say of an event: of a payment or a permission, whoever asked for it.

export interface NotedEvent {
  id: string
  type: ReceiptEvent
  resourceId: string
  occurredAt: Date
  data: { txn_id?: string | null; mandate_id?: string | null; error_code?: string | null; session_id?: string | null }
}

/** None: it was of no owner, or of nothing that a receipt is of. */
export async function draftsOfEvent(deps: DraftDeps, event: NotedEvent): Promise<Draft[]> {
  const { type, resourceId, data } = event
  if (type.startsWith('payment.')) return draftsOfPayment(deps, event, resourceId)
  if (type === 'session.revoked') {
    if (data.txn_id) return draftsOfPayment(deps, event, data.txn_id)
    return data.mandate_id ? draftsOfMandate(deps, { ...event, type: 'mandate.cancelled' }, data.mandate_id) : []
  }
  return draftsOfMandate(deps, event, data.mandate_id ?? resourceId)
}

async function draftsOfPayment(deps: DraftDeps, event: NotedEvent, chargeId: string): Promise<Draft[]> {
  const { facts: known } = deps
  const charge = await known.charge(chargeId)
  if (charge === undefined) return []
  const mandate = charge.mandateId === null ? undefined : await known.mandate(charge.mandateId)
  const isStanding = charge.openedBy === null
  const sessionId = isStanding ? (mandate?.sessionId ?? null) : charge.openedBy
  const customerId = mandate?.customerId ?? (await ownerOf(deps, sessionId))
  const said = saidOfPayment(event.type, event.data.error_code ?? null, charge.hadNumber)
  if (customerId === undefined || said === null) return []
  const evidence = await evidenceOfSession(deps, sessionId)
  const agent = await agentAt(deps, charge.agentId ?? mandate?.agentId ?? null, event.occurredAt)
  const facts = { ...chargeFacts(charge), agent }
  const about = { type: 'charge', id: charge.id } as const
  const allowed = evidence !== undefined && sessionId !== null
  const what =
    isStanding && mandate
      ? { about: { type: 'permission', id: mandate.id } as const, ...mandateFacts(mandate), agent: facts.agent }
      : { about: { type: 'purchase', id: charge.id } as const, ...facts }
  return [
    ...(allowed ? [approvalDraft(sessionId, evidence, what)] : []),
    {
      ...{ customerId, cause: { kind: 'act', id: event.id }, allowedIn: allowed ? sessionId : null },
      said: saying({
        ...{ ...said, ...facts, about, occurred_at: event.occurredAt.toISOString() },
        ...{ code: event.data.error_code ?? null, sentence: evidence?.sentence ?? null },
      }),
    },
  ]
}

async function draftsOfMandate(deps: DraftDeps, event: NotedEvent, mandateId: string): Promise<Draft[]> {
  const mandate = await deps.facts.mandate(mandateId)
  if (mandate === undefined) return []
  const { customerId, sessionId } = mandate
  const facts = {
    about: { type: 'permission', id: mandate.id } as const,
    ...mandateFacts(mandate),
    agent: await agentAt(deps, mandate.agentId, event.occurredAt),
  }
  const evidence = await evidenceOfSession(deps, sessionId)
  const allowed = evidence !== undefined && sessionId !== null
  const said = saidOfMandate(event.type)
  const code = event.data.error_code ?? null
  const own: Draft | null = said && {
    ...{ customerId, cause: { kind: 'act', id: event.id }, allowedIn: allowed ? sessionId : null },
    said: saying({
      ...said,
      ...facts,
      code,
      occurred_at: event.occurredAt.toISOString(),
      sentence: evidence?.sentence ?? null,
    }),
  }
  return [...(allowed ? [approvalDraft(sessionId, evidence, facts)] : []), ...(own === null ? [] : [own])]
}

async function evidenceOfSession({ facts }: DraftDeps, sessionId: string | null): Promise<Evidence | undefined> {
  return sessionId === null ? undefined : facts.evidence({ subjectType: 'session', subjectId: sessionId })
}

async function ownerOf({ pool, merchantId }: DraftDeps, sessionId: string | null): Promise<string | undefined> {
  if (sessionId === null) return undefined
  return (await findSessionOwner(pool, { merchantId, id: sessionId }))?.customerId
}
