import type { Address } from './address.ts'
import { shareHalfUp } from './money.ts'

/**
 * Sales tax of the US states and value added tax elsewhere, in millionths. The rates of the states are without those of
 * counties and cities; all are good enough to try a checkout with, and no advice on tax.
 */
const US_STATES: Record<string, [name: string, rate: number]> = {
  ...{ AL: ['Alabama', 40_000], AK: ['Alaska', 0], AZ: ['Arizona', 56_000], AR: ['Arkansas', 65_000] },
  ...{ CA: ['California', 72_500], CO: ['Colorado', 29_000], CT: ['Connecticut', 63_500], DE: ['Delaware', 0] },
  ...{ DC: ['District of Columbia', 60_000], FL: ['Florida', 60_000], GA: ['Georgia', 40_000] },
  ...{ HI: ['Hawaii', 40_000], ID: ['Idaho', 60_000], IL: ['Illinois', 62_500], IN: ['Indiana', 70_000] },
  ...{ IA: ['Iowa', 60_000], KS: ['Kansas', 65_000], KY: ['Kentucky', 60_000], LA: ['Louisiana', 50_000] },
  ...{ ME: ['Maine', 55_000], MD: ['Maryland', 60_000], MA: ['Massachusetts', 62_500], MI: ['Michigan', 60_000] },
  ...{ MN: ['Minnesota', 68_750], MS: ['Mississippi', 70_000], MO: ['Missouri', 42_250], MT: ['Montana', 0] },
  ...{ NE: ['Nebraska', 55_000], NV: ['Nevada', 68_500], NH: ['New Hampshire', 0], NJ: ['New Jersey', 66_250] },
  ...{ NM: ['New Mexico', 48_750], NY: ['New York', 40_000], NC: ['North Carolina', 47_500] },
  ...{ ND: ['North Dakota', 50_000], OH: ['Ohio', 57_500], OK: ['Oklahoma', 45_000], OR: ['Oregon', 0] },
  ...{ PA: ['Pennsylvania', 60_000], RI: ['Rhode Island', 70_000], SC: ['South Carolina', 60_000] },
  ...{ SD: ['South Dakota', 42_000], TN: ['Tennessee', 70_000], TX: ['Texas', 62_500], UT: ['Utah', 61_000] },
  ...{ VT: ['Vermont', 60_000], VA: ['Virginia', 53_000], WA: ['Washington', 65_000] },
  ...{ WV: ['West Virginia', 60_000], WI: ['Wisconsin', 50_000], WY: ['Wyoming', 40_000] },
}

const VALUE_ADDED: Record<string, number> = {
  ...{ AT: 200_000, BE: 210_000, DE: 190_000, DK: 250_000, ES: 210_000, FI: 255_000, FR: 200_000, GB: 200_000 },
  ...{ IE: 230_000, IT: 220_000, NL: 210_000, PL: 230_000, PT: 230_000, SE: 250_000 },
}

interface Taxed {
  items: bigint
  discount: bigint
  shipping: bigint
}

/**
 * The tax of a basket. In the US on the items, in Europe on the items and on their way. Elsewhere, and for what is
 * collected at the shop in Oregon, there is none. Undefined: the US has no such state.
 */
export function taxOf({ items, discount, shipping }: Taxed, address: Address | null): bigint | undefined {
  if (address === null) return 0n
  const goods = items - discount
  const country = address.country.toUpperCase()
  if (country !== 'US') return shareHalfUp(goods + shipping, BigInt(VALUE_ADDED[country] ?? 0))
  const rate = rateOfState(address.state)
  return rate === undefined ? undefined : shareHalfUp(goods, BigInt(rate))
}

function rateOfState(state: string): number | undefined {
  const wanted = state.trim().toUpperCase()
  if (Object.hasOwn(US_STATES, wanted)) return US_STATES[wanted]?.[1]
  return Object.values(US_STATES).find(([name]) => name.toUpperCase() === wanted)?.[1]
}
