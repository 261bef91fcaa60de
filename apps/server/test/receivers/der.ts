/** The few forms of DER that a certificate is made of (X.690). */
export type Der = Buffer

function element(tag: number, content: Buffer): Der {
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content])
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const hex = length.toString(16)
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes])
}

export const sequence = (...parts: Der[]): Der => element(0x30, Buffer.concat(parts))
export const set = (...parts: Der[]): Der => element(0x31, Buffer.concat(parts))
export const boolean = (value: boolean): Der => element(0x01, Buffer.from([value ? 0xff : 0]))
export const octets = (bytes: Buffer): Der => element(0x04, bytes)
export const bits = (bytes: Buffer): Der => element(0x03, Buffer.concat([Buffer.from([0]), bytes]))
export const text = (value: string): Der => element(0x0c, Buffer.from(value))
/** A member that is named by its number: one with members of its own, or plain bytes. */
export const tagged = (number: number, content: Buffer): Der => element(0xa0 | number, content)
export const plain = (number: number, content: Buffer): Der => element(0x80 | number, content)

/** Above zero and in its shortest form, whatever the first bits of the bytes are. */
export function integer(bytes: Buffer): Der {
  const [first = 0, ...rest] = bytes
  return element(0x02, Buffer.from([(first & 0x7f) | 1, ...rest]))
}

export const version = (number: number): Der => tagged(0, element(0x02, Buffer.from([number])))

/** GeneralizedTime, to the second. */
export function time(date: Date): Der {
  return element(0x18, Buffer.from(`${date.toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`))
}

export function objectId(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

function base128(value: number): number[] {
  const digits = [value & 0x7f]
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80)
  return digits
}
