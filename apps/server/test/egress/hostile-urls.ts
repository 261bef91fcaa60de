import { parseAddress } from '../../src/platform/egress/addresses.ts'
import { SPECIAL_IPV4, SPECIAL_IPV6 } from '../../src/platform/egress/special-purpose.ts'

export interface HostileUrl {
  /** What kind of spelling it is. */
  form: string
  url: string
}

/** Addresses that attacks on other services were made with, beside the edges of every block. */
const KNOWN_IPV4 = [
  '127.0.0.1',
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '192.168.0.1',
  '10.0.0.1',
  '172.17.0.1',
]

/** Outside of what IANA gives to servers, or one address in the clothes of another. */
const KNOWN_IPV6 = [
  '4000::1',
  '6000::1',
  '8000::1',
  'e000::1',
  '1::1',
  '::7f00:1',
  '::2',
  'fd00:ec2::254',
  '2001:470::5efe:7f00:1',
]

/** Addresses of every block of the tables: the first, the last, and so many between them. */
export function forbiddenAddresses(between: number): { ipv4: string[]; ipv6: string[] } {
  const ipv4 = SPECIAL_IPV4.flatMap(([block]) => inside(block, 32, between)).map(dotted)
  const ipv6 = SPECIAL_IPV6.flatMap(([block]) => inside(block, 128, between)).map((value) => shortest(value))
  const disguised = ipv4.flatMap((address) => disguises(address).map(([, text]) => text))
  return {
    ipv4: [...new Set([...KNOWN_IPV4, ...ipv4])],
    ipv6: [...new Set([...KNOWN_IPV6, ...ipv6, ...disguised])],
  }
}

/** Every forbidden address in every spelling. None of them may be saved, and none may be called. */
export function hostileUrls(between: number): HostileUrl[] {
  const { ipv4, ipv6 } = forbiddenAddresses(between)
  const all = [
    ...ipv4.flatMap((address) => [...spellingsOfIpv4(address), ...wrappings(address)]),
    ...ipv6.flatMap((address) => [...spellingsOfIpv6(address), ...wrappings(`[${address}]`)]),
    ...NAMES.flatMap((name) => [['name', `https://${name}/`] as const, ...wrappings(name)]),
  ]
  return [...new Map(all.map(([form, url]) => [url, { form, url }])).values()]
}

/** Names that mean this machine or its neighbours wherever they are understood. */
const NAMES = [
  'localhost',
  'LOCALHOST',
  'a.localhost',
  'localhost.',
  'localhost。',
  'metadata',
  'intranet',
  'metadata.google.internal',
  'host.docker.internal',
  'printer.local',
  'router.home.arpa',
  '1.1.1.1.in-addr.arpa',
  'a.ip6.arpa',
  'resolver.arpa',
  'ipv4only.arpa',
  'a.service.arpa',
  'shop.arpa.',
  'shop.onion',
  'shop.alt',
  'shop.invalid',
  'ⓛocalhost',
  '%6cocalhost',
]

type Spelling = readonly [form: string, url: string]

function spellingsOfIpv4(address: string): Spelling[] {
  const bytes = address.split('.').map(Number)
  const [a = 0, b = 0, c = 0, d = 0] = bytes
  const value = ((a * 256 + b) * 256 + c) * 256 + d
  const hex = (number: number, digits = 2) => `0x${number.toString(16).padStart(digits, '0')}`
  const octal = (number: number, digits = 4) => number.toString(8).padStart(digits, '0')
  const hosts: Spelling[] = [
    ['dotted', address],
    ['one number', String(value)],
    ['one hexadecimal number', hex(value, 8)],
    ['one octal number', `0${value.toString(8)}`],
    ['hexadecimal parts', bytes.map((byte) => hex(byte)).join('.')],
    ['capital hexadecimal parts', bytes.map((byte) => hex(byte).toUpperCase()).join('.')],
    ['long hexadecimal parts', bytes.map((byte) => hex(byte, 10)).join('.')],
    ['octal parts', bytes.map((byte) => octal(byte)).join('.')],
    ['long octal parts', bytes.map((byte) => octal(byte, 12)).join('.')],
    ['mixed parts', [hex(a), octal(b), String(c), hex(d)].join('.')],
    ['three parts', `${a}.${b}.${c * 256 + d}`],
    ['two parts', `${a}.${(b * 256 + c) * 256 + d}`],
    ['two hexadecimal parts', `${hex(a)}.${hex((b * 256 + c) * 256 + d)}`],
    ['dot at the end', `${address}.`],
    ['one number with a dot', `${value}.`],
    ['two dots at the end', `${address}..`],
    ['full-width digits', fullWidth(address)],
    ['full-width dots', address.replaceAll('.', '．')],
    ['ideographic dots', address.replaceAll('.', '。')],
    ['half-width dots', address.replaceAll('.', '｡')],
    ['circled digits', address.replaceAll(/[1-9]/g, (digit) => String.fromCodePoint(0x245f + Number(digit)))],
    ['mathematical digits', address.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x1d7ce + Number(digit)))],
    ['percent-encoded', [...address].map((sign) => `%${sign.charCodeAt(0).toString(16)}`).join('')],
    ['percent-encoded dots', address.replaceAll('.', '%2e')],
    ['percent-encoded full-width', encodeURIComponent(fullWidth(address))],
    ['soft hyphen', address.replace('.', '\u00ad.')],
    ['zero-width space', address.replace('.', '\u200b.')],
    ['parts beyond a byte', `${a + 256}.${b}.${c}.${d}`],
    ['in brackets', `[${address}]`],
    ['another label before it', `0.${address}`],
  ]
  return [
    ...hosts.map(([form, host]) => [form, `https://${host}/hook`] as const),
    ...disguises(address).map(([form, host]) => [form, `https://[${host}]/hook`] as const),
  ]
}

