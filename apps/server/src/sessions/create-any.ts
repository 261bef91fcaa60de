import { fieldErrors } from '../platform/errors.ts'
import type { SessionDeps } from './deps.ts'
import { simulationNotAllowed } from './errors.ts'
import { type CreatedSession, createPayment, createSetup, rejectUnscoped } from './kinds/payment/create.ts'
import { createQuoted } from './kinds/quoted/create.ts'
import type { SessionRequest } from './purchase.ts'

/** Creates a session of the kind that is asked for. */
export async function create(deps: SessionDeps, merchantId: string, request: SessionRequest): Promise<CreatedSession> {
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
