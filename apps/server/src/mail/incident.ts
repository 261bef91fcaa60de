import type { IncidentReason } from '@mintmark/contract'
import type { Change } from '../db/command.ts'
import { listVerified } from './contacts-store.ts'
import { findIncident } from './incident-store.ts'
import { queueMail } from './queue.ts'
import { hostOf, NOTICE_SECONDS } from './rules.ts'

/** An incident that was opened or closed in this transaction. */
export interface IncidentChange {
  merchantId: string
  id: string
  endpointId: string
  reason: IncidentReason
  is: 'opened' | 'closed'
}

/**
 * Puts a notice to each verified contact of the account into the outbox, in the transaction that opens or closes the incident.
 * Called again for the same change it writes nothing more.
 */
export async function queueIncidentMail(change: Change, incident: IncidentChange): Promise<void> {
  const { merchantId, id: incidentId, endpointId, reason, is } = incident
  const contacts = await listVerified(change.tx, { merchantId })
  if (contacts.length === 0) return
  const found = await findIncident(change.tx, { merchantId, id: incidentId, endpointId })
  if (found === undefined) throw new Error(`Incident ${incidentId} is not there.`)
  const { name: endpointName, url, openedAt, isDeleted, isDisabled, isVerified } = found
  // It closes because another one opens in its place, which is told.
  if (is === 'closed' && isDisabled && !isDeleted) return
  const facts = {
    ...{ endpointId, endpointName, endpointHost: hostOf(url), reason },
    openedAt: openedAt.toISOString(),
    closedAt: is === 'closed' ? change.at.toISOString() : null,
    end: isDeleted ? 'deleted' : isVerified ? 'recovered' : 'changed',
  } as const
  const kind = is === 'opened' ? 'incident_opened' : 'incident_closed'
  for (const { id: contactId } of contacts) {
    await queueMail(change, { merchantId, contactId, kind, incidentId, facts, seconds: NOTICE_SECONDS })
  }
}
