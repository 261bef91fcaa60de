import type { Pool } from 'pg'
import type { Clock } from '../../platform/clock.ts'
import type { Secret } from '../../platform/secret.ts'
import { guardNetwork } from '../guard.ts'
import type { CardNetwork } from '../port.ts'
import { type AuthorizationRequest, type AuthorizationResult, authorize } from './acquirer.ts'
import { createNetworkCipher } from './cipher.ts'
import { confirm } from './confirming.ts'
import type { Context } from './context.ts'
import { cancelInstruction, registerInstruction } from './instructions.ts'
import { inquire, mint } from './minting.ts'
import { completeStepUp, deleteToken, provision } from './tokens.ts'

/** A card network with an acquirer on its other side, so that what the service mints can be spent. */
export interface SimulatedNetwork extends CardNetwork {
  /** Throws when the database fails: the acquirer is no part of the port and promises nothing about unknowns. */
  authorize(request: AuthorizationRequest): Promise<AuthorizationResult>
}

export interface SimulatedNetworkDeps {
  readonly pool: Pool
  readonly clock: Clock
  /** 32 bytes; the simulator derives all its keys from it. Another key cannot read what this one stored. */
  readonly key: Secret<Buffer>
  /** Real milliseconds the adapter waits for an answer before it calls the outcome unknown. */
  readonly timeoutMs: number
}

/**
 * The simulated card network: a network, not a mock. It keeps its own tables (schema `simnet`), enforces its own rules,
 * and fails where a test card says so (`test-cards.ts`). What it does is seen through the same guard as any adapter.
 */
export function createSimulatedNetwork(deps: SimulatedNetworkDeps): SimulatedNetwork {
  const { pool, clock, key, timeoutMs } = deps
  const context: Context = { pool, clock, timeoutMs, cipher: createNetworkCipher(key) }
  const network: CardNetwork = {
    provision: (request) => provision(context, request),
    completeStepUp: (request) => completeStepUp(context, request),
    deleteToken: (request) => deleteToken(context, request),
    registerInstruction: (request) => registerInstruction(context, request),
    cancelInstruction: (request) => cancelInstruction(context, request),
    mint: (request) => mint(context, request),
    inquire: (request) => inquire(context, request),
    confirm: (request) => confirm(context, request),
  }
  return Object.freeze({
    ...guardNetwork(network, { timeoutMs }),
    authorize: (request: AuthorizationRequest) => authorize(context, request),
  })
}
