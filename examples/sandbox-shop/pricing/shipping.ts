import type { Address } from './address.ts'

/** What a parcel costs: `first` up to 500 g, `next` for each further 500 g that is begun; free from an amount on. */
interface Zone {
  countries: readonly string[]
  first: bigint
  next: bigint
  freeFrom?: bigint
}

const STEP_GRAMS = 500
const ZONES: readonly Zone[] = [
  { countries: ['US'], first: 495n, next: 150n, freeFrom: 75_00n },
  { countries: ['CA', 'MX'], first: 995n, next: 300n },
  {
    countries: [
      ...['AT', 'BE', 'CH', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FR', 'GB', 'GR', 'IE', 'IS', 'IT'],
      ...['LT', 'LU', 'LV', 'NL', 'NO', 'PL', 'PT', 'SE', 'SI', 'SK'],
    ],
    first: 12_95n,
    next: 3_50n,
  },
  { countries: ['AU', 'JP', 'KR', 'NZ', 'SG'], first: 19_95n, next: 5_00n },
]

/**
 * Undefined: the shop does not send there. Without an address the goods are collected at the shop, and books can be
 * files.
 */
export function shippingOf(parcel: { grams: number; goods: bigint }, address: Address | null): bigint | undefined {
  if (address === null) return 0n
  const zone = ZONES.find(({ countries }) => countries.includes(address.country.toUpperCase()))
  if (zone === undefined) return undefined
  if (parcel.grams === 0 || (zone.freeFrom !== undefined && parcel.goods >= zone.freeFrom)) return 0n
  const furtherSteps = Math.max(0, Math.ceil(parcel.grams / STEP_GRAMS) - 1)
  return zone.first + zone.next * BigInt(furtherSteps)
}
