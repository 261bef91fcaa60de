// Guarantee: what is asked for is said in one sentence that names who, whom, how much, how often and until when, in six languages,
// and no amount, name or end is lost or changed in any of them.
import { expect, test } from 'vitest'
import { type Asked, type MandateAsked, readingOf, SENTENCE_LANGUAGES, sentenceOf } from '../sentence.ts'
import type { AgentLimits } from '../wire/agents.ts'
import { moneyText } from './format.ts'

const read = (asked: Asked, locale = 'en', zone: string | null = null) => sentenceOf(asked, readingOf([locale], zone))

const CAFE = {
  payee: 'Café Müller',
  payeeUrl: 'https://cafe.example/menu',
  amount: '57.80',
  currency: 'EUR',
  agent: null,
}
const SOLD = { type: 'payment', validMinutes: 15 } as const
const ASKED = { agent: 'Pantry', payee: 'Tea House', payeeUrl: 'https://tea.example', amount: '40.00', currency: 'USD' }
const MANDATE: MandateAsked = {
  ...ASKED,
  ...{ type: 'mandate', frequency: 'monthly', merchantScope: 'listed', maxCharges: null, mostTotal: '960.00' },
  validUntil: new Date('2028-11-23T12:00:00Z'),
}
const ENROLLED = { type: 'enrollment', operator: 'Northpay', payee: 'Demo Shop' } as const

test.each([
  [
    'en-GB',
    'Café Müller (cafe.example) gets a one-time card for up to €57.80. It works only there, once, within 15 minutes of your approval. Your real card stays here.',
  ],
  [
    'de-AT',
    'Café Müller (cafe.example) bekommt eine Einmalkarte über höchstens € 57,80. Sie gilt nur dort, einmal, für 15 Minuten ab Ihrer Freigabe. Ihre echte Karte bleibt hier.',
  ],
  [
    'fr',
    'Café Müller (cafe.example) reçoit une carte à usage unique de 57,80 € au plus. Elle ne fonctionne que là, une seule fois, pendant 15 minutes après votre accord. Votre vraie carte reste ici.',
  ],
  [
    'es',
    'Café Müller (cafe.example) recibe una tarjeta de un solo uso por 57,80 € como máximo. Solo sirve allí, una vez, durante 15 minutos desde su aprobación. Su tarjeta real se queda aquí.',
  ],
  [
    'ja',
    'Café Müller (cafe.example)は、上限€57.80の使い切りカードを受け取ります。使えるのはこの店だけで、1回限り、承認から15 分以内です。お客様の実際のカードはここから出ません。',
  ],
  [
    'ar',
    'يحصل Café Müller (cafe.example) على بطاقة لمرة واحدة بحد أقصى 57.80 €. لا تعمل إلا هناك، مرة واحدة، خلال 15 دقيقة من موافقتك. تبقى بطاقتك الحقيقية هنا.',
  ],
])('one payment, in %s', (locale, words) => {
  expect(bare(read({ ...CAFE, ...SOLD }, locale, 'Europe/Berlin'))).toBe(words)
})

/** Without what is not seen, and with one kind of blank. */
const bare = (text: string) =>
  text.replaceAll(/[\u2066-\u2069\u200e\u200f\u061c]/g, '').replaceAll(/[\u00a0\u202f]/g, ' ')

test('an end is the day that it is where its reader lives', () => {
  const asked = { ...MANDATE, validUntil: new Date('2028-11-23T18:00:00Z') }
  expect(read(asked, 'en-GB', 'Asia/Tokyo')).toContain('until 24 November 2028,')
  expect(read(asked, 'en-GB')).toContain('until 23 November 2028,')
})

test.each([
  [15, '15 minutes'],
  [60, '1 hour'],
  [10_080, '7 days'],
  [90, '1 hour and 30 minutes'],
  [20_001, '13 days, 21 hours, and 21 minutes'],
])('one purchase of an agent, good for %i minutes', (validMinutes, words) => {
  expect(read({ ...ASKED, type: 'payment', validMinutes })).toBe(
    `Pantry gets a one-time card for up to $40.00, to pay Tea House (tea.example). It works only there, once, within ${words} of your approval. ` +
      'Your real card stays here.',
  )
})

test('what the operator buys', () => {
  const quote = { ...ASKED, type: 'quote', operator: 'Northpay', amount: '44.79' } as const
  expect(read({ ...quote, agent: null })).toBe(
    'Northpay orders this at Tea House (tea.example) for you now and pays $44.79, not a cent more.',
  )
  expect(read(quote)).toBe(
    'Northpay orders this at Tea House (tea.example) for you now, as Pantry asks, and pays $44.79, not a cent more.',
  )
})

