import { SENTENCE_VERSION } from '@mintmark/contract/sentence/version'
import { PAYMENT_FAILURES, type PaymentFailure } from '@mintmark/contract/states'
import { SURFACE_OUTCOMES, SURFACE_STEPS, type SurfaceOutcome } from '@mintmark/contract/surface'
import type { PaymentView } from '@mintmark/contract/wire/surface'
import { describe, expect, it } from 'vitest'
import { foreign } from '../../phrase.ts'
import { ENDED } from '../testing/ended-view.ts'
import { paymentFlow } from './flow.ts'
import { moneyState } from './money-state.ts'
import { text } from './text/text.ts'

// Guarantee: however a payment ends, the last thing the page says is what became of the money, and it is true.

const FAILURES = Object.keys(PAYMENT_FAILURES) as PaymentFailure[]
/** The last sentence is about charging. */
const ENDS_ON_THE_MONEY = /(?:^|[.:;] |, and )[^.]*\bcharged?\b[^.]*\.$/

const VIEW: PaymentView = {
  kind: 'payment',
  ...ENDED,
  payment: {
    merchant_name: 'Shop',
    merchant_url: 'https://shop.example',
    amount: '40.00',
    currency: 'USD',
    description: null,
    products: [],
    summary: null,
    bought_here: false,
  },
}
const said = (outcome: SurfaceOutcome, code: PaymentFailure | null = null) =>
  paymentFlow.outcome(outcome, { ...VIEW, outcome, failure: code === null ? null : { code } }).text

