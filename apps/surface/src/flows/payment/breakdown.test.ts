import { amountOf, minorOf } from '@mintmark/contract/amounts'
import type { SurfacePayment, SurfaceSummary } from '@mintmark/contract/wire/surface'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { breakdown } from './breakdown.ts'

// Guarantee: a total that is not the sum of the lines never stands there without a word, and what is said adds up.

const NOTHING: SurfaceSummary = { subtotal: null, shipping: null, tax: null, discount: null }

interface Changes {
  products?: SurfacePayment['products']
  summary?: Partial<SurfaceSummary>
}

const payment = (amount: string, { summary, ...fields }: Changes = {}): SurfacePayment => ({
  merchant_name: 'Shop',
  merchant_url: 'https://shop.example',
  amount,
  currency: 'USD',
  description: null,
  products: [
    { name: 'Mug', unit_price: '14.00', quantity: 2 },
    { name: 'Towel', unit_price: '12', quantity: 1 },
  ],
  bought_here: false,
  ...fields,
  summary: summary === undefined ? null : { ...NOTHING, ...summary },
})
const told = (...args: Parameters<typeof payment>) =>
  breakdown(payment(...args), false).map(({ part, amount }) => [part, amount])

describe('between the lines and the total', () => {
  it('there is nothing to say where they agree, or where there are no lines', () => {
    expect(told('40.00')).toEqual([])
    expect(told('40', { summary: { subtotal: '40.00', tax: '0.00' } })).toEqual([])
    expect(told('57.80', { products: [] })).toEqual([])
  })

  it('stands what the merchant said', () => {
    const summary = { subtotal: '40.00', shipping: '9.90', tax: '10.40', discount: '2.50' }
    expect(told('57.80', { summary })).toEqual([
      ['subtotal', '40.00'],
      ['shipping', '9.90'],
      ['tax', '10.40'],
      ['discount', '-2.50'],
      ['total', '57.80'],
    ])
  })

  it('stands what makes up for each other', () => {
    expect(told('40.00', { summary: { subtotal: '40.00', shipping: '5.00', discount: '5.00' } })).toEqual([
      ['subtotal', '40.00'],
      ['shipping', '5.00'],
      ['discount', '-5.00'],
      ['total', '40.00'],
    ])
  })

  it('stands one honest line where the merchant said nothing, or not all', () => {
    expect(told('57.80')).toEqual([
      ['otherCharges', '17.80'],
      ['total', '57.80'],
    ])
    expect(told('30.00')).toEqual([
      ['otherReductions', '-10.00'],
      ['total', '30.00'],
    ])
    expect(told('57.80', { summary: { shipping: '9.90' } })).toEqual([
      ['shipping', '9.90'],
      ['otherCharges', '7.90'],
      ['total', '57.80'],
    ])
  })

  it('stands no subtotal that contradicts the lines', () => {
    expect(told('57.80', { summary: { subtotal: '50.00', shipping: '7.80' } })).toEqual([
      ['shipping', '7.80'],
      ['otherCharges', '10.00'],
      ['total', '57.80'],
    ])
  })

  it('all of it always adds up', () => {
    const minor = fc.bigInt({ min: 0n, max: 99_999_999_999_999n })
    const part = fc.option(minor.map(amountOf))
    const summaries = fc.record({ subtotal: part, shipping: part, tax: part, discount: part })
    fc.assert(
      fc.property(minor, summaries, (total, summary) => {
        const lines = breakdown(payment(amountOf(total), { summary }), false)
        const sum = lines
          .filter(({ part }) => part !== 'total' && part !== 'subtotal')
          .reduce((all, { amount }) => all + signed(amount), 4_000n)
        expect(lines.length === 0 ? 4_000n : sum).toBe(total)
      }),
    )
  })
})

function signed(amount: string): bigint {
  return amount.startsWith('-') ? -minorOf(amount.slice(1)) : minorOf(amount)
}
