import { expect, test } from 'vitest'
import { byAddress } from './limit.ts'

// Guarantee: a client cannot get a new counter by choosing another address of its own network, or by sending any text.

const key = (ip: string | undefined, remoteAddress?: string) => byAddress(null, { ip, socket: { remoteAddress } })

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::198.51.100.1', '64:ff9b:0:0::/64'],
])('%s counts as %s', (ip, counted) => {
  expect(key(ip)).toBe(counted)
})

test.each(['junk1', '', '1.2.3', '2001:db8::g', '203.0.113.7, 203.0.113.8'])('%j counts for the peer', (ip) => {
  expect(key(ip, '10.0.0.1')).toBe('10.0.0.1')
  expect(key(ip)).toBe('unknown')
})

test('a caller who has reset the connection before their request was read is not counted, and no failure of ours', () => {
  expect(key(undefined)).toBe('unknown')
})
