import { SENTENCE_VERSION } from '@mintmark/contract/sentence/version'
import { SETUP_FAILURES, type SetupFailure } from '@mintmark/contract/states'
import { SURFACE_OUTCOMES, SURFACE_STEPS } from '@mintmark/contract/surface'
import type { MandateSetupView, SurfaceMandate } from '@mintmark/contract/wire/surface'
import { describe, expect, it } from 'vitest'
import { foreign, plainText } from '../../phrase.ts'
import { ENDED } from '../testing/ended-view.ts'
import { mandateSetupFlow as flow } from './flow.ts'
import { permissionState } from './permission-state.ts'
import { summaryFacts } from './summary.ts'

// Guarantee: however setting up a permission ends, the page says last that nothing was charged, and allows it only to the
// end that did. What stays in sight are the limits that are signed.

const FAILURES = Object.keys(SETUP_FAILURES) as SetupFailure[]
const MANDATE: SurfaceMandate = {
  merchant_name: 'Tea House',
  merchant_url: 'https://tea.example',
  amount: '40.00',
  currency: 'USD',
  recurring_frequency: 'monthly',
  merchant_scope: 'listed',
  max_charges: null,
  valid_until: '2028-11-20T12:00:00.000Z',
  most_total: '960.00',
  adjustable: true,
  description: null,
}
const VIEW: MandateSetupView = {
  kind: 'mandate_setup',
  ...ENDED,
  mandate: MANDATE,
}
const TERMS = {
  version: 1,
  sentence: { version: SENTENCE_VERSION, language: 'en', text: 'All of it.' },
  type: 'mandate',
  payee: { name: 'Tea House', url: 'https://tea.example', country: 'US' },
  merchant_scope: 'listed',
  amount: '25.00',
  currency: 'USD',
  frequency: 'monthly',
  max_charges: null,
  valid_until: '2027-02-01T12:00:00.000Z',
  most_total: '75.00',
  description: null,
  card: { id: 'card_1', brand: 'visa', last4: '4242' },
  approve_by: '2026-11-21T12:00:00.000Z',
}
const OWNERS = 'https://agents.northpay.example'
const OF_AGENT = { agent: { name: 'أطلس', owner_url: OWNERS } }
const said = (outcome: (typeof SURFACE_OUTCOMES)[number], code: string | null = null) =>
  flow.outcome(outcome, { ...VIEW, outcome, failure: code === null ? null : { code: code as SetupFailure } }).text
const facts = (changes: Partial<SurfaceMandate> = {}) =>
  summaryFacts({ ...VIEW, mandate: { ...MANDATE, ...changes } }).map((fact) =>
    plainText(fact).replaceAll(/[\u2068\u2069]/g, ''),
  )

describe('how setting up a permission ended', () => {
  it('every end but one says last that nothing was allowed and nothing was charged', () => {
    for (const outcome of SURFACE_OUTCOMES.filter((other) => other !== 'approved')) {
      expect(said(outcome)).toMatch(/ Nothing was allowed and nothing was charged\.$/)
    }
    expect(said('approved')).toMatch(/ Nothing was charged now\.$/)
  })

  it.each(FAILURES)('failed by %s says why, and the same last', (code) => {
    expect(said('failed', code)).toMatch(/^\w.*\. Nothing was allowed and nothing was charged\.$/)
    expect(said('failed', code)).not.toBe(said('failed'))
    expect(flow.failure({ ...VIEW, failure: { code } })).toBe(said('failed', code))
  })

  it.each(['NEW_CODE', 'toString'])('knows no reason for the unknown code %s', (code) => {
    expect(said('failed', code)).toBe(said('failed'))
  })

  it('over the limit stands what is certain', () => {
    const at = (step: MandateSetupView['step']) => permissionState({ step, outcome: null })
    expect(SURFACE_STEPS.map(at)).toEqual([...Array(5).fill('toAllow'), 'inProgress', 'ended'])
    const states = SURFACE_OUTCOMES.map((outcome) => permissionState({ step: 'done', outcome }))
    expect(states).toEqual(['allowed', ...Array(4).fill('notAllowed')])
  })

  it('of an agent’s request ends so too, and sends nobody to a merchant that did not ask', () => {
    for (const outcome of SURFACE_OUTCOMES) {
      const look = flow.outcome(outcome, { ...VIEW, ...OF_AGENT, outcome, failure: null })
      expect(`${look.title} ${look.text}`).not.toMatch(/merchant/i)
      expect(look.text).toMatch(/ Nothing was (?:allowed and nothing was charged|charged now)\.$/)
      expect(look.owners).toBe(outcome === 'approved' ? OWNERS : null)
    }
    expect(flow.failure({ ...VIEW, ...OF_AGENT, failure: { code: 'CARD_DECLINED' } })).toBe(
      said('failed', 'CARD_DECLINED'),
    )
  })

  it('only what was allowed has a receipt: what was allowed, when, and its reference', () => {
    const card = { card_id: 'c', card_last4: '0004', card_brand: 'diners', card_exp_month: 1, card_exp_year: 2031 }
    const receipt = { approved_at: '2026-11-21T15:40:00.000Z', reference: 'order-7' }
    const view = { ...VIEW, card, receipt, mandate: { ...MANDATE, max_charges: 12 } }
    const lines = flow.outcome('approved', { ...view, outcome: 'approved' }).receipt
    const labels = [
      'Who may charge',
      'How much',
      'How often',
      'Where',
      'Until',
      'In all',
      'Card',
      'Allowed',
      'Reference',
    ]
    expect(lines.map(({ label }) => label)).toEqual(labels)
    expect(lines[2]?.value).toBe('At most 12 times')
    expect(lines[8]?.value).toEqual([foreign('order-7')])
    for (const outcome of SURFACE_OUTCOMES.filter((other) => other !== 'approved')) {
      expect(flow.outcome(outcome, { ...view, outcome }).receipt).toEqual([])
    }
  })
})

