import { isIPv4, isIPv6 } from 'node:net'
import { GLOBAL_UNICAST_IPV6, SPECIAL_IPV4, SPECIAL_IPV6, type SpecialBlock } from './special-purpose.ts'

/** An address as a number, so that no spelling of it matters any more. */
export interface Address {
  version: 4 | 6
  value: bigint
}

interface Block {
  version: 4 | 6
  /** The bits of the block's own, and how many bits follow them. */
  prefix: bigint
  rest: bigint
}

/**
 * Undefined for everything that is not exactly an address: a name, an IPv4 address in octal or hexadecimal, one with a zone
 * (`fe80::1%eth0`). An IPv6 address is taken in every spelling that it has.
 */
export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { version: 4, value: ipv4Value(text) }
  if (isIPv6(text) && !text.includes('%')) return { version: 6, value: ipv6Value(text) }
  return undefined
}

/** An address that any server may have: outside of every special-purpose block, and no IPv4 address in disguise. */
export function isPublic(address: Address): boolean {
  if (address.version === 4) return !IPV4_BLOCKS.some((block) => contains(block, address))
  if (!contains(GLOBAL_UNICAST, address) || isIsatap(address.value)) return false
  return !IPV6_BLOCKS.some((block) => contains(block, address))
}

export function isLoopback(address: Address): boolean {
  return contains(address.version === 4 ? LOOPBACK_IPV4 : LOOPBACK_IPV6, address)
}

export function isSameAddress(one: Address, other: Address): boolean {
  return one.version === other.version && one.value === other.value
}

function ipv4Value(text: string): bigint {
  return text.split('.').reduce((value, byte) => value * 256n + BigInt(byte), 0n)
}

function ipv6Value(text: string): bigint {
  const [head = '', tail] = withoutDots(text).split('::')
  const first = groupsOf(head)
  const last = groupsOf(tail ?? '')
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length
  const groups = [...first, ...Array<string>(zeros).fill('0'), ...last]
  return groups.reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n)
}

const groupsOf = (text: string): string[] => (text === '' ? [] : text.split(':'))

/** `::ffff:127.0.0.1` → `::ffff:7f00:1`. */
function withoutDots(text: string): string {
  const start = text.lastIndexOf(':') + 1
  const last = text.slice(start)
  if (!last.includes('.')) return text
  const value = ipv4Value(last)
  return `${text.slice(0, start)}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`
}

function blockOf(text: string): Block {
  const [base = '', bits = ''] = text.split('/')
  const address = parseAddress(base)
  if (address === undefined) throw new Error(`${text} is no block of addresses.`)
  const rest = BigInt((address.version === 4 ? 32 : 128) - Number(bits))
  return { version: address.version, prefix: address.value >> rest, rest }
}

function contains(block: Block, address: Address): boolean {
  return block.version === address.version && address.value >> block.rest === block.prefix
}

/** ISATAP (RFC 5214) carries an IPv4 address behind any prefix: its interface identifier is `::0:5efe:a.b.c.d` or `::200:5efe:…`. */
function isIsatap(value: bigint): boolean {
  const identifier = (value >> 32n) & 0xffff_ffffn
  return identifier === 0x0000_5efen || identifier === 0x0200_5efen
}

const blocksOf = (table: readonly SpecialBlock[]): readonly Block[] => table.map(([block]) => blockOf(block))

const IPV4_BLOCKS = blocksOf(SPECIAL_IPV4)
const IPV6_BLOCKS = blocksOf(SPECIAL_IPV6)
const GLOBAL_UNICAST = blockOf(GLOBAL_UNICAST_IPV6)
const LOOPBACK_IPV4 = blockOf('127.0.0.0/8')
const LOOPBACK_IPV6 = blockOf('::1/128')
