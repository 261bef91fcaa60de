import type { Change } from '../../db/command.ts'
import { addSeconds } from '../../platform/clock.ts'
import { destinationSeal } from '../seal.ts'
import type { DeliveryDeps } from './deps.ts'
import { closeIncident, openIncident } from './incidents.ts'
import type { Circuit, Verdict } from './rules.ts'
import { type Endpoint, updateCircuit } from './store.ts'

/** So many tries without an acknowledgement in a row, and the endpoint rests. */
const MAX_FAILURES = 5
const REST_SECONDS = 300

/**
 * After the rest one try is a probe: if it fails the endpoint rests again, if it is acknowledged all is as if nothing
 * had been.
 */
export function circuitAfter({ failures }: Circuit, isAcknowledged: boolean, at: Date): Circuit {
  if (isAcknowledged) return { failures: 0, circuitUntil: null }
  const more = failures + 1
  return { failures: more, circuitUntil: more >= MAX_FAILURES ? addSeconds(at, REST_SECONDS) : null }
}

/** What a try changes about its endpoint, with its incident. Returns the endpoint as it is then. */
export async function moveCircuit(
  deps: DeliveryDeps,
  change: Change,
  merchantId: string,
  endpoint: Endpoint,
  { category, disables }: Verdict,
): Promise<Endpoint> {
  const { tx, at } = change
  const isAcknowledged = category === null
  // The common case writes nothing.
  if (isAcknowledged && endpoint.failures === 0 && endpoint.circuitUntil === null) return endpoint
  const circuit = disables === null ? circuitAfter(endpoint, isAcknowledged, at) : { failures: 0, circuitUntil: null }
  const raised = disables === null ? 0 : 1
  const [revision, liveRevision] = [endpoint.revision + raised, endpoint.liveRevision + raised]
  const disabledReason = disables ?? endpoint.disabledReason
  const moved = { ...endpoint, ...circuit, disabledReason, revision, liveRevision }
  const ref = { merchantId, endpointId: endpoint.id }
  const seal = destinationSeal(deps, { ...moved, merchantId })
  await updateCircuit(tx, { ...ref, ...circuit, disabledReason, revision, seal, at })
  if (isAcknowledged) await closeIncident(deps, change, ref)
  else if (disables !== null) await openIncident(deps, change, ref, disables)
  else if (circuit.circuitUntil !== null) await openIncident(deps, change, ref, 'circuit_open')
  return moved
}
