// Guarantee: a body that breaks a rule creates nothing, and `details` names the path of each failing field.
import { ZERO_DECIMAL_CURRENCIES } from '@mintmark/contract'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { custom, expectCreated, expectError, expectInvalid, inCustom, QUOTE } from '../../../../test/flows.ts'
import { sessionBody, startTestService, type TestMerchant, type TestService } from '../../../../test/service.ts'

let service: TestService
let merchant: TestMerchant
beforeAll(async () => {
  service = await startTestService()
  merchant = service.merchant
})
afterAll(() => service?.close())

const create = (changes: Record<string, unknown> = {}) => merchant.post('/v1/sessions', sessionBody(changes))
const createRaw = (json: string) => merchant.post('/v1/sessions', json)

describe('invalid input', () => {
  const REQUIRED = ['user_id', 'user_email', 'total_amount', 'currency', 'purchase_context']

  test('names every missing field at once', async () => {
    expectInvalid(await merchant.post('/v1/sessions', {}), ...REQUIRED)
  })

  test.for(REQUIRED)('%s missing, null, or of another type', async (field) => {
    const body = sessionBody()
    delete body[field]
    expectInvalid(await merchant.post('/v1/sessions', body), field)
    for (const value of [null, 7, true]) expectInvalid(await create({ [field]: value }), field)
  })

  test.for([
    ['user_id', ''],
    ['user_id', 'u'.repeat(256)],
    ['user_id', 'a\u0000b'],
    ['user_id', 'a\nb'],
    ['user_id', 'a\u007fb'],
    ['user_id', 'a\u202eb'],
    ['user_email', ''],
    ['user_email', 'ann'],
    ['user_email', 'ann@example'],
    ['user_email', 'Ann <ann@example.com>'],
    ['user_email', 'ann@example.com\n'],
    ['user_email', `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(192)}.com`],
    ['user_email', 'zoë@bücher'],
    ['user_email', 'zoë\u202e@bücher.example'],
    ['user_phone', '1'.repeat(51)],
    ['user_phone', '1\u0000'],
    ['user_country_code_iso2', 'us'],
    ['user_country_code_iso2', 'USA'],
    ['user_country_code_iso2', 'XX'],
    ['user_country_code_iso2', 'UK'],
    ['user_country_code_iso2', 'EU'],
    ['user_country_code_iso2', ''],
    ['external_order_ref', 'r'.repeat(256)],
    ['external_order_ref', 'r\u0007'],
    ['description', 'x'.repeat(1001)],
    ['description', 'x\u0007'],
    ['description', 'x\u202e'],
    ['description', 7],
    ['integration_type', 'iframe'],
    ['integration_type', ''],
    ['callback_url', 'http://shop.example/'],
    ['callback_url', 'HTTP://shop.example/'],
    ['callback_url', '//shop.example/'],
    ['callback_url', 'https://'],
    ['callback_url', 'https:shop.example'],
    ['callback_url', 'https://user:pass@shop.example/'],
    ['callback_url', 'https://shop.example/ path'],
    ['callback_url', 'javascript:alert(1)'],
    ['callback_url', `https://shop.example/${'c'.repeat(2029)}`],
    ['currency', 'usd'],
    ['currency', 'Usd'],
    ['currency', 'US'],
    ['currency', 'USDX'],
    ['currency', 'XYZ'],
    ['currency', 'USD '],
    ['card', {}],
    ['card', 'card_1'],
    ['card', []],
    ['mandate_setup', 'monthly'],
    ['sandbox_simulation', true],
  ] as const)('%s: %j', async ([field, value]) => {
    expectInvalid(await create({ [field]: value }), field)
  })

  test.for([
    ...['', ' ', '1e3', ' 1', '1 ', '+1', '-1', '-0', '1.', '.5', '1.234', '1,5', '0x10', 'NaN', 'Infinity', '١'],
    ...['1234567890123', '1234567890123.00', '9'.repeat(40), '1\n', '１'],
    ...[40, 40.5, 0, null, true, ['40.00'], { amount: '40.00' }],
  ])('amounts: %j is refused as total and as price', async (amount) => {
    expectInvalid(await create({ total_amount: amount }), 'total_amount')
    const answer = await create(inCustom({}, { unit_price: amount }))
    expectInvalid(answer, 'purchase_context.custom.product_details[0].unit_price')
  })

  test('zero is a price, and no total', async () => {
    for (const amount of ['0', '0.00', '00']) {
      const answer = await create({ total_amount: amount })
      expectInvalid(answer, 'total_amount')
      expect(answer.body.error.details.total_amount).toBe('must be greater than zero')
      expectCreated(await create(inCustom({}, { unit_price: amount }, { summary: { tax: amount } })))
    }
  })

  test('property: an amount is accepted exactly when it fits the grammar and is not zero', async () => {
    const near = fc
      .array(fc.constantFrom(...'0123456789..-+e, '), { minLength: 1, maxLength: 16 })
      .map((chars) => chars.join(''))
    await fc.assert(
      fc.asyncProperty(near, async (total_amount) => {
        const fits = /^\d{1,12}(\.\d{1,2})?$/.test(total_amount) && /[1-9]/.test(total_amount)
        const { status } = await create({ total_amount })
        expect(status).toBe(fits ? 201 : 400)
      }),
      { numRuns: 150 },
    )
  })

  test.for([...ZERO_DECIMAL_CURRENCIES])('%s has no fraction, in total and prices at once', async (currency) => {
    const bad = await create({ currency, total_amount: '40.50', ...inCustom({}, { unit_price: '0.01' }) })
    expectInvalid(bad, 'total_amount', 'purchase_context.custom.product_details[0].unit_price')
    expect(bad.body.error.details.total_amount).toContain(currency)
    expectCreated(await create({ currency, total_amount: '40.00', ...inCustom({}, { unit_price: '40.0' }) }))
  })

  test.for([
    ['neither mode', {}, ['purchase_context.custom']],
    ['both modes', { ...QUOTE, custom: custom() }, ['purchase_context.custom']],
    ['a quote id without quote', { quote_id: QUOTE.quote_id }, ['purchase_context.quote_id']],
    ['a quote id beside custom', { quote_id: QUOTE.quote_id, custom: custom() }, ['purchase_context.quote_id']],
    ['quote without its id', { quote: true }, ['purchase_context.quote_id']],
    ['quote false alone', { quote: false }, ['purchase_context.custom']],
    ['quote as text', { quote: 'true', quote_id: QUOTE.quote_id }, ['purchase_context.quote']],
    ['a quote id of another kind', { quote: true, quote_id: 'ord_1' }, ['purchase_context.quote_id']],
    ['an unknown field', { custom: custom(), extra: 1 }, ['purchase_context.extra']],
    ['no entry', [], ['purchase_context']],
    ['two entries', [custom(), custom()], ['purchase_context']],
    ['no entry in custom', { custom: [] }, ['purchase_context.custom']],
    ['two entries in custom', { custom: [custom(), custom()] }, ['purchase_context.custom']],
    ['an entry that is no object', ['tea'], ['purchase_context[0]']],
    ['the older form with a bad field', [custom({ url: 'x' })], ['purchase_context[0].merchant_details.url']],
    ['custom of another type', { custom: 'tea' }, ['purchase_context.custom']],
  ] as [string, unknown, string[]][])('purchase_context: %s', async ([, purchase_context, paths]) => {
    expectInvalid(await create({ purchase_context }), ...paths)
  })

  test('a card that names none says what names one', async () => {
    const { body } = await create({ card: {} })
    expect(body.error.details).toEqual({ card: 'must have card_id or vault_ref_id' })
  })

  const M = 'purchase_context.custom.merchant_details'
  const P = 'purchase_context.custom.product_details[0]'
  test.for([
    [inCustom({ name: undefined }), `${M}.name`],
    [inCustom({ name: '' }), `${M}.name`],
    [inCustom({ name: '   ' }), `${M}.name`],
    [inCustom({ name: ' \n\u2028 ' }), `${M}.name`],
    [inCustom({ name: ' \u0085 ' }), `${M}.name`],
    [inCustom({ name: 'Tea\u0007' }), `${M}.name`],
    [inCustom({ name: 'Tea\u202e' }), `${M}.name`],
    [inCustom({ statement_name: '' }), `${M}.statement_name`],
    [inCustom({ statement_name: '...' }), `${M}.statement_name`],
    [inCustom({ statement_name: 'Café' }), `${M}.statement_name`],
    [inCustom({ statement_name: 'x'.repeat(26) }), `${M}.statement_name`],
    [inCustom({ country_code_iso2: 'XX' }), `${M}.country_code_iso2`],
    [inCustom({}, { description: '' }), `${P}.description`],
    [inCustom({}, { description: ' \t' }), `${P}.description`],
    [inCustom({}, { description: 'a\u0000' }), `${P}.description`],
    [inCustom({}, { unit_price: '-1' }), `${P}.unit_price`],
    [inCustom({}, {}, { summary: { total: '1' } }), 'purchase_context.custom.summary.total'],
    [inCustom({}, {}, { summary: { tax: '1.234' } }), 'purchase_context.custom.summary.tax'],
    [inCustom({}, {}, { summary: [] }), 'purchase_context.custom.summary'],
    [inCustom({ name: 'x'.repeat(256) }), `${M}.name`],
    [inCustom({ url: 'http://tea.example' }), `${M}.url`],
    [inCustom({ url: undefined }), `${M}.url`],
    [inCustom({ country_code_iso2: 'us' }), `${M}.country_code_iso2`],
    [inCustom({ category_code: '12345678901' }), `${M}.category_code`],
    [inCustom({ category: 'x'.repeat(101) }), `${M}.category`],
    [inCustom({ extra: 1 }), `${M}.extra`],
    [inCustom({}, { description: undefined }), `${P}.description`],
    [inCustom({}, { product_id: 'p'.repeat(51) }), `${P}.product_id`],
    [inCustom({}, { quantity: 0 }), `${P}.quantity`],
    [inCustom({}, { quantity: 1.5 }), `${P}.quantity`],
    [inCustom({}, { quantity: '1' }), `${P}.quantity`],
    [inCustom({}, { extra: 1 }), `${P}.extra`],
    [inCustom({}, {}, { product_details: [] }), 'purchase_context.custom.product_details'],
    [inCustom({}, {}, { product_details: undefined }), 'purchase_context.custom.product_details'],
    [inCustom({}, {}, { merchant_details: undefined }), 'purchase_context.custom.merchant_details'],
    [inCustom({}, {}, { effective_until_minutes: 0 }), 'purchase_context.custom.effective_until_minutes'],
    [inCustom({}, {}, { effective_until_minutes: 1.5 }), 'purchase_context.custom.effective_until_minutes'],
    [inCustom({}, {}, { extra: 1 }), 'purchase_context.custom.extra'],
    [{ card: { card_id: 7 } }, 'card.card_id'],
    [{ card: { card_id: '' } }, 'card.card_id'],
    [{ card: { vault_ref_id: 'no-uuid' } }, 'card.vault_ref_id'],
    [{ card: { card_id: 'card_1', number: '4242' } }, 'card.number'],
    [{ extra: 1 }, 'extra'],
    [{ userId: 'ann' }, 'userId'],
  ] as [Record<string, unknown>, string][])('%j names %s', async ([changes, path]) => {
    expectInvalid(await create(changes), path)
  })

  test('names what the schema sees and what only the rules see in one response', async () => {
    const answer = await create({
      ...{ user_email: 'x', currency: 'JPY', total_amount: '40.50', extra: 1 },
      purchase_context: { quote: true, custom: custom({ name: '' }, { unit_price: '0.01' }) },
      mandate_setup: { recurring_frequency: 'monthly', valid_until: '2020-01-01T00:00:00Z', max_charges: 0 },
    })
    const setup = ['mandate_setup.valid_until', 'mandate_setup.max_charges']
    const context = ['purchase_context.quote_id', 'purchase_context.custom', `${M}.name`, `${P}.unit_price`]
    expectInvalid(answer, 'user_email', 'total_amount', 'extra', ...context, ...setup)
  })

  test('a body with too many products is refused by their number', async () => {
    const product_details = Array.from({ length: 5_000 }, () => ({}))
    const answer = await create({ currency: 'XXX', ...inCustom({}, {}, { product_details }) })
    expectInvalid(answer, 'currency', 'purchase_context.custom.product_details')
  })

  test('names all bad fields of a body at once', async () => {
    const answer = await create({ user_email: 'x', currency: 'XXX', ...inCustom({ url: 'x' }, { quantity: 0 }) })
    expectInvalid(answer, 'user_email', 'currency', `${M}.url`, `${P}.quantity`)
  })

  test.for([
    [{ recurring_frequency: 'daily' }, 'recurring_frequency'],
    [{ intent: 'mandate_setup' }, 'recurring_frequency'],
    [{ recurring_frequency: 'monthly', merchant_scope: 'all' }, 'merchant_scope'],
    [{ recurring_frequency: 'monthly', max_charges: 0 }, 'max_charges'],
    [{ recurring_frequency: 'monthly', max_charges: '3' }, 'max_charges'],
    [{ recurring_frequency: 'monthly', valid_until: 'tomorrow' }, 'valid_until'],
    [{ recurring_frequency: 'monthly', valid_until: '2020-01-01T00:00:00Z' }, 'valid_until'],
    [{ recurring_frequency: 'monthly', extra: 1 }, 'extra'],
    [{ recurring_frequency: 'monthly', intent: 'buy' }, 'intent'],
    [{ recurring_frequency: 'monthly', adjustable: 'yes' }, 'adjustable'],
    [{}, 'recurring_frequency'],
  ] as [object, string][])('mandate_setup %j names %s', async ([mandate_setup, field]) => {
    expectInvalid(await create({ mandate_setup }), `mandate_setup.${field}`)
  })

  test.for([
    [{ recurring_frequency: 'daily', merchant_scope: 'all' }, ['recurring_frequency', 'merchant_scope']],
    [{ frequency: 'monthly', max_charges: '3' }, ['recurring_frequency', 'frequency', 'max_charges']],
    [{ intent: 'buy', max_charges: 0, extra: 1 }, ['recurring_frequency', 'intent', 'max_charges', 'extra']],
  ] as [object, string[]][])(
    'mandate_setup %j names all of it, and asks for no intent',
    async ([mandate_setup, fields]) => {
      expectInvalid(await create({ mandate_setup }), ...fields.map((field) => `mandate_setup.${field}`))
    },
  )

  test('a valid mandate_setup is taken; beside it a bad field elsewhere is named', async () => {
    for (const mandate_setup of [
      { recurring_frequency: 'monthly' },
      { recurring_frequency: 'monthly', adjustable: true },
      { intent: 'mandate_setup', recurring_frequency: 'one_time', valid_until: '2020-01-01T00:00:00Z' },
      { recurring_frequency: 'yearly', merchant_scope: 'any', max_charges: 3, valid_until: '2099-01-01T00:00:00Z' },
    ]) {
      expectCreated(await create({ mandate_setup }))
      expectInvalid(await create({ mandate_setup, total_amount: '0' }), 'total_amount')
    }
  })

  test.for([
    [{ stage: 'payment' }, 'sandbox_simulation.outcome'],
    [{ outcome: 'success' }, 'sandbox_simulation.stage'],
    [{ stage: 'cart', outcome: 'success' }, 'sandbox_simulation.stage'],
    [{ stage: 'payment', outcome: 'failure' }, 'sandbox_simulation.outcome'],
    [{ stage: 'payment', outcome: 'success', extra: 1 }, 'sandbox_simulation.extra'],
  ] as [object, string][])('sandbox_simulation %j names %s', async ([sandbox_simulation, path]) => {
    expectInvalid(await create({ sandbox_simulation, purchase_context: QUOTE }), path)
  })

  test('a simulation is refused for a custom checkout and for a mandate setup', async () => {
    const sandbox_simulation = { stage: 'payment', outcome: 'success' }
    expectError(await create({ sandbox_simulation }), 400, 'SANDBOX_SIMULATION_NOT_ALLOWED')
    const setup = { sandbox_simulation, purchase_context: QUOTE, mandate_setup: { recurring_frequency: 'monthly' } }
    expectError(await create(setup), 400, 'SANDBOX_SIMULATION_NOT_ALLOWED')
    expectError(await create({ sandbox_simulation, purchase_context: QUOTE }), 404, 'QUOTE_NOT_FOUND')
  })

  test.for([
    ['a key given twice', '{"user_id":"a","user_id":"b"}', 'user_id'],
    ['a deep key given twice', '{"card":{"card_id":"a","card_id":"a"}}', 'card.card_id'],
    ['a key given twice, once escaped', '{"user_id":"a","user\\u005fid":"b"}', 'user_id'],
    ['half a surrogate pair', '{"user_id":"\\ud83e"}', 'user_id'],
    ['U+0000', '{"user_id":"a\\u0000"}', 'user_id'],
    ['a polluting key', '{"card":{"__proto__":{}}}', 'card.__proto__'],
    ['no JSON', '{"user_id":', 'body'],
    ['nothing', '', 'body'],
    ['text', '"user"', 'body'],
    ['null', 'null', 'body'],
    ['an array', '[]', 'body'],
    ['too deep', `{"card":${'['.repeat(40)}${']'.repeat(40)}}`, 'card'],
  ] as [string, string, string][])('the JSON itself: %s', async ([, json, path]) => {
    const answer = await createRaw(json)
    expectError(answer, 400, 'VAL_2001')
    expect(Object.keys(answer.body.error.details)[0]?.startsWith(path)).toBe(true)
  })

  test('nothing was written for any of them', async () => {
    const stranger = await service.addMerchant()
    await stranger.post('/v1/sessions', sessionBody({ total_amount: '0' }))
    await stranger.post('/v1/sessions', sessionBody({ card: { card_id: 'card_none' } }))
    await stranger.post('/v1/sessions', sessionBody({ purchase_context: QUOTE }))
    const { rows } = await service.pool.query('select id from customers where merchant_id = $1', [stranger.merchantId])
    expect(rows).toEqual([])
  })
})
