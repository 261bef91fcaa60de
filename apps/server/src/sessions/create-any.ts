import { type Creation, create as carryOut, createOnce as carryOutOnce } from '../db/create-once.ts'
import type { KeyedRequest, StoredResponse } from '../db/respond-once.ts'
import { fieldErrors } from '../platform/errors.ts'
import { type CreatedSession, createPayment, createSetup, rejectUnscoped } from './create.ts'
import { createQuoted } from './create-quoted.ts'
import type { SessionDeps } from './deps.ts'
import { simulationNotAllowed } from './errors.ts'
import type { SessionRequest } from './purchase.ts'

/** Creates a session of the kind that is asked for. */
export async function create(deps: SessionDeps, merchantId: string, request: SessionRequest): Promise<CreatedSession> {
  return carryOut(deps, await prepare(deps, merchantId, request))
}

/** The same once a key of the merchant's. */
export function createOnce(
  deps: SessionDeps,
  merchantId: string,
  request: SessionRequest,
  once: KeyedRequest<CreatedSession>,
): Promise<StoredResponse> {
  return carryOutOnce(deps, { merchantId, agentId: null }, once, () => prepare(deps, merchantId, request))
}

async function prepare(
  deps: SessionDeps,
  merchantId: string,
  request: SessionRequest,
): Promise<Creation<CreatedSession>> {
  const { mode, setup, simulated } = request
  const maySimulate = deps.environment === 'sandbox' && mode === 'quote' && setup === null
  if (simulated && !maySimulate) throw simulationNotAllowed()
  if (setup !== null) rejectUnscoped(deps, setup)
  if (mode === 'quote') {
    if (setup !== null) throw fieldErrors({ mandate_setup: 'must be absent with a quote, which is bought once' })
    return createQuoted(deps, merchantId, request)
  }
  const { purchase } = request
  return setup === null ? createPayment(deps, merchantId, purchase) : createSetup(deps, merchantId, purchase, setup)
}
