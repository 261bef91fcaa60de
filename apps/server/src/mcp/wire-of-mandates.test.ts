// Guarantee: an agent that is told that a mandate can be charged can charge it, by a key.
import type { MandateStatus } from '@mintmark/contract'
import { MANDATE_STATUSES } from '@mintmark/contract'
import { expect, test } from 'vitest'
import { chargeableBy } from './wire-of-mandates.ts'

const OVER: readonly MandateStatus[] = ['cancelled', 'expired', 'consumed']

test.each(MANDATE_STATUSES)('a mandate that is %s', (status) => {
  const by = (perCheckout: boolean, hasKey: boolean) => chargeableBy({ perCheckout, status }, { hasKey })
  expect(by(false, true)).toBe(OVER.includes(status) ? 'nobody' : 'your_key')
  // Its card pays one purchase, and no key charges it again.
  expect(by(true, true)).toBe('nobody')
  expect(by(false, false)).toBe('nobody')
})
