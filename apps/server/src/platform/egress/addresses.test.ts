import { BlockList } from 'node:net'
import { assert, ipV4, ipV6, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isLoopback, isPublic, parseAddress } from './addresses.ts'
import { SPECIAL_IPV4, SPECIAL_IPV6, type SpecialBlock } from './special-purpose.ts'

// Guarantee: an address is judged by its bits, in every spelling, and the tables are read as the registry means them.

const judged = (text: string) => {
  const address = parseAddress(text)
  return address === undefined ? 'none' : isPublic(address)
}

describe('parseAddress', () => {
  test.each([
    ['0.0.0.0', 4, 0n],
    ['255.255.255.255', 4, 0xffff_ffffn],
    ['1.2.3.4', 4, 0x0102_0304n],
    ['::', 6, 0n],
    ['::1', 6, 1n],
    ['1::', 6, 1n << 112n],
    ['1:2:3:4:5:6:7:8', 6, 0x0001_0002_0003_0004_0005_0006_0007_0008n],
    ['1:2:3:4:5:6:7::', 6, 0x0001_0002_0003_0004_0005_0006_0007_0000n],
    ['::ffff:1.2.3.4', 6, 0xffff_0102_0304n],
    ['1:2:3:4:5:6:1.2.3.4', 6, 0x0001_0002_0003_0004_0005_0006_0102_0304n],
    ['FE80::A', 6, (0xfe80n << 112n) + 10n],
  ])('%s', (text, version, value) => expect(parseAddress(text)).toEqual({ version, value }))

  test.each([
    '',
    'localhost',
    '127.1',
    '0177.0.0.1',
    '0x7f.1',
    '2130706433',
    '1.2.3.4.',
    'fe80::1%lo',
    '[::1]',
    '::1 ',
    ':::',
    '1::2::3',
  ])('%s is none', (text) => expect(parseAddress(text)).toBeUndefined())

  test('spellings of one address are one address', () => {
    assert(
      property(ipV6(), (text) => {
        const canonical = new URL(`http://[${text}]/`).hostname.slice(1, -1)
        expect(parseAddress(text)).toEqual(parseAddress(canonical))
      }),
    )
  })
})

describe('isPublic', () => {
  test.each([
    ...['9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0', '172.15.255.255'],
    ...['172.32.0.0', '192.0.1.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255'],
    ...['1.0.0.0', '2001:200::', '2003::1', '2606:4700::1111', '3ffe::1', '2a00:1450::1', '2620:4f:7fff::1'],
  ])('%s', (text) => expect(judged(text)).toBe(true))

  test.each([
    ...['0.255.255.255', '10.0.0.0', '100.64.0.0', '169.254.169.254', '192.0.0.9', '224.0.0.1', '255.255.255.255'],
    // What ready-made tables of ranges take for ordinary.
    ...['::7f00:1', '100:0:0:1::1', '4000::1', '1fff::1', '::ffff:8.8.8.8', '64:ff9b::808:808', '2002:808:808::1'],
    ...['2001:0:808:808::1', '2001:1ff:ffff::1', '3fff:fff:ffff::1', '5f00::1', 'ff0e::1', '2a00:1450::5efe:7f00:1'],
  ])('not %s', (text) => expect(judged(text)).toBe(false))

  /**
   * One of each block of the two registries, written down a second time: a row that is lost from a table is seen here.
   */
  const EVERY_BLOCK = [
    ...['0.1.2.3', '10.1.2.3', '100.127.2.3', '127.1.2.3', '169.254.1.2', '172.31.2.3', '192.0.0.170', '192.0.2.3'],
    ...['192.31.196.1', '192.52.193.1', '192.88.99.1', '192.168.2.3', '192.175.48.1', '198.19.2.3', '198.51.100.1'],
    ...['203.0.113.1', '239.1.2.3', '240.1.2.3'],
    ...[
      '::',
      '::1',
      '::102:304',
      '::ffff:102:304',
      '64:ff9b::1',
      '64:ff9b:1::1',
      '100::1',
      '100:0:0:1::1',
      '2001:1ff::1',
    ],
    ...['2001::1', '2001:1::1', '2001:1::2', '2001:1::3', '2001:2::1', '2001:3::1', '2001:4:112::1', '2001:1f::1'],
    ...['2001:2f::1', '2001:3f::1', '2001:db8::1', '2002::1', '2620:4f:8000::1', '3fff::1', '5f00::1', 'fdff::1'],
    ...['febf::1', 'feff::1', 'ff02::1'],
  ]
  test.each(EVERY_BLOCK)('not %s, of its registry', (text) => expect(judged(text)).toBe(false))

  test('as Node.js reads the same tables', () => {
    const [v4, v6] = [blockList(SPECIAL_IPV4, 'ipv4'), blockList(SPECIAL_IPV6, 'ipv6')]
    assert(
      property(ipV4(), (text) => {
        expect(judged(text)).toBe(!v4.check(text, 'ipv4'))
      }),
    )
    assert(
      property(ipV6(), (text) => {
        expect(v6.check(text, 'ipv6') && judged(text) === true).toBe(false)
      }),
    )
  })

  test('loopback is all of 127.0.0.0/8, and ::1 alone', () => {
    const own = (text: string) => isLoopback(parseAddress(text) ?? { version: 4, value: 0n })
    expect(['127.0.0.1', '127.255.255.255', '::1'].map(own)).toEqual([true, true, true])
    expect(['126.255.255.255', '128.0.0.0', '::', '::2', '::ffff:127.0.0.1', '0.0.0.0'].some(own)).toBe(false)
  })
})

function blockList(table: readonly SpecialBlock[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const [block] of table) {
    const [base = '', bits = ''] = block.split('/')
    list.addSubnet(base, Number(bits), family)
  }
  return list
}
