import type { Pool } from 'pg'
import { bound } from '../../platform/bound.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Secret } from '../../platform/secret.ts'
import { type CapableNetwork, UNLIMITED } from '../capabilities.ts'
import type { ChargeNews, NetworkMessage } from '../events-port.ts'
import { guardNetwork } from '../guard.ts'
import { guardNetworkEvents } from '../guard-events.ts'
import { type AuthorizationRequest, type AuthorizationResult, authorize } from './acquirer.ts'
import { createNetworkCipher } from './cipher.ts'
import { confirm } from './confirming.ts'
import type { SimulatorDeps } from './deps.ts'
import { cancelInstruction, inquireInstruction, registerInstruction } from './instructions.ts'
import { inquire, mint } from './minting.ts'
import { release } from './releasing.ts'
import { followUp, type SettlementRequest, type SettlementResult } from './settling.ts'
import { completeStepUp, sendNewCode } from './step-up.ts'
import { createSimulatedEvents, messageOf } from './telling.ts'
import { deleteToken, inquireToken, provision, verifyCard } from './tokens.ts'

/** A card network with an acquirer on its other side, so that what the service mints can be spent. */
export interface SimulatedNetwork extends CapableNetwork {
  /** Throws when the database fails: the acquirer is no part of the port and promises nothing about unknowns. */
  authorize(request: AuthorizationRequest): Promise<AuthorizationResult>
  /** What becomes of an authorization at the shop's bank. */
  followUp(request: SettlementRequest): Promise<SettlementResult>
  /** The message by which the network tells of it. */
  messageOf(news: ChargeNews): NetworkMessage
}

interface SimulatedNetworkDeps {
  pool: Pool
  clock: Clock
  /** 32 bytes; the simulator derives all its keys from it. Another key cannot read what this one stored. */
  key: Secret<Buffer>
  /** Real milliseconds the adapter waits for an answer before it calls the outcome unknown. */
  timeoutMillis: number
  /** The same for what a script says is lost, where tests wait less. */
  lostMillis?: number | undefined
}

/**
 * The simulated card network: a network, not a mock. It keeps its own tables (schema `simnet`), enforces its own rules,
 * and fails where a test card says so (`test-cards.ts`). What it does is seen through the same guard as any adapter.
 */
export function createSimulatedNetwork({ key, ...given }: SimulatedNetworkDeps): SimulatedNetwork {
  const deps: SimulatorDeps = { ...given, cipher: createNetworkCipher(key) }
  const network = bound(deps, {
    provision,
    completeStepUp,
    sendNewCode,
    verifyCard,
    deleteToken,
    inquireToken,
    registerInstruction,
    cancelInstruction,
    inquireInstruction,
    mint,
    inquire,
    confirm,
    release,
  })
  const { timeoutMillis } = deps
  return {
    ...guardNetwork(network, { timeoutMillis }),
    ...bound(deps, { authorize, followUp }),
    messageOf: (news) => messageOf(deps, news),
    events: guardNetworkEvents(createSimulatedEvents(deps), { timeoutMillis }),
    capabilities: UNLIMITED,
  }
}
