import { CARD_REFUSALS } from '@mintmark/contract'
import { expect, test } from 'vitest'
import { DECLINE_REASONS, type DeclineReason } from '../network/port.ts'
import { publicReason } from './rules.ts'

// Guarantee: what the page has words for is what a network may say of a card.

test('every card refusal is a decline reason, in the order of the port', () => {
  const refusals: readonly DeclineReason[] = CARD_REFUSALS
  expect(DECLINE_REASONS.filter((reason) => refusals.includes(reason))).toEqual(refusals)
})

test('what the page has words for is what it is told: the rest is one word', () => {
  expect(new Set(DECLINE_REASONS.map(publicReason))).toEqual(new Set(CARD_REFUSALS))
  expect(publicReason('BIN_COUNTRY_NOT_ALLOWED')).toBe('CARD_DECLINED')
})