const fullWidth = (text: string) => text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))

/** IPv6 addresses that some network translates into this IPv4 address. */
function disguises(address: string): Spelling[] {
  const value = parseAddress(address)?.value ?? 0n
  const behind = (prefix: string) => shortest((parseAddress(prefix)?.value ?? 0n) + value)
  return [
    ['mapped', behind('::ffff:0:0')],
    ['mapped, dotted', `::ffff:${address}`],
    ['compatible', behind('::')],
    ['compatible, dotted', `::${address}`],
    ['translated', behind('::ffff:0:0:0')],
    ['NAT64', behind('64:ff9b::')],
    ['NAT64, dotted', `64:ff9b::${address}`],
    ['NAT64, local', behind('64:ff9b:1::')],
    ['6to4', shortest((0x2002n << 112n) + (value << 80n) + 1n)],
    ['Teredo, server', shortest((0x2001n << 112n) + (value << 64n))],
    ['Teredo, client', shortest((0x2001n << 112n) + (value ^ 0xffff_ffffn))],
    ['ISATAP', behind('2001:470:0:1:0:5efe::')],
    ['ISATAP, global', behind('2001:470:0:1:200:5efe::')],
  ]
}

function spellingsOfIpv6(address: string): Spelling[] {
  const groups = groupsOf(parseAddress(address)?.value ?? 0n)
  const full = groups.map((group) => group.toString(16).padStart(4, '0')).join(':')
  const [g6 = 0, g7 = 0] = groups.slice(6)
  const tail = dotted(BigInt(g6) * 65_536n + BigInt(g7))
  const hosts: Spelling[] = [
    ['IPv6', `[${address}]`],
    ['IPv6 in full', `[${full}]`],
    ['IPv6 in capitals', `[${full.toUpperCase()}]`],
    ['IPv6 without zeros', `[${groups.map((group) => group.toString(16)).join(':')}]`],
    [
      'IPv6 with a dotted end',
      `[${groups
        .slice(0, 6)
        .map((group) => group.toString(16))
        .join(':')}:${tail}]`,
    ],
    ['IPv6 with a zone', `[${address}%25lo]`],
    ['IPv6 with a bare zone', `[${address}%lo]`],
    ['IPv6 with a zone of a number', `[${address}%251]`],
    ['IPv6 without brackets', address],
    ['IPv6 in encoded brackets', `%5B${address}%5D`],
    ['IPv6 and a dot', `[${address}].`],
  ]
  return hosts.map(([form, host]) => [form, `https://${host}/hook`] as const)
}

/** Around a host: what readers of URLs do not agree about. */
function wrappings(host: string): Spelling[] {
  return [
    ['no encryption', `http://${host}/`],
    ['another scheme', `ftp://${host}/`],
    ['a user', `https://user@${host}/`],
    ['a user and a password', `https://user:secret@${host}/`],
    ['an allowed host as user', `https://receiver.example@${host}/`],
    ['an allowed host as user, encoded', `https://receiver.example%40${host}/`],
    ['an allowed host as password', `https://a:b@receiver.example@${host}/`],
    ['backslash before it', `https://receiver.example\\@${host}/`],
    ['fragment before it', `https://receiver.example#@${host}/`],
    ['another port', `https://${host}:8443/`],
    ['port of its scheme', `https://${host}:443/`],
    ['port with zeros', `https://${host}:00443/`],
    ['port 80', `https://${host}:80/`],
    ['port 0', `https://${host}:0/`],
    ['empty port', `https://${host}:/`],
    ['port too high', `https://${host}:65979/`],
    ['capitals', `HTTPS://${host}/`],
    ['no slashes', `https:${host}/`],
    ['one slash', `https:/${host}/`],
    ['three slashes', `https:///${host}/`],
    ['backslashes', `https:\\\\${host}\\`],
    ['a tab', `https://\t${host}/`],
    ['a line break', `ht\ntps://${host}/`],
    ['blanks around it', ` https://${host}/ `],
    ['a query at once', `https://${host}?a=b`],
    ['a fragment', `https://${host}/#a`],
    ['no scheme', `//${host}/`],
    ['two schemes', `https:https://${host}/`],
  ]
}

function inside(block: string, bits: number, between: number): bigint[] {
  const [base = '', length = ''] = block.split('/')
  const first = parseAddress(base)?.value ?? 0n
  const size = 1n << BigInt(bits - Number(length))
  const steps = Array.from({ length: between }, (_, step) => (size * BigInt(step + 1)) / BigInt(between + 1))
  return [...new Set([0n, ...steps, size - 1n])].map((step) => first + step)
}

const dotted = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.')

const groupsOf = (value: bigint): number[] =>
  Array.from({ length: 8 }, (_, index) => Number((value >> BigInt(16 * (7 - index))) & 0xffffn))

/** As RFC 5952 writes it, which is how URLs do. */
function shortest(value: bigint): string {
  const groups = groupsOf(value).map((group) => group.toString(16))
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1)
}