test('a standing permission, of a shop and of an agent', () => {
  expect(
    read({ ...MANDATE, agent: null, payee: 'Northwind Coffee', mostTotal: '480.00' }, 'en-GB', 'Europe/London'),
  ).toBe(
    'Northwind Coffee (tea.example) may charge up to US$40.00 each month, only there, until 23 November 2028. The most this can ever cost you is US$480.00.',
  )
  expect(read(MANDATE)).toBe(
    'Pantry may pay Tea House (tea.example), and nobody else, up to $40.00 each month, until November 23, 2028, without asking again. ' +
      'The most this can ever cost you is $960.00. Your real card stays here.',
  )
})

test('one at any shop, so often, in a currency without a fraction', () => {
  const asked: MandateAsked = { ...MANDATE, merchantScope: 'any', frequency: 'weekly', maxCharges: 12, currency: 'JPY' }
  expect(read(asked)).toBe(
    'Pantry may pay any shop up to ¥40 each week, 12 times at most, until November 23, 2028, without asking again. ' +
      'The most this can ever cost you is ¥960. Your real card stays here.',
  )
})

test('one for a single charge', () => {
  const once = { frequency: 'one_time', maxCharges: 1, validUntil: null, mostTotal: '40.00' } as const
  expect(read({ ...MANDATE, ...once })).toBe(
    'Pantry may pay Tea House (tea.example), and nobody else, up to $40.00, once at most, within 7 days of your approval, without asking again. ' +
      'The most this can ever cost you is $40.00. Your real card stays here.',
  )
})

test('a name that shows nothing, of a shop of before names were judged, does not hide which shop is meant', () => {
  expect(read({ ...MANDATE, payee: '\u200d' })).toContain('Pantry may pay \u200d (tea.example), and nobody else,')
})

test('the host is said as it is found, with its port, and once where it is the name', () => {
  const at = (payeeUrl: string, payee = 'Tea House') => read({ ...ASKED, type: 'charge', payee, payeeUrl })
  expect(at('https://TEA.example:8443/shop?a#b')).toMatch(/^Pantry may pay Tea House \(tea\.example:8443\) \$40\.00,/)
  expect(at('https://bücher.example')).toMatch(/^Pantry may pay Tea House \(xn--bcher-kva\.example\) \$40\.00,/)
  expect(at('https://tea.example', 'tea.example')).toMatch(/^Pantry may pay tea\.example \$40\.00,/)
  expect(at('https://evil.example', 'tea.example')).toMatch(/^Pantry may pay tea\.example \(evil\.example\) \$40\.00,/)
  // A row of before addresses were judged.
  expect(at('tea')).toMatch(/^Pantry may pay Tea House \(tea\) \$40\.00,/)
})

test('a card that is kept', () => {
  expect(read(ENROLLED)).toBe('Northpay keeps this card for you. Demo Shop asks you before each payment.')
})

const LIMITED: AgentLimits = {
  ...{
    currency: 'USD',
    charge: '30.00',
    day: '60.00',
    month: '90.00',
    open: 2,
    merchants: ['tea.example', 'b.example'],
  },
  ...{ hours: { from: '07:30', to: '22:00', zone: 'Europe/Berlin' }, ask_above: '20.00', ask_repeats: true },
}
const UNLIMITED: AgentLimits = {
  ...{ currency: 'USD', charge: null, day: null, month: null, open: null },
  ...{ merchants: null, hours: null, ask_above: null },
}

test('what acts as an agent that its owner has, with all that the agent may do, in every language', () => {
  const asked: Asked = { type: 'join', asks: 'Assistant', agent: 'Pantry', ...LIMITED }
  const may = (language: string) => read({ ...asked, type: 'link' }, language)
  expect(read(asked)).toBe(
    `From now on Assistant acts as your agent Pantry, within the limits that it has. ${may('en')}`,
  )
  for (const language of SENTENCE_LANGUAGES) {
    const said = read(asked, language)
    expect(said.endsWith(may(language))).toBe(true)
    for (const name of ['Assistant', 'Pantry']) expect(said.slice(0, -may(language).length)).toContain(name)
  }
})

test('other limits of an agent, each with what it was, and nothing of what stays', () => {
  const raised = { ...LIMITED, charge: '50.00', merchants: null }
  expect(read({ type: 'limits', agent: 'Pantry', was: LIMITED, limits: raised })).toBe(
    'From now on other limits hold for Pantry: $50.00 a charge instead of $30.00 a charge; any shop instead of only tea.example and b.example. ' +
      'All else stays as it is, and you can change or end this at any time.',
  )
  for (const language of SENTENCE_LANGUAGES) {
    const said = read({ type: 'limits', agent: 'Pantry', was: LIMITED, limits: UNLIMITED }, language)
    for (const each of ['30.00', '60.00', '90.00', '20.00']) {
      expect(said).toContain(moneyText(each, 'USD', readingOf([language])))
    }
    for (const each of ['tea.example', '07:30', '22:00', 'Europe/Berlin']) expect(said).toContain(each)
  }
})

