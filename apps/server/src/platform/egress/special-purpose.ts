/** A block of addresses, what it is for, and where that is written. */
export type SpecialBlock = readonly [block: string, purpose: string, source: string]

/**
 * The IANA IPv4 Special-Purpose Address Registry, every block of it, and multicast, which has a registry of its own.
 * The few blocks that can be reached from everywhere (anycast of AS112, AMT, PCP, TURN) are refused as well: no shop's
 * server is there, and a network may have its own one at these addresses.
 */
export const SPECIAL_IPV4: readonly SpecialBlock[] = [
  ['0.0.0.0/8', 'this network', 'RFC 791'],
  ['10.0.0.0/8', 'private use', 'RFC 1918'],
  ['100.64.0.0/10', 'shared address space of carriers', 'RFC 6598'],
  ['127.0.0.0/8', 'loopback', 'RFC 1122'],
  ['169.254.0.0/16', 'link-local; metadata services of clouds', 'RFC 3927'],
  ['172.16.0.0/12', 'private use', 'RFC 1918'],
  ['192.0.0.0/24', 'IETF protocol assignments', 'RFC 6890'],
  ['192.0.2.0/24', 'documentation (TEST-NET-1)', 'RFC 5737'],
  ['192.31.196.0/24', 'AS112', 'RFC 7535'],
  ['192.52.193.0/24', 'AMT', 'RFC 7450'],
  ['192.88.99.0/24', '6to4 relay anycast, deprecated', 'RFC 7526'],
  ['192.168.0.0/16', 'private use', 'RFC 1918'],
  ['192.175.48.0/24', 'direct delegation AS112', 'RFC 7534'],
  ['198.18.0.0/15', 'benchmarking', 'RFC 2544'],
  ['198.51.100.0/24', 'documentation (TEST-NET-2)', 'RFC 5737'],
  ['203.0.113.0/24', 'documentation (TEST-NET-3)', 'RFC 5737'],
  ['224.0.0.0/4', 'multicast', 'RFC 5771'],
  ['240.0.0.0/4', 'reserved, and limited broadcast', 'RFC 1112'],
]

/** The only part of IPv6 from which addresses of servers are given out. Everything outside of it is refused. */
export const GLOBAL_UNICAST_IPV6 = '2000::/3'

/**
 * The IANA IPv6 Special-Purpose Address Registry, every block of it. Those outside of 2000::/3 are refused without the
 * table; they are listed so that the tests try them.
 */
export const SPECIAL_IPV6: readonly SpecialBlock[] = [
  ['::/128', 'unspecified', 'RFC 4291'],
  ['::1/128', 'loopback', 'RFC 4291'],
  ['::/96', 'IPv4-compatible, deprecated', 'RFC 4291'],
  ['::ffff:0:0/96', 'IPv4-mapped', 'RFC 4291'],
  ['64:ff9b::/96', 'NAT64', 'RFC 6052'],
  ['64:ff9b:1::/48', 'NAT64, local use', 'RFC 8215'],
  ['100::/64', 'discard only', 'RFC 6666'],
  ['100:0:0:1::/64', 'dummy prefix', 'RFC 9780'],
  ['2001::/23', 'IETF protocol assignments', 'RFC 2928'],
  ['2001::/32', 'Teredo', 'RFC 4380'],
  ['2001:1::1/128', 'PCP anycast', 'RFC 7723'],
  ['2001:1::2/128', 'TURN anycast', 'RFC 8155'],
  ['2001:1::3/128', 'DNS-SD service registration anycast', 'RFC 9665'],
  ['2001:2::/48', 'benchmarking', 'RFC 5180'],
  ['2001:3::/32', 'AMT', 'RFC 7450'],
  ['2001:4:112::/48', 'AS112', 'RFC 7535'],
  ['2001:10::/28', 'ORCHID, deprecated', 'RFC 4843'],
  ['2001:20::/28', 'ORCHIDv2', 'RFC 7343'],
  ['2001:30::/28', 'drone remote identification', 'RFC 9374'],
  ['2001:db8::/32', 'documentation', 'RFC 3849'],
  ['2002::/16', '6to4', 'RFC 3056'],
  ['2620:4f:8000::/48', 'direct delegation AS112', 'RFC 7534'],
  ['3fff::/20', 'documentation', 'RFC 9637'],
  ['5f00::/16', 'segment routing (SRv6)', 'RFC 9602'],
  ['fc00::/7', 'unique local', 'RFC 4193'],
  ['fe80::/10', 'link-local', 'RFC 4291'],
  ['fec0::/10', 'site-local, deprecated', 'RFC 3879'],
  ['ff00::/8', 'multicast', 'RFC 4291'],
]
