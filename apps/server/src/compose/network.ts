import { notingAnswers, type Outcome } from '../network/answered.ts'
import type { CapableNetwork } from '../network/capabilities.ts'
import { withoutNew } from '../network/closed.ts'
import { createSimulatedNetwork, type SimulatedNetwork } from '../network/simulator/simulator.ts'
import { endOfKey } from '../network/stripe/key.ts'
import { stripeOf } from '../network/stripe/settings.ts'
import { createStripeNetwork } from '../network/stripe/stripe.ts'
import type { Secret } from '../platform/secret.ts'
import type { Ground } from './ground.ts'

/** The network that the program speaks to; the simulated one has an acquirer, where what it mints can be spent. */
export type ComposedNetwork = CapableNetwork &
  Pick<SimulatedNetwork, 'authorize' | 'followUp' | 'messageOf'> & {
    /** Whoever is told of each answer, by how it ended. */
    onAnswer(note: (outcome: Outcome) => void): void
    /** For operators: which network it is, with as much of its key as tells one from another. */
    description: { adapter: string; mode: string | null; key: string | null }
  }

/** The card network of this deployment. While it is closed nothing new is asked for. */
export function composeNetwork(ground: Ground, key: Secret<Buffer>): ComposedNetwork {
  const { pool, clock, config, lostMillis } = ground
  const simulated = createSimulatedNetwork({ pool, clock, key, timeoutMillis: config.networkTimeoutMillis, lostMillis })
  const own = config.networkAdapter === 'stripe' ? stripeNetworkOf(ground) : simulated
  const notes: ((outcome: Outcome) => void)[] = []
  const network = notingAnswers(ground.createNetwork?.(own) ?? own, (outcome) => {
    for (const note of notes) note(outcome)
  })
  return {
    ...simulated,
    ...withoutNew(network, () => clock.closedSince() !== null),
    onAnswer: (note) => void notes.push(note),
    description: descriptionOf(ground),
  }
}

function stripeNetworkOf({ pool, clock, config }: Ground): CapableNetwork {
  const { secrets, ...given } = stripeOf(config)
  const { environment, networkTimeoutMillis: timeoutMillis } = config
  const messages = { secrets, now: () => new Date() }
  return createStripeNetwork({ ...given, pool, clock, environment, timeoutMillis, messages })
}

function descriptionOf({ config }: Ground): ComposedNetwork['description'] {
  const { networkAdapter: adapter, stripeSecretKey: key, environment } = config
  if (adapter === 'simulator' || key === null) return { adapter, mode: null, key: null }
  return { adapter, mode: environment === 'production' ? 'live' : 'test', key: `…${endOfKey(key)}` }
}
