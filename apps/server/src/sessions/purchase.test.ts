// Guarantee: every accepted form of a purchase means the same.

import type { CreateSessionBody, CustomPurchase } from '@mintmark/contract/wire/sessions'
import { describe, expect, test } from 'vitest'
import { PublicError } from '../platform/errors.ts'
import { fromWireContext, fromWireCreate } from './purchase.ts'

const custom = (name = 'Tea House', unitPrice = '40.00'): CustomPurchase => ({
  merchant_details: { name, url: 'https://tea.example', country_code_iso2: 'US' },
  product_details: [{ description: 'Tea', unit_price: unitPrice }],
})

describe('fromWireContext', () => {
  test.each([
    ['an object', { custom: custom() }, 'purchase_context.custom'],
    ['quote false', { quote: false, custom: custom() }, 'purchase_context.custom'],
    ['an array in custom', { custom: [custom()] as [CustomPurchase] }, 'purchase_context.custom[0]'],
    ['an array', [custom()] as [CustomPurchase], 'purchase_context[0]'],
  ])('%s', (_name, context, path) => {
    expect(fromWireContext(context)).toEqual({ mode: 'custom', custom: custom(), path })
  })

  test('a quote', () => {
    expect(fromWireContext({ quote: true, quote_id: 'qte_1' })).toEqual({ mode: 'quote', quoteId: 'qte_1' })
  })

  test.each([
    [{}, 'purchase_context.custom'],
    [{ quote: false }, 'purchase_context.custom'],
    [{ quote: true }, 'purchase_context.quote_id'],
    [{ quote: true, quote_id: 'qte_1', custom: custom() }, 'purchase_context.custom'],
    [{ quote_id: 'qte_1', custom: custom() }, 'purchase_context.quote_id'],
    [{ quote: false, quote_id: 'qte_1' }, 'purchase_context.quote_id'],
  ])('%j is refused at %s', (context, path) => {
    const refused = catchError(() => fromWireContext(context))
    expect([refused.code, Object.keys(refused.details ?? {})]).toEqual(['VAL_2001', [path]])
  })
})

function catchError(work: () => unknown): PublicError {
  try {
    work()
  } catch (error) {
    if (error instanceof PublicError) return error
  }
  throw new Error('Nothing was refused.')
}

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
  const name = 'purchase_context[0].merchant_details.name'

  test('money is parsed once, and every price has two decimals', () => {
    const request = fromWireCreate(body([custom('Tea House', '40.5')], '40.5'), NOW)
    expect(request).toMatchObject({
      mode: 'custom',
      simulated: false,
      purchase: { amountMinor: 4050n, currency: 'USD', products: [{ unitPrice: '40.50', quantity: 1 }] },
    })
  })

  test.each([
    [[custom('Tea House', '0')], '0', 'USD', [price, 'total_amount']],
    [[custom()], '0', 'USD', ['total_amount']],
    [[custom()], '40.50', 'JPY', ['total_amount']],
    [[custom('Tea', '0.00')], '1', 'USD', [price]],
    [[custom('Tea', '1.50')], '1.50', 'KRW', [price, 'total_amount']],
    [[custom('日本', '0')], '0', 'USD', [name, price, 'total_amount']],
    [quote, '0', 'USD', ['total_amount']],
    [quote, '1.5', 'JPY', ['total_amount']],
  ] as const)('%j of %s %s is refused at %j', (context, total, currency, paths) => {
    const refused = catchError(() => fromWireCreate(body(context, total, currency), NOW))
    expect(Object.keys(refused.details ?? {}).sort()).toEqual([...paths].sort())
  })

  test.each([
    ['a quote', quote, {}, 'quote'],
    ['a standing mandate', [custom()], { mandate_setup: { recurring_frequency: 'monthly' } }, 'mandate_setup'],
    [
      'a block that says checkout',
      [custom()],
      { mandate_setup: { intent: 'checkout', recurring_frequency: 'monthly' } },
      'custom',
    ],
  ])('%s', (_name, context, more, mode) => {
    expect(fromWireCreate(body(context, '40.00', 'USD', more), NOW).mode).toBe(mode)
  })
})
