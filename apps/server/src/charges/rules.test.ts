// Guarantee: for every reason a network gives, the merchant reads one of the contract's failures with a text.
import { PAYMENT_FAILURES } from '@mintmark/contract'
import { expect, test } from 'vitest'
import { DECLINE_REASONS } from '../network/port.ts'
import { failureOf } from './rules.ts'

test.each(DECLINE_REASONS)('%s', (reason) => expect(PAYMENT_FAILURES).toHaveProperty(failureOf(reason)))

test.each([
  ['THRESHOLD_EXCEEDED', 'THRESHOLD_EXCEEDED'],
  ['MAX_CHARGES_EXCEEDED', 'MAX_CHARGES_EXCEEDED'],
  ['INSTRUCTION_EXPIRED', 'MANDATE_EXPIRED'],
  ['CARD_DECLINED', 'CARD_DECLINED'],
  ['TOKEN_NOT_ACTIVE', 'CARD_DECLINED'],
  ['MERCHANT_NOT_ALLOWED', 'PAYMENT_FAILED'],
] as const)('%s reads %s', (reason, failure) => expect(failureOf(reason)).toBe(failure))
