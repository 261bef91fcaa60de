import { randomBytes, randomUUID } from 'node:crypto'
import { createTestDatabase } from '../../../../test/database.ts'
import { addSeconds } from '../../../platform/clock.ts'
import { newId, newOrderedId } from '../../../platform/ids.ts'
import { secret } from '../../../platform/secret.ts'
import { ManualClock } from '../../../platform/testing/manual-clock.ts'
import type { InstructionRequest, MintedCredential, MintRequest, NetworkAnswer } from '../../port.ts'
import type { NetworkUnderTest } from '../../testing/conformance-actor.ts'
import type { AuthorizationRequest } from '../acquirer.ts'
import { createSimulatedNetwork, type SimulatedNetwork } from '../simulator.ts'
import type { Behaviour } from '../test-cards.ts'
import { numberOf } from './cards.ts'

/** Long enough for a busy machine to answer; what is lost is not waited for that long. */
const TIMEOUT_MILLIS = 4_000
const LOST_MILLIS = 150

/** A simulated network on a database of its own, and the shortest way to each state its tests start from. */
export async function startTestNetwork({ timeoutMillis = TIMEOUT_MILLIS } = {}) {
  const database = await createTestDatabase()
  const clock = new ManualClock()
  const key = secret(randomBytes(32))
  const network = createSimulatedNetwork({ pool: database.pool, clock, key, timeoutMillis, lostMillis: LOST_MILLIS })

  /** Registers an instruction on a token; returns the request of a mint of 40.00 on it. */
  async function register(tokenRef: string, terms: Partial<InstructionRequest> = {}): Promise<MintRequest> {
    const request: InstructionRequest = {
      mandateId: newOrderedId('mandate', new Date()),
      tokenRef,
      cap: { minor: 10_000n, currency: 'USD' },
      frequency: 'monthly',
      maxCharges: null,
      merchant: { name: 'Shop', url: 'https://shop.example', country: 'US' },
      validUntil: addSeconds(clock.now(), 7 * 24 * 60 * 60),
      approvalHash: 'a'.repeat(64),
      ...terms,
    }
    const { instructionRef } = okValue(await network.registerInstruction(request))
    const amount = { minor: 4_000n, currency: 'USD' } as const
    const merchantUrl = 'https://shop.example/checkout'
    const about = { mandateId: request.mandateId, instructionRef, amount, merchantUrl, lifeMinutes: null }
    return { chargeId: newId('charge'), ...about }
  }

  async function provision(behaviour: Behaviour = 'success'): Promise<{ cardId: string; tokenRef: string }> {
    const request = cardOf(behaviour)
    const result = okValue(await network.provision(request))
    if (result.state !== 'provisioned') throw new Error('The card asks for a step-up.')
    return { cardId: request.cardId, tokenRef: result.tokenRef }
  }

  /** The same from the start, on the test card of `behaviour`. */
  async function charge(behaviour?: Behaviour, terms?: Partial<InstructionRequest>): Promise<MintRequest> {
    return register((await provision(behaviour)).tokenRef, terms)
  }

  async function credential(behaviour?: Behaviour): Promise<MintedCredential> {
    return okValue(await network.mint(await charge(behaviour)))
  }

  return { network, clock, database, register, charge, provision, credential, close: () => database.close() }
}

export type TestNetwork = Awaited<ReturnType<typeof startTestNetwork>>

/** A card that is accepted unless its script says otherwise. */
export function cardOf(behaviour: Behaviour, cardId: string = newId('card')) {
  const card = { cardNumber: secret(numberOf(behaviour)), expiryMonth: 12, expiryYear: 2030, cvv: secret('123') }
  return { cardId, entryId: randomUUID(), ...card, stepUp: 'if_needed' as const }
}

/** A purchase of 40.00 with everything right. */
export function purchase(credential: MintedCredential): AuthorizationRequest {
  const { token, dynamicCvv, expiryMonth, expiryYear } = credential
  const amount = { minor: 4_000n, currency: 'USD' } as const
  return { token, dynamicCvv, expiryMonth, expiryYear, amount, merchantUrl: 'https://shop.example' }
}

/** What shops do, for the conformance suite. */
export function paymentsOf(network: SimulatedNetwork): NonNullable<NetworkUnderTest['payments']> {
  return {
    async authorize(credential, { minor, url }) {
      const request = { ...purchase(credential), amount: { minor, currency: 'USD' as const }, merchantUrl: url }
      const { authorizationId, approved } = await network.authorize(request)
      return approved ? authorizationId : null
    },
    async settle(authorizationId, { kind, minor: amountMinor, isPartial = false }) {
      const settled = await network.followUp({ authorizationId, kind, amountMinor, isPartial })
      if (settled.state !== 'settled') throw new Error(`It was not ${kind}: ${settled.state}.`)
    },
    message: async (about) => network.messageOf(about),
  }
}

export function okValue<T>(answer: NetworkAnswer<T>): T {
  if (answer.outcome !== 'ok') throw new Error(`Expected ok, got ${JSON.stringify(answer)}.`)
  return answer.value
}