describe('how a payment ended', () => {
  it.each(SURFACE_OUTCOMES)('%s ends on the state of the money', (outcome) => {
    expect(said(outcome)).toMatch(ENDS_ON_THE_MONEY)
  })

  it.each(FAILURES)('failed by %s says why, and ends on the state of the money', (code) => {
    expect(said('failed', code)).toMatch(ENDS_ON_THE_MONEY)
    expect(said('failed', code)).not.toBe(said('failed'))
  })

  it.each(SURFACE_OUTCOMES.filter((outcome) => outcome !== 'failed'))('%s keeps its words', (outcome) => {
    expect(said(outcome, 'CARD_DECLINED')).toBe(said(outcome))
  })

  it('promises that nothing was charged only where that is certain', () => {
    const isCertain = (words: string) => words.endsWith(' Nothing was charged.')
    // An approval or a credential that ran out may have been used without a report; a report is the merchant's word.
    const uncertain: PaymentFailure[] = [
      'MANDATE_EXPIRED',
      'PAYMENT_DECLINED',
      'MAX_CHARGES_EXCEEDED',
      'REPORT_TIMEOUT',
      // What the shop wants a person for may be a payment that it has taken.
      'MERCHANT_ACTION_REQUIRED',
    ]
    expect(FAILURES.filter((code) => !isCertain(said('failed', code))).sort()).toEqual(uncertain.sort())
    expect(SURFACE_OUTCOMES.filter((outcome) => !isCertain(said(outcome)))).toEqual(['approved', 'failed'])
  })

  it.each(SURFACE_OUTCOMES)('over the amount stands what is certain: %s', (outcome) => {
    for (const code of [null, ...FAILURES]) {
      const failure = code === null ? null : { code }
      const state = moneyState({ ...VIEW, step: 'done', outcome, failure })
      const isCertain = said(outcome, code).endsWith(' Nothing was charged.')
      expect(state).toBe(outcome === 'approved' ? 'approved' : isCertain ? 'notCharged' : 'notCompleted')
    }
  })

  it('over the amount stands that it is to pay until it is approved, and no end that is not known', () => {
    const at = (step: PaymentView['step']) => moneyState({ ...VIEW, step, outcome: null, failure: null })
    expect(SURFACE_STEPS.filter((step) => at(step) !== 'toPay')).toEqual(['processing', 'done'])
    expect([at('processing'), at('done')]).toEqual(['inProgress', 'notCompleted'])
    expect(
      moneyState({ ...VIEW, step: 'done', outcome: 'failed', failure: { code: 'toString' as PaymentFailure } }),
    ).toBe('notCompleted')
  })

  describe('of what is bought here', () => {
    const BOUGHT: PaymentView = { ...VIEW, payment: { ...VIEW.payment, bought_here: true } }

    it('says that it was ordered and paid, last what was charged', () => {
      const look = paymentFlow.outcome('approved', { ...BOUGHT, outcome: 'approved' })
      expect(look.title).toBe('Ordered and paid')
      expect(look.text).toMatch(ENDS_ON_THE_MONEY)
      expect(moneyState({ ...BOUGHT, step: 'done', outcome: 'approved', failure: null })).toBe('paid')
    })

    it('says while it is bought that the page is not needed for it; a merchant’s own payment says nothing of that', () => {
      expect(paymentFlow.processing?.(BOUGHT)?.slow).toMatch(/close this page.*charged twice\.$/)
      expect(paymentFlow.processing?.(VIEW)).toBeNull()
    })

    it('was withdrawn by who asked for it, not by the merchant that is named', () => {
      const look = paymentFlow.outcome('revoked', { ...BOUGHT, outcome: 'revoked' })
      expect(`${look.title} ${look.text}`).not.toMatch(/merchant/i)
      expect(look.text).toMatch(/ Nothing was charged\.$/)
    })

    it('fails with the words of every payment', () => {
      for (const code of FAILURES) {
        const view = { ...BOUGHT, failure: { code } }
        expect(paymentFlow.outcome('failed', view).text).toBe(said('failed', code))
      }
    })
  })

  describe('of what an agent has asked for', () => {
    const OF_AGENT: PaymentView = { ...VIEW, agent: { name: 'أطلس', owner_url: 'https://agents.northpay.example' } }

    it.each([...SURFACE_OUTCOMES])(
      '%s sends nobody to a merchant that did not ask, and ends on the money',
      (outcome) => {
        for (const bought_here of [false, true]) {
          const view = { ...OF_AGENT, outcome, failure: null, payment: { ...VIEW.payment, bought_here } }
          const look = paymentFlow.outcome(outcome, view)
          expect(look.text).toMatch(ENDS_ON_THE_MONEY)
          expect(`${look.title} ${look.text}`).not.toMatch(/(?:ask|tell).* merchant|merchant (?:withdrew|can|goes)/i)
          expect(look.owners).toBe(outcome === 'approved' ? OF_AGENT.agent?.owner_url : null)
        }
      },
    )

    it('is paid to the shop, and says who asked', () => {
      const [payee, asker] = paymentFlow.outcome('approved', { ...OF_AGENT, outcome: 'approved' }).receipt
      expect(payee?.label).toBe('Paid to')
      expect(payee?.value).toContainEqual(foreign('Shop'))
      expect(asker).toEqual({ label: 'Asked by', value: [foreign('أطلس')] })
      expect(paymentFlow.trust(OF_AGENT)).toContainEqual(foreign('أطلس'))
    })
  })

  it('an approval has a receipt, with as much as is known; no other end has one', () => {
    const card = { card_id: 'c', card_last4: '0004', card_brand: 'diners', card_exp_month: 1, card_exp_year: 2031 }
    const receipt = { approved_at: '2026-11-21T15:40:00.000Z', reference: 'order-7' }
    const lines = paymentFlow.outcome('approved', { ...VIEW, outcome: 'approved', card, receipt }).receipt
    expect(lines.map(({ label }) => label)).toEqual(['Paid to', 'Amount', 'Card', 'Approved', 'Reference'])
    expect(lines[2]?.value).toBe('Diners Club ending in\u00a00004')
    expect(lines[4]?.value).toEqual([foreign('order-7')])
    const bare = paymentFlow.outcome('approved', { ...VIEW, outcome: 'approved' }).receipt
    expect(bare.map(({ label }) => label)).toEqual(['Paid to', 'Amount'])
    for (const outcome of SURFACE_OUTCOMES.filter((other) => other !== 'approved')) {
      expect(paymentFlow.outcome(outcome, { ...VIEW, outcome, card, receipt }).receipt).toEqual([])
    }
  })

  it('what stands in sight is what is signed, of terms that are understood', () => {
    const terms = {
      version: 1,
      type: 'payment',
      sentence: { version: SENTENCE_VERSION, language: 'en', text: 'All of it.' },
      payee: { name: 'Shop 2', url: 'https://two.example', country: 'US' },
      amount: '41.00',
      currency: 'EUR',
      description: 'Order 8',
      products: [{ name: 'Mug', unit_price: '41.00', quantity: 1 }],
      summary: null,
      card: { id: 'card_1', brand: 'visa', last4: '4242' },
      charges: 1,
      valid_minutes: 15,
      approve_by: '2026-11-21T12:00:00.000Z',
      quote_id: 'qte_1',
    }
    const { amount, currency, description, products, summary } = terms
    expect(paymentFlow.agreed?.(VIEW, terms).payment).toEqual({
      ...{ amount, currency, description, products, summary, bought_here: true },
      ...{ merchant_name: 'Shop 2', merchant_url: 'https://two.example' },
    })
    expect(paymentFlow.agreed?.(VIEW, { ...terms, version: 2 })).toBe(VIEW)
  })

  it('the title of the tab keeps the shop’s name apart', () => {
    const payment = { ...VIEW.payment, merchant_name: 'بيت الشاي' }
    expect(paymentFlow.title({ ...VIEW, payment })).toBe('\u2068$40.00\u00a0USD\u2069 · \u2068بيت الشاي\u2069')
  })

  it.each(['NEW_CODE', 'toString'])('claims nothing about the money for the unknown code %s', (code) => {
    const failure = { code: code as PaymentFailure }
    const look = paymentFlow.outcome('failed', { ...VIEW, failure })
    expect(look.text).toBe(text.outcomes.failed.text)
    expect(paymentFlow.failure({ ...VIEW, failure })).toBe(text.outcomes.failed.text)
  })
})