/** Every kind, with and without each part that may be absent. */
const ALL: Asked[] = [
  { ...CAFE, ...SOLD },
  { ...ASKED, type: 'payment', validMinutes: 15 },
  ...[null, 'Pantry'].map((agent) => ({ ...ASKED, agent, type: 'quote', operator: 'Northpay' }) as const),
  ...[null, 'Pantry'].flatMap((agent) =>
    (['one_time', 'weekly', 'monthly', 'yearly'] as const).flatMap((frequency) =>
      (['listed', 'any'] as const).map((merchantScope) => ({
        ...MANDATE,
        agent,
        frequency,
        merchantScope,
        maxCharges: 3,
      })),
    ),
  ),
  ENROLLED,
  { ...ASKED, type: 'charge' },
  {
    ...{ type: 'link', agent: 'Pantry', currency: 'USD', charge: '30.00', day: '60.00', month: '90.00', open: 2 },
    ...{
      merchants: ['tea.example'],
      hours: { from: '07:30', to: '22:00', zone: 'UTC' },
      ask_above: '20.00',
      ask_repeats: true,
    },
  },
  { type: 'limits', agent: 'Pantry', was: LIMITED, limits: UNLIMITED },
  { type: 'limits', agent: 'Pantry', was: UNLIMITED, limits: LIMITED },
]

test.each(SENTENCE_LANGUAGES)(
  'in %s every name and every amount is said, and each kind has its own words',
  (language) => {
    const reader = readingOf([language], 'Europe/Berlin')
    const sentences = ALL.map((asked) => {
      const sentence = sentenceOf(asked, reader)
      for (const [key, value] of Object.entries(asked)) {
        if (['agent', 'payee', 'operator'].includes(key) && value !== null && !isAnyShop(asked, key))
          expect(sentence).toContain(value)
        if (key === 'payeeUrl' && !isAnyShop(asked, key)) expect(sentence).toContain(new URL(String(value)).host)
        if (['amount', 'mostTotal', 'charge', 'day', 'month', 'ask_above'].includes(key) && 'currency' in asked) {
          expect(sentence).toContain(moneyText(String(value), asked.currency, reader))
        }
      }
      expect(sentence).not.toMatch(/undefined|\bnull\b|\[object|\{|\}/)
      return sentence
    })
    expect(new Set(sentences).size).toBe(ALL.length)
    if (language !== 'en') expect(sentences).not.toContain(read(ALL[0] as Asked, 'en', 'Europe/Berlin'))
  },
)

/** An agent that may pay anywhere is allowed nothing of the shop that is named. */
const isAnyShop = (asked: Asked, key: string) =>
  key.startsWith('payee') && asked.type === 'mandate' && asked.agent !== null && asked.merchantScope === 'any'

test('a name that runs the other way turns nothing around it', () => {
  expect(read({ ...ENROLLED, payee: 'مقهى' })).toBe(
    'Northpay keeps this card for you. \u2068مقهى\u2069 asks you before each payment.',
  )
  expect(read({ ...ENROLLED, payee: 'Shop 7' }, 'ar')).toContain('\u2068Shop 7\u2069')
  const charge = { ...ASKED, type: 'charge', payee: 'مقهى' } as const
  expect(read(charge)).toContain('may pay \u2068مقهى\u2069 (tea.example) $40.00,')
  expect(read(charge, 'ar')).toContain('\u2068مقهى\u2069 (\u2068tea.example\u2069)')
})

test.each([
  ['40', 'USD', 'en-US', '$40.00'],
  ['40', 'USD', 'es-PR', '$40.00'],
  ['40', 'USD', 'en', '$40.00'],
  ['40', 'USD', 'en-AU', 'USD 40.00'],
  ['40', 'USD', 'de-DE', '40,00 US$'],
  ['40', 'CAD', 'en-US', 'CA$40.00'],
  ['40', 'CAD', 'en-CA', '$40.00'],
  ['999999999999.99', 'EUR', 'de-DE', '999.999.999.999,99 €'],
  ['1234', 'JPY', 'ja-JP', '￥1,234'],
  ['12.3', 'KWD', 'en', 'KWD 12.300'],
])('%s %s is read in %s as %s', (amount, currency, locale, words) => {
  expect(bare(moneyText(amount, currency, { locale }))).toBe(words)
})

test.each([
  [['de-AT', 'fr'], 'de-AT', 'de'],
  [[null, undefined, 'pt-BR', 'es-MX'], 'es-MX', 'es'],
  [['ar-SA-u-ca-islamic-nu-arab'], 'ar-SA', 'ar'],
  [['de_DE', 'C', '*'], 'en', 'en'],
  [[], 'en', 'en'],
])('%j is read as %s', (locales, locale, language) => {
  expect(readingOf(locales)).toEqual({ locale, language, timeZone: null })
})

test('a zone that is none is passed over', () => {
  expect(readingOf(['en'], 'Etc/Unknown').timeZone).toBeNull()
  expect(readingOf(['en'], 'Europe/Vienna').timeZone).toBe('Europe/Vienna')
})
