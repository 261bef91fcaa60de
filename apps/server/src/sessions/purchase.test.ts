// Guarantee: every accepted form of a purchase means the same.

import type { CreateSessionBody, CustomPurchase } from '@mintmark/contract/wire/sessions'
import { describe, expect, test } from 'vitest'
import { fromWireCreate } from './purchase.ts'
import { createProblems, placeOfCustom } from './purchase-problems.ts'

const custom = (name = 'Tea House', unitPrice = '40.00'): CustomPurchase => ({
  merchant_details: { name, url: 'https://tea.example', country_code_iso2: 'US' },
  product_details: [{ description: 'Tea', unit_price: unitPrice }],
})

describe('the three forms', () => {
  test.each([
    ['an object', { custom: custom() }, 'purchase_context.custom'],
    ['quote false', { quote: false, custom: custom() }, 'purchase_context.custom'],
    ['an array in custom', { custom: [custom()] as [CustomPurchase] }, 'purchase_context.custom[0]'],
    ['an array', [custom()] as [CustomPurchase], 'purchase_context[0]'],
  ])('%s', (_name, context, path) => {
    expect(placeOfCustom(context)).toEqual({ custom: custom(), path })
  })

  test('a quote', () => {
    expect(placeOfCustom({ quote: true, quote_id: 'qte_1' })).toBeUndefined()
  })

  test.each([
    [{}, 'purchase_context.custom'],
    [{ quote: false }, 'purchase_context.custom'],
    [{ quote: true }, 'purchase_context.quote_id'],
    [{ quote: true, quote_id: 'qte_1', custom: custom() }, 'purchase_context.custom'],
    [{ quote: true, custom: custom() }, 'purchase_context.quote_id', 'purchase_context.custom'],
    [{ quote_id: 'qte_1', custom: custom() }, 'purchase_context.quote_id'],
    [{ quote: false, quote_id: 'qte_1' }, 'purchase_context.quote_id'],
  ])('%j is refused at %s', (context, ...paths) => {
    expect(Object.keys(createProblems({ purchase_context: context }, new Date()))).toEqual(paths)
  })
})

describe('fromWireCreate', () => {
  const NOW = new Date('2026-11-21T12:00:00.000Z')
  const quote = { quote: true, quote_id: 'qte_1' }
  const body = (purchase_context: unknown, total_amount: string, currency = 'USD', more = {}) =>
    ({
      user_id: 'u1',
      user_email: 'ann@example.com',
      total_amount,
      currency,
      purchase_context,
      ...more,
    }) as CreateSessionBody
  const price = 'purchase_context[0].product_details[0].unit_price'

  test('money is parsed once, and every price has two decimals', () => {
    const request = fromWireCreate(body([custom('Tea House', '40.5')], '40.5'))
    expect(request).toMatchObject({
      mode: 'custom',
      simulated: false,
      purchase: { amountMinor: 4050n, currency: 'USD', products: [{ unitPrice: '40.50', quantity: 1 }] },
    })
  })

  test.each([
    [[custom()], '40.50', 'JPY', ['total_amount']],
    [[custom('Tea', '0.00')], '1', 'JPY', []],
    [[custom('日本', '0')], '1', 'USD', []],
    [[custom('Tea', '1.50')], '1.50', 'KRW', [price, 'total_amount']],
    [[{ ...custom(), summary: { tax: '0.5', shipping: '1' } }], '1', 'JPY', ['purchase_context[0].summary.tax']],
    [quote, '1.5', 'JPY', ['total_amount']],
    ['nonsense', '1.5', 'JPY', ['total_amount']],
    [[null], '1.5', 'JPY', ['total_amount']],
    [{ custom: { product_details: [7, null] } }, '1.5', 'JPY', ['total_amount']],
    [quote, 7, 'JPY', []],
    [quote, '1.5', 7, []],
  ] as const)('%j of %s %s is refused at %j', (context, total, currency, paths) => {
    const problems = createProblems({ ...body(context, '1'), total_amount: total, currency }, NOW)
    expect(Object.keys(problems).sort()).toEqual([...paths].sort())
  })

  test.each([
    ['a quote', quote, {}, 'quote', null],
    [
      'a standing mandate',
      [custom()],
      { mandate_setup: { recurring_frequency: 'monthly' } },
      'custom',
      { frequency: 'monthly', merchantScope: 'listed', maxCharges: null, validUntil: null, adjustable: false },
    ],
    [
      'one with all its limits',
      [custom()],
      {
        mandate_setup: {
          intent: 'mandate_setup',
          ...{ recurring_frequency: 'weekly', merchant_scope: 'any', max_charges: 3, adjustable: true },
          valid_until: '2027-01-01T01:00:00+01:00',
        },
      },
      'custom',
      {
        ...{ frequency: 'weekly', merchantScope: 'any', maxCharges: 3, adjustable: true },
        validUntil: new Date('2027-01-01T00:00:00Z'),
      },
    ],
    [
      'a block that says checkout',
      [custom()],
      { mandate_setup: { intent: 'checkout', recurring_frequency: 'monthly' } },
      'custom',
      null,
    ],
    ['that word alone', [custom()], { mandate_setup: { intent: 'checkout' } }, 'custom', null],
  ])('%s', (_name, context, more, mode, setup) => {
    expect(fromWireCreate(body(context, '40.00', 'USD', more))).toMatchObject({ mode, setup })
  })

  test('what no question looks at says nothing', () => {
    const setup = { intent: 'checkout', valid_until: '2020-01-01T00:00:00Z' }
    expect(createProblems(body([custom()], '1', 'USD', { mandate_setup: setup }), NOW)).toEqual({})
    const late = { recurring_frequency: 'monthly', valid_until: '2020-01-01T00:00:00Z' }
    const problems = createProblems(body([custom()], '1', 'USD', { mandate_setup: late }), NOW)
    expect(Object.keys(problems)).toEqual(['mandate_setup.valid_until'])
  })

  test('white space is folded in what people read, empty means absent, and a name has one form', () => {
    const purchase = custom(' Cafe\u0301\n\tOle\u0301 ')
    const [product] = purchase.product_details
    const more = {
      user_phone: '',
      description: ' a\u2028 b ',
      external_order_ref: ' r  1 ',
      user_country_code_iso2: 'DE',
    }
    const request = fromWireCreate(
      body(
        [{ ...purchase, product_details: [{ ...product, description: 'Two\nlines', product_id: '' }] }],
        '40',
        'USD',
        more,
      ),
    )
    expect(request).toMatchObject({
      purchase: {
        customer: { phone: null, country: 'DE' },
        payee: { name: 'Café Olé', networkName: 'Cafe Ole', category: null, categoryCode: null },
        products: [{ name: 'Two lines', externalId: null }],
        description: 'a b',
        externalOrderRef: ' r  1 ',
        summary: null,
      },
    })
  })

  test('a summary has two decimals, and is none when it says nothing', () => {
    const summaryOf = (summary: object) => {
      const request = fromWireCreate(body([{ ...custom(), summary }], '40'))
      return request.mode === 'custom' ? request.purchase.summary : undefined
    }
    expect(summaryOf({ shipping: '5', discount: '0.00' })).toEqual({
      ...{ subtotal: null, shipping: '5.00', tax: null, discount: '0.00' },
    })
    expect(summaryOf({})).toBeNull()
  })
})
