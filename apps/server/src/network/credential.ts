import { byAddress, limit } from '../http/limit.ts'

export const perNetworkMessage = limit('network_message', {
  points: 3_000,
  windowSeconds: 60,
  by: byAddress,
  withoutStore: 'pass',
  meaning: 'Messages of the card network, also those that are refused.',
  countedBy: 'client address',
})
