import type { IncidentReason } from '@mintmark/contract'
import type { Change } from '../db/command.ts'
import { listVerified } from './contacts-store.ts'
import { queueMail } from './queue.ts'
import { hostOf, NOTICE_SECONDS } from './rules.ts'

/** An incident that was opened or closed just now, with the endpoint as it is. */
export interface IncidentChange {
  merchantId: string
  incident: { id: string; reason: IncidentReason; openedAt: Date; closedAt: Date | null }
  endpoint: { id: string; name: string; url: string }
}

/**
 * Puts a notice to each verified contact of the account into the outbox, in the transaction that opens or closes the incident.
 * Called again for the same change it writes nothing more.
 */
export async function queueIncidentMail(
  change: Change,
  { merchantId, incident, endpoint }: IncidentChange,
): Promise<void> {
  const { id: incidentId, reason, openedAt, closedAt } = incident
  const facts = {
    endpointId: endpoint.id,
    endpointName: endpoint.name,
    endpointHost: hostOf(endpoint.url),
    reason,
    openedAt: openedAt.toISOString(),
    closedAt: closedAt?.toISOString() ?? null,
  }
  const kind = closedAt === null ? 'incident_opened' : 'incident_closed'
  for (const { id: contactId } of await listVerified(change.tx, { merchantId })) {
    await queueMail(change, { merchantId, contactId, kind, incidentId, facts, seconds: NOTICE_SECONDS })
  }
}
