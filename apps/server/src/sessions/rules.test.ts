// Guarantee: time ends a session in one way only, and every charge has one meaning for the merchant.
import { CHARGE_STATUSES, TRANSACTION_STATUS_OF } from '@mintmark/contract'
import { describe, expect, test } from 'vitest'
import { isOverdue, LINE_ITEM_STATUS_OF, returnUrl } from './rules.ts'
import type { Session } from './store.ts'

const NOW = new Date('2026-11-21T12:00:00.000Z')

describe('isOverdue', () => {
  const ahead = new Date(NOW.getTime() + 1)
  test.each([
    ['open, with time left', { closedAt: null, expiresAt: ahead }, false],
    ['open, its time just over', { closedAt: null, expiresAt: NOW }, true],
    ['closed in time', { closedAt: NOW, expiresAt: NOW }, false],
  ])('%s: %#', (_name, changes, overdue) => {
    expect(isOverdue(changes as Session, NOW)).toBe(overdue)
  })
})

test('transaction and line item follow the charge', () => {
  expect(CHARGE_STATUSES.map((status) => [status, TRANSACTION_STATUS_OF[status], LINE_ITEM_STATUS_OF[status]])).toEqual(
    [
      ['initiated', 'initiated', 'pending'],
      ['minting', 'initiated', 'pending'],
      ['awaiting_result', 'awaiting_result', 'credentials_generated'],
      ['completed', 'completed', 'completed'],
      ['failed', 'failed', 'failed'],
    ],
  )
})

describe('returnUrl', () => {
  test.each([
    [null, null],
    ['https://shop.example/done', 'https://shop.example/done?session_id=sess_1'],
    ['https://shop.example?a=1&b=2', 'https://shop.example/?a=1&b=2&session_id=sess_1'],
    ['https://shop.example/?session_id=x', 'https://shop.example/?session_id=sess_1'],
    ['https://shop.example/?session_id=x&a=1', 'https://shop.example/?a=1&session_id=sess_1'],
    ['https://shop.example/#/done', 'https://shop.example/?session_id=sess_1#/done'],
    ['https://shop.example/?', 'https://shop.example/?session_id=sess_1'],
    // As it was written: another program may have signed it.
    [
      'https://shop.example/?to=a%20b~c&flag&sig=x%2By%3D#end',
      'https://shop.example/?to=a%20b~c&flag&sig=x%2By%3D&session_id=sess_1#end',
    ],
  ] as const)('%s: %s', (callbackUrl, url) => {
    expect(returnUrl({ id: 'sess_1', callbackUrl })).toBe(url)
  })
})
