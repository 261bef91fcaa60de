// Guarantee: what the cardholder approves names the merchant in characters every network carries, and every accepted
// form of a purchase means the same.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PublicError } from '../platform/errors.ts'
import { networkSafeName, normalizePurchase, purchaseProblems } from './purchase.ts'
import type { CustomPurchase } from './wire.ts'

describe('networkSafeName', () => {
  test.each([
    ['Tea House', 'Tea House'],
    ['  Tea \t House  ', 'Tea House'],
    ['Café Olé', 'Cafe Ole'],
    ['Cafe\u0301 Ole\u0301', 'Cafe Ole'],
    ['Ångström & Söhne (Köln)', 'Angstrom & Sohne (Koln)'],
    ['Smørrebrød, Łódź, Straße, Œuvre', 'Smorrebrod, Lodz, Strasse, Oeuvre'.replace('Oeu', 'OEu')],
    ['Ann’s – “Best” Tea', "Ann's - Best Tea"],
    ["A.B,C'D&E(F)G/H-I", "A.B,C'D&E(F)G/H-I"],
    ['Tea™ №5 ½', 'TeaTM No5 1/2'],
    ['ﬁne ＴＥＡ １２', 'fine TEA 12'],
    ['Tea 🫖 House', 'Tea House'],
    ['日本 Tea', 'Tea'],
    ['Tea\u200dHouse', 'Tea House'],
    ['Tea\u202eesuoH', 'Tea esuoH'],
    ['<b>Tea</b>; drop "x"', 'b Tea /b drop x'],
    ['A*B_C#D@E', 'A B C D E'],
    ['日本', ''],
    ['Чай', ''],
    ['🫖', ''],
    ['---', ''],
    ["&('", ''],
    ['   ', ''],
    ['', ''],
    ['٣', ''],
    ['7', '7'],
  ])('%j → %j', (name, safe) => expect(networkSafeName(name)).toBe(safe))

  test('property: only network characters, no spare space, a letter or digit or nothing; twice is once', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (name) => {
        const safe = networkSafeName(name)
        expect(safe).toMatch(/^(?:|[A-Za-z0-9.,'&()/-]+(?: [A-Za-z0-9.,'&()/-]+)*)$/)
        expect(safe === '' || /[A-Za-z0-9]/.test(safe)).toBe(true)
        expect(networkSafeName(safe)).toBe(safe)
      }),
    )
  })

  test('property: plain names stay as they are', () => {
    const word = fc.string({ unit: fc.constantFrom(..."ABCxyz019.,'&()/-"), minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
        const name = `A ${words.join(' ')}`
        expect(networkSafeName(name)).toBe(name)
      }),
    )
  })
})

const custom = (name = 'Tea House', unitPrice = '40.00'): CustomPurchase => ({
  merchant_details: { name, url: 'https://tea.example', country_code_iso2: 'US' },
  product_details: [{ description: 'Tea', unit_price: unitPrice }],
})

describe('normalizePurchase', () => {
  test.each([
    ['an object', { custom: custom() }, 'purchase_context.custom'],
    ['quote false', { quote: false, custom: custom() }, 'purchase_context.custom'],
    ['an array in custom', { custom: [custom()] as [CustomPurchase] }, 'purchase_context.custom[0]'],
    ['an array', [custom()] as [CustomPurchase], 'purchase_context[0]'],
  ])('%s', (_name, context, path) => {
    expect(normalizePurchase(context)).toEqual({ mode: 'custom', custom: custom(), path })
  })

  test('a quote', () => {
    expect(normalizePurchase({ quote: true, quote_id: 'qte_1' })).toEqual({ mode: 'quote', quoteId: 'qte_1' })
  })

  test.each([
    [{}, 'purchase_context.custom'],
    [{ quote: false }, 'purchase_context.custom'],
    [{ quote: true }, 'purchase_context.quote_id'],
    [{ quote: true, quote_id: 'qte_1', custom: custom() }, 'purchase_context.custom'],
    [{ quote_id: 'qte_1', custom: custom() }, 'purchase_context.quote_id'],
    [{ quote: false, quote_id: 'qte_1' }, 'purchase_context.quote_id'],
  ])('%j is refused at %s', (context, path) => {
    const refused = catchError(() => normalizePurchase(context))
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

describe('purchaseProblems', () => {
  const quote = { mode: 'quote', quoteId: 'qte_1' } as const
  const at = (name?: string, unitPrice?: string) =>
    ({ mode: 'custom', custom: custom(name, unitPrice), path: 'p' }) as const
  test.each([
    [at(), '40.00', 'USD', []],
    [at(), '0', 'USD', ['total_amount']],
    [at(), '40.50', 'JPY', ['total_amount']],
    [at('Tea', '0.00'), '1', 'USD', ['p.product_details[0].unit_price']],
    [at('Tea', '1.50'), '1.50', 'KRW', ['p.product_details[0].unit_price', 'total_amount']],
    [at('日本', '0'), '0', 'USD', ['p.merchant_details.name', 'p.product_details[0].unit_price', 'total_amount']],
    [quote, '40.00', 'USD', []],
    [quote, '0', 'USD', ['total_amount']],
    [quote, '1.5', 'JPY', ['total_amount']],
  ] as const)('%j of %s %s: %j', (purchase, total, currency, paths) => {
    expect(Object.keys(purchaseProblems(purchase, total, currency)).sort()).toEqual(paths)
  })
})
