import { networkOf } from './limit.ts'

/** The network of an address, which tells home from elsewhere and not one computer from the next. */
export function placeOf(address: string): string {
  const network = networkOf(address) ?? ''
  if (network.includes('.')) return network.replace(/\.\d+$/, '.0/24')
  const groups = network.split(':').slice(0, 3)
  return network === '' ? '' : `${groups.join(':')}::/48`
}
