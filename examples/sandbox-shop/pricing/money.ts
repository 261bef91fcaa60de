/** Money is in hundredths, as bigint: sums are exact. On the wire it is a decimal string. The shop has one currency. */
export const CURRENCY = 'USD'

export function toText(minor: bigint): string {
  const digits = minor.toString().padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** `12`, `12.5` and `12.50`; undefined: it is no amount. */
export function fromText(text: string): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(text) ?? []
  return whole === undefined ? undefined : BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'))
}

/** The share of an amount in millionths, to the nearest hundredth; a half goes up. */
export function shareHalfUp(amount: bigint, millionths: bigint): bigint {
  return (amount * millionths + 500_000n) / 1_000_000n
}

/** The share of an amount in millionths; what is below a hundredth is left out. */
export function shareDown(amount: bigint, millionths: bigint): bigint {
  return (amount * millionths) / 1_000_000n
}
