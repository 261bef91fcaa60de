import type { Change } from '../db/command.ts'
import type { IncidentChange } from '../webhooks/delivery/incidents.ts'
import { listVerified } from './contacts-store.ts'
import { findEndpoint } from './incident-store.ts'
import { queueMail } from './queue.ts'
import { hostOf, NOTICE_SECONDS } from './rules.ts'

/**
 * Puts a notice to each verified contact of the account into the outbox, in the transaction that opens or closes the
 * incident. Called again for the same change it writes nothing more.
 */
export async function queueIncidentMail(
  change: Change,
  { merchantId, incident, endpoint }: IncidentChange,
): Promise<void> {
  const contacts = await listVerified(change.tx, { merchantId })
  if (contacts.length === 0) return
  const { id: incidentId, reason, openedAt, closedAt } = incident
  const stands = await findEndpoint(change.tx, { merchantId, endpointId: endpoint.id })
  if (stands === undefined) throw new Error(`Endpoint ${endpoint.id} is not there.`)
  const { isDeleted, isDisabled, isVerified } = stands
  // It closes because another one opens in its place, which is told.
  if (closedAt !== null && isDisabled && !isDeleted) return
  const facts = {
    ...{ endpointId: endpoint.id, endpointName: endpoint.name, endpointHost: hostOf(endpoint.url), reason },
    openedAt: openedAt.toISOString(),
    closedAt: closedAt?.toISOString() ?? null,
    end: isDeleted ? 'deleted' : isVerified ? 'recovered' : 'changed',
  } as const
  const kind = closedAt === null ? 'incident_opened' : 'incident_closed'
  for (const { id: contactId } of contacts) {
    await queueMail(change, { merchantId, contactId, kind, incidentId, facts, seconds: NOTICE_SECONDS })
  }
}
