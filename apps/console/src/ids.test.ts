import { FOUND_KINDS } from '@mintmark/contract/console'
import { expect, test } from 'vitest'
import { cutId, kindOf, pageOf } from './ids.ts'

const BODY = '06gq2w9k5v8c3x1t7n4m0r2hzd'

test.each([
  [`txn_${BODY}`, 'payment'],
  [`sess_${BODY}`, 'payment'],
  [`mdt_${BODY}`, 'permission'],
  [`evt_${BODY}`, 'event'],
  [`we_${BODY}`, 'endpoint'],
  [`whd_${BODY}`, 'delivery'],
  [`  txn_${BODY} `, 'payment'],
  [`TXN_${BODY}`, 'payment'],
  ['order-10042', null],
  ['txn_', null],
  ['txn_<b>', null],
  [`whi_${BODY}`, null],
  ['constructor_1', null],
  ['', null],
])('%s is of %s', (typed, kind) => {
  expect(kindOf(typed)).toBe(kind)
})

test('each kind has a page, and what others chose as an id stays within its path', () => {
  for (const kind of FOUND_KINDS) expect(pageOf(kind, 'a/b?c')).toMatch(/^\/[a-z]+\/a%2Fb%3Fc$/)
})

test('a long id loses its middle, and a short one nothing', () => {
  expect(cutId(`txn_${BODY}`)).toBe('txn_06gq2w…2hzd')
  expect(cutId(`sess_${BODY}`)).toBe('sess_06gq2w…2hzd')
  for (const short of ['order-10042', 'evt_1', '']) expect(cutId(short)).toBe(short)
  expect(cutId('x'.repeat(300))).toHaveLength(11)
})
