// Guarantee: at every point of the cardholder's part there is one next step, and no approval without an active card and
// a passkey.
import { SURFACE_OUTCOMES } from '@mintmark/contract'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Standing, stepOf } from './rules.ts'

const NO_CARD = null
const ACTIVE = { status: 'active', stepUpPending: false } as const
const STEP_UP = { status: 'provisioning', stepUpPending: true } as const
const BEGUN = { status: 'provisioning', stepUpPending: false } as const
const DELETED = { status: 'deleted', stepUpPending: false } as const

describe('stepOf', () => {
  test.each([
    ['pending', NO_CARD, false, false, 'card'],
    ['pending', NO_CARD, false, true, 'card'],
    ['pending', NO_CARD, true, false, 'card_cvv'],
    ['pending', NO_CARD, true, true, 'card_cvv'],
    ['pending', BEGUN, false, false, 'card'],
    ['pending', BEGUN, true, false, 'card'],
    ['pending', DELETED, false, true, 'card'],
    ['pending', DELETED, true, true, 'card'],
    ['pending', STEP_UP, false, false, 'card_verification'],
    ['pending', STEP_UP, true, true, 'card_verification'],
    ['pending', ACTIVE, false, false, 'passkey_registration'],
    ['pending', ACTIVE, true, false, 'passkey_registration'],
    ['pending', ACTIVE, false, true, 'approval'],
    ['pending', ACTIVE, true, true, 'approval'],
    ['processing', ACTIVE, false, false, 'processing'],
    ['processing', DELETED, false, true, 'processing'],
  ] as const)(
    '%s, card %j, vault record %s, passkey %s: %s',
    (status, card, vaultRecordPreselected, hasPasskey, step) => {
      expect(stepOf({ status, outcome: null, card, vaultRecordPreselected, hasPasskey })).toBe(step)
    },
  )

  const standing: fc.Arbitrary<Standing> = fc.record({
    status: fc.constantFrom('pending', 'processing', 'awaiting_result', 'completed', 'failed'),
    outcome: fc.constantFrom(null, ...SURFACE_OUTCOMES),
    card: fc.constantFrom(NO_CARD, ACTIVE, STEP_UP, BEGUN, DELETED),
    vaultRecordPreselected: fc.boolean(),
    hasPasskey: fc.boolean(),
  })

  test('property: an outcome is the end, and nothing else is', () => {
    fc.assert(fc.property(standing, (one) => (stepOf(one) === 'done') === (one.outcome !== null)))
  })

  test('property: an approval needs a pending session, an active card and a passkey', () => {
    fc.assert(
      fc.property(standing, (one) => {
        const ready = one.outcome === null && one.status === 'pending' && one.card === ACTIVE && one.hasPasskey
        return (stepOf(one) === 'approval') === ready
      }),
    )
  })
})
