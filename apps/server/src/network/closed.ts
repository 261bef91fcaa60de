import type { CardNetwork, NetworkAnswer } from './port.ts'

const CLOSED: NetworkAnswer<never> = { outcome: 'unknown', cause: 'closed since a restore' }

/**
 * The same network, of which nothing new is asked for while the deployment is closed: no token, no instruction and no credential is made.
 * What asks how something stands, reports it or ends it goes through. Unknown is never failed: the caller asks again.
 */
export function withoutNew<Network extends CardNetwork>(network: Network, isClosed: () => boolean): Network {
  const unlessClosed =
    <Request, T>(ask: (request: Request) => Promise<NetworkAnswer<T>>) =>
    async (request: Request): Promise<NetworkAnswer<T>> =>
      isClosed() ? CLOSED : ask(request)
  return {
    ...network,
    provision: unlessClosed(network.provision),
    completeStepUp: unlessClosed(network.completeStepUp),
    registerInstruction: unlessClosed(network.registerInstruction),
    mint: unlessClosed(network.mint),
  }
}
