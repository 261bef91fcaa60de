// Guarantee: at every point of the cardholder's part there is one next step, and no approval without an active card and
// a passkey.
import { SURFACE_OUTCOMES } from '@mintmark/contract'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CardProof, type Standing, stepOf } from './rules.ts'

const NO_CARD = null
const ACTIVE = { status: 'active', stepUpPending: false } as const
const STEP_UP = { status: 'provisioning', stepUpPending: true } as const
const BEGUN = { status: 'provisioning', stepUpPending: false } as const
const DELETED = { status: 'deleted', stepUpPending: false } as const

const NOTHING: CardProof = { usable: false, registers: false, codePending: false, provable: true }
const PROVEN: CardProof = { usable: true, registers: true, codePending: false, provable: true }
const ASKED: CardProof = { ...NOTHING, codePending: true }
/** A card of the passkey that may be replaced: it can be approved with, and must be proven to make another passkey. */
const OF_PASSKEY: CardProof = { ...NOTHING, usable: true }
/** Another card than those of the passkey that may be replaced. */
const STRANGE: CardProof = { ...NOTHING, usable: true, provable: false }

describe('stepOf', () => {
  test.each([
    ['pending', NO_CARD, NOTHING, false, 'none', 'card'],
    ['pending', NO_CARD, NOTHING, false, 'there', 'card'],
    ['pending', NO_CARD, NOTHING, true, 'none', 'card_cvv'],
    ['pending', NO_CARD, NOTHING, true, 'there', 'card_cvv'],
    ['pending', BEGUN, NOTHING, false, 'none', 'card'],
    ['pending', BEGUN, NOTHING, true, 'none', 'card'],
    ['pending', DELETED, NOTHING, false, 'there', 'card'],
    ['pending', DELETED, NOTHING, true, 'there', 'card'],
    ['pending', STEP_UP, ASKED, false, 'none', 'card_verification'],
    ['pending', STEP_UP, ASKED, true, 'there', 'card_verification'],
    ['pending', ACTIVE, PROVEN, false, 'none', 'passkey_registration'],
    ['pending', ACTIVE, PROVEN, true, 'none', 'passkey_registration'],
    ['pending', ACTIVE, PROVEN, false, 'there', 'approval'],
    ['pending', ACTIVE, PROVEN, true, 'there', 'approval'],
    ['pending', ACTIVE, OF_PASSKEY, false, 'there', 'approval'],
    ['pending', ACTIVE, NOTHING, false, 'none', 'card_cvv'],
    ['pending', ACTIVE, NOTHING, false, 'there', 'card_cvv'],
    ['pending', ACTIVE, ASKED, false, 'none', 'card_verification'],
    ['pending', ACTIVE, ASKED, false, 'there', 'card_verification'],
    ['pending', ACTIVE, OF_PASSKEY, false, 'released', 'card_cvv'],
    ['pending', ACTIVE, { ...OF_PASSKEY, codePending: true }, false, 'released', 'card_verification'],
    ['pending', ACTIVE, PROVEN, false, 'released', 'passkey_registration'],
    ['pending', ACTIVE, STRANGE, false, 'released', 'card'],
    ['processing', ACTIVE, PROVEN, false, 'none', 'processing'],
    ['processing', DELETED, NOTHING, false, 'there', 'processing'],
  ] as const)(
    '%s, card %j, proof %j, vault record %s, passkey %s: %s',
    (status, card, proof, vaultRecordPreselected, passkey, step) => {
      expect(stepOf({ status, outcome: null, card, proof, vaultRecordPreselected, passkey })).toBe(step)
    },
  )

  const standing: fc.Arbitrary<Standing> = fc.record({
    status: fc.constantFrom('pending', 'processing', 'awaiting_result', 'completed', 'failed'),
    outcome: fc.constantFrom(null, ...SURFACE_OUTCOMES),
    card: fc.constantFrom(NO_CARD, ACTIVE, STEP_UP, BEGUN, DELETED),
    proof: fc.record({
      usable: fc.boolean(),
      registers: fc.boolean(),
      codePending: fc.boolean(),
      provable: fc.boolean(),
    }),
    vaultRecordPreselected: fc.boolean(),
    passkey: fc.constantFrom('none', 'there', 'released'),
  })

  test('property: an outcome is the end, and nothing else is', () => {
    fc.assert(fc.property(standing, (one) => (stepOf(one) === 'done') === (one.outcome !== null)))
  })

  test('property: an approval needs a pending session, an active card it may use and a passkey', () => {
    fc.assert(
      fc.property(standing, (one) => {
        const open = one.outcome === null && one.status === 'pending' && one.card === ACTIVE
        return (stepOf(one) === 'approval') === (open && one.passkey === 'there' && one.proof.usable)
      }),
    )
  })

  test('property: a passkey is made with a card that was proven for it, and with no other', () => {
    fc.assert(
      fc.property(
        standing,
        (one) => stepOf(one) !== 'passkey_registration' || (one.proof.registers && one.card === ACTIVE),
      ),
    )
  })
})
