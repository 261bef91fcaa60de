import { SENTENCE_VERSION } from '@mintmark/contract/sentence/version'
import { SURFACE_OUTCOMES, SURFACE_STEPS } from '@mintmark/contract/surface'
import type { EnrollmentView } from '@mintmark/contract/wire/surface'
import { describe, expect, it } from 'vitest'
import { foreign } from '../../phrase.ts'
import { ENDED } from '../testing/ended-view.ts'
import { cardState } from './card-state.ts'
import { enrollmentFlow as flow } from './flow.ts'

// Guarantee: however saving a card ends, the page says last that nothing was charged, and calls it saved only where it was.

const VIEW: EnrollmentView = {
  kind: 'enrollment',
  ...ENDED,
  failure: null,
  enrollment: { merchant_name: 'Tea House', card_fixed: false, passkey: null },
}
const said = (outcome: (typeof SURFACE_OUTCOMES)[number], failure: EnrollmentView['failure'] = null) =>
  flow.outcome(outcome, { ...VIEW, outcome, failure })

describe('how saving a card ended', () => {
  it('every end says last that nothing was charged', () => {
    for (const outcome of SURFACE_OUTCOMES) expect(said(outcome).text).toMatch(/ Nothing was charged\.$/)
  })

  it.each(['CARD_DECLINED', 'PASSKEY_BLOCKED'] as const)('failed by %s says why, and the same last', (code) => {
    const { text } = said('failed', { code })
    expect(text).toMatch(/^\w.*\. Nothing was charged\.$/)
    expect(text).not.toBe(said('failed').text)
    expect(flow.failure({ ...VIEW, failure: { code } })).toBe(text)
  })

  it('over the card stands what is certain', () => {
    const at = (step: EnrollmentView['step']) => cardState({ step, outcome: null })
    expect(SURFACE_STEPS.map(at)).toEqual([...Array(5).fill('toSave'), 'inProgress', 'ended'])
    const states = SURFACE_OUTCOMES.map((outcome) => cardState({ step: 'done', outcome }))
    expect(states).toEqual(['saved', ...Array(4).fill('notSaved')])
  })

  it('only a saved card has something to keep: who keeps it, the card, and which passkey', () => {
    const card = { card_id: 'c', card_last4: '0004', card_brand: 'diners', card_exp_month: 1, card_exp_year: 2031 }
    const view: EnrollmentView = { ...VIEW, card, enrollment: { ...VIEW.enrollment, passkey: 'existing' } }
    const lines = flow.outcome('approved', { ...view, outcome: 'approved' }).receipt
    expect(lines.map(({ label }) => label)).toEqual(['Saved with', 'Card', 'Passkey'])
    expect(lines[2]?.value).toBe('The one you had already')
    for (const outcome of SURFACE_OUTCOMES.filter((other) => other !== 'approved')) {
      expect(flow.outcome(outcome, { ...view, outcome }).receipt).toEqual([])
    }
  })
})

describe('the terms', () => {
  const terms = {
    version: 1,
    sentence: { version: SENTENCE_VERSION, language: 'en', text: 'All of it.' },
    type: 'card_enrollment',
    session_id: 'sess_1',
    account_id: 'ma_1',
    customer_id: 'cus_1',
    merchant_name: 'Tea House',
    card: { id: 'card_1', brand: 'visa', last4: '4242' },
    approve_by: '2026-11-21T12:00:00.000Z',
  }

  it('are who keeps which card, in the words that are signed', () => {
    const read = flow.terms(terms)
    expect(read?.title).toEqual(['Save your card with ', foreign('Tea House')])
    expect([read?.sentence, read?.card]).toEqual([terms.sentence, terms.card])
  })

  it.each([
    { ...terms, version: 2 },
    { ...terms, type: 'payment' },
    { ...terms, merchant_name: 7 },
    { ...terms, card: null },
    { ...terms, approve_by: undefined },
    null,
  ])('that this page does not understand are not approved', (value) => {
    expect(flow.terms(value)).toBeNull()
  })
})