describe('what an agent asks for', () => {
  const view: MandateSetupView = { ...VIEW, ...OF_AGENT }
  const asked = ['Allow ', foreign('أطلس'), ' to charge your card']

  it('names the agent in every place, and the shop where it may charge', () => {
    expect(flow.title(view)).toBe(plainText(asked))
    expect(flow.approvalTitle(view)).toEqual(asked)
    expect(flow.trust(view)).toEqual(['Your card details never reach ', foreign('أطلس'), '.'])
    expect(summaryFacts(view).slice(0, 2)).toEqual([
      [foreign('أطلس'), ' may charge'],
      ['At ', foreign('tea.example'), ' only'],
    ])
    const { receipt } = flow.outcome('approved', { ...view, outcome: 'approved' })
    expect(receipt[0]).toEqual({ label: 'Who may charge', value: [foreign('أطلس')] })
    expect(receipt[2]).toEqual({ label: 'Where', value: ['At ', foreign('tea.example'), ' only'] })
  })

  it('is of the agent that the terms name, or of none', () => {
    expect(flow.agreed?.(view, { ...TERMS, agent: { id: 'aa_1', name: 'Atlas' } }).agent).toEqual({
      name: 'Atlas',
      owner_url: OWNERS,
    })
    expect(flow.agreed?.(view, TERMS).agent).toBeNull()
  })
})

describe('what stays in sight', () => {
  it('are place, end and the most of it, and the number of charges where it has a limit', () => {
    expect(facts()).toEqual([
      'At tea.example only',
      expect.stringMatching(/^Until November (?:19|20|21), 2028$/),
      'At most $960.00\u00a0USD in all',
    ])
    expect(facts({ merchant_scope: 'any', max_charges: 12 }).slice(0, 3)).toEqual([
      'At any shop',
      expect.any(String),
      'At most 12 times',
    ])
    expect(facts({ max_charges: 1 })[2]).toBe('At most once')
    expect(facts({ recurring_frequency: 'one_time', valid_until: null, max_charges: 3, most_total: '40.00' })).toEqual([
      'At tea.example only',
      'For 7 days from your permission',
      'At most $40.00\u00a0USD in all',
    ])
  })

  it('follows the terms, and only terms that are understood', () => {
    const { amount, valid_until, most_total } = TERMS
    const mandate = { ...VIEW.mandate, merchant_name: 'Another', currency: 'EUR' }
    expect(flow.agreed?.({ ...VIEW, mandate }, TERMS).mandate).toEqual({ ...MANDATE, amount, valid_until, most_total })
    expect(flow.agreed?.(VIEW, { ...TERMS, version: 2 })).toBe(VIEW)
  })

  it('the title of the tab keeps the shop’s name apart', () => {
    const mandate = { ...MANDATE, merchant_name: 'بيت الشاي' }
    expect(flow.title({ ...VIEW, mandate })).toBe('Allow \u2068بيت الشاي\u2069 to charge your card')
  })
})
