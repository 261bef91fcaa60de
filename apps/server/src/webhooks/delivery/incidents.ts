import type { IncidentReason } from '@mintmark/contract'
import type { Change } from '../../db/command.ts'
import { newId } from '../../platform/ids.ts'
import type { EndpointRef } from '../ref.ts'
import * as store from './incident-store.ts'

/** An incident that was opened or closed in this transaction, with its endpoint. */
export interface IncidentChange {
  merchantId: string
  incident: { id: string; reason: IncidentReason; openedAt: Date; closedAt: Date | null }
  endpoint: { id: string; name: string; url: string }
}

/**
 * Told in the transaction of the change, so that what it writes (a mail to be sent) is there exactly if the change is.
 */
export type IncidentListener = (change: Change, incident: IncidentChange) => Promise<void>

interface IncidentDeps {
  incidentListeners: readonly IncidentListener[]
}

/**
 * Opens an incident, unless one is open for the same reason. One for another reason is closed: an endpoint has one at a
 * time. Under the lock of the endpoint.
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

/** Closes the incident of an endpoint, if there is one. */
export async function closeIncident(deps: IncidentDeps, change: Change, ref: EndpointRef): Promise<void> {
  const closed = await store.updateIncidentClosed(change.tx, { ...ref, at: change.at })
  if (closed !== undefined) await tell(deps, change, ref, { ...closed, closedAt: change.at })
}

/** The same after a change by its owner, unless the endpoint still rests or is disabled. */
export async function closeOverIncident(deps: IncidentDeps, change: Change, ref: EndpointRef): Promise<void> {
  const closed = await store.updateIncidentOver(change.tx, { ...ref, at: change.at })
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
  if (endpoint === undefined) throw new Error('An incident has an endpoint.')
  for (const listen of incidentListeners) await listen(change, { merchantId, incident, endpoint })
}
