import type { IncidentReason } from '@mintmark/contract'
import type { Change } from '../../db/command.ts'
import { newId } from '../../platform/ids.ts'
import * as store from './incident-store.ts'

/** An incident that was opened or closed just now, with the endpoint as it is. */
export interface IncidentChange {
  merchantId: string
  incident: { id: string; reason: IncidentReason; openedAt: Date; closedAt: Date | null }
  endpoint: { id: string; name: string; url: string }
}

/** Told in the transaction of the change, so that what it writes (a mail to be sent) is there exactly if the change is. */
export type IncidentListener = (change: Change, incident: IncidentChange) => Promise<void>

interface IncidentDeps {
  incidentListeners: readonly IncidentListener[]
}

interface EndpointRef {
  merchantId: string
  endpointId: string
}

/**
 * Opens an incident, unless one is open for the same reason. One for another reason is closed: an endpoint has one at a time.
 * Under the lock of the endpoint.
 */
export async function openIncident(
  deps: IncidentDeps,
  change: Change,
  ref: EndpointRef,
  reason: IncidentReason,
): Promise<void> {
  const open = await store.findOpenIncident(change.tx, { ...ref })
  if (open?.reason === reason) return
  if (open !== undefined) await closeIncident(deps, change, ref)
  const id = newId('incident')
  await store.insertIncident(change.tx, { ...ref, id, reason, at: change.at })
  await tell(deps, change, ref, { id, reason, openedAt: change.at, closedAt: null })
}

/** Closes the incident of an endpoint that recovered, was deleted or has another URL, if there is one. */
export async function closeIncident(deps: IncidentDeps, change: Change, ref: EndpointRef): Promise<void> {
  const closed = await store.updateIncidentClosed(change.tx, { ...ref, at: change.at })
  if (closed !== undefined) await tell(deps, change, ref, { ...closed, closedAt: change.at })
}

async function tell(
  { incidentListeners }: IncidentDeps,
  change: Change,
  { merchantId, endpointId }: EndpointRef,
  incident: IncidentChange['incident'],
): Promise<void> {
  if (incidentListeners.length === 0) return
  const endpoint = await store.findNamed(change.tx, { merchantId, endpointId })
  if (endpoint === undefined) return
  for (const listen of incidentListeners) await listen(change, { merchantId, incident, endpoint })
}
