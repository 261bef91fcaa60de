// Guarantee: the shop that is asked, and handed a credential, is the one that its operator registered; what is signed is what is bought
// there. Rows that an attacker edited in the database, without the root key, lead to an alarm and an error, never to a payment.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { complete, expectError, paymentResult } from '../../test/flows.ts'
import { keepLog } from '../../test/logged.ts'
import { approvedQuote, type Buying, booksOf, quotedSession, settle, startBuying } from './purchases/testing/quoted.ts'
import { fromQuote, quoteBody, quoted } from './quotes/testing/scripted-shop.ts'

let buying: Buying
const { log, lines, entries } = keepLog('warn')

beforeAll(async () => {
  buying = await startBuying({ log })
})
afterAll(() => buying?.service.close())
beforeEach(async () => {
  await buying.renew()
  lines.length = 0
})

const sql = (text: string, values: unknown[]) => buying.service.pool.query(text, values)
const alarms = () => entries().filter(({ alarm }) => alarm !== undefined)

describe('a shop', () => {
  const EDITS: [what: string, column: string, value: string][] = [
    ['address', 'base_url', 'https://evil.example/api'],
    ['host that credentials are good at', 'url', 'https://evil.example'],
    ['name', 'name', 'Tea Hous'],
    ['protocol', 'adapter', 'acp'],
  ]
  /** Runs work while a column of the shop is edited. */
  async function edited(column: string, value: string, work: () => Promise<void>) {
    const { rows } = await sql(`select ${column} as before from shops where id = $1`, [buying.shopId])
    await sql(`update shops set ${column} = $2 where id = $1`, [buying.shopId, value])
    await work().finally(() => sql(`update shops set ${column} = $2 where id = $1`, [buying.shopId, rows[0].before]))
  }

  test.each(EDITS)('with an edited %s is asked nothing, and its key is not opened', async (_what, column, value) => {
    const { service, shopId } = buying
    await edited(column, value, async () => {
      const quote = await service.merchant.post('/v1/quotes', quoteBody({ id: shopId }))
      expectError(quote, 503, 'MERCHANT_UNAVAILABLE')
      expect(alarms()).toMatchObject([{ alarm: 'row_tampered', table: 'shops', row_id: shopId }])
    })
  })

  test.each(EDITS)(
    'with an edited %s is handed no credential; as it was, it is bought at',
    async (_what, column, value) => {
      const { shop, service, shopId } = buying
      const { id, chargeId } = await approvedQuote(buying)
      await edited(column, value, async () => {
        await settle(buying, id, service.merchant, 1)
        expect(shop.asked(chargeId)).toEqual([])
        expect((await booksOf(buying, chargeId)).credential).toBe(false)
        expect(alarms()).toContainEqual(
          expect.objectContaining({ alarm: 'row_tampered', table: 'shops', row_id: shopId }),
        )
      })
      expect((await settle(buying, id)).status).toBe('completed')
    },
  )

  test('that was edited is disabled as it is, and not sealed again by the change of something else, but by all of it', async () => {
    const { shops } = buying.service.app
    const id = buying.shopId
    const asItWas = {
      name: 'Tea House',
      url: 'https://tea.example',
      country: 'US',
      baseUrl: 'https://tea.example/api',
    } as const
    await edited('base_url', 'https://evil.example/api', async () => {
      await expect(shops.update(id, { name: 'Tea & Co.' })).rejects.toThrow('changed outside')
      await expect(shops.update(id, { status: 'active' })).rejects.toThrow('changed outside')
      expect(await shops.update(id, { status: 'disabled' })).toMatchObject({ status: 'disabled' })
      await expect(shops.update(id, { status: 'active' })).rejects.toThrow('changed outside')
      expect(await shops.update(id, { ...asItWas, status: 'active' })).toMatchObject(asItWas)
    })
    expect((await buying.service.merchant.post('/v1/quotes', quoteBody({ id }))).status).toBe(201)
  })
})

describe('a quote', () => {
  const EDITS: [what: string, set: string][] = [
    ['total', 'total_minor = 1, items_minor = 1, shipping_minor = 0, tax_minor = 0'],
    ['shop', `shop_id = 'shop_00000000000000000000000000'`],
    ['name at the shop', `shop_ref = 'qte_of_another_basket'`],
    ['payee', `shop_url = 'https://evil.example'`],
    ['line', `lines = jsonb_set(lines, '{0,variantId}', '"gold"')`],
    ['end', `expires_at = expires_at + interval '1 year'`],
    ['merchant', `merchant_id = $2`],
  ]

  test.each(EDITS)('with an edited %s makes no session', async (what, set) => {
    const { service, shopId } = buying
    const quote = await quoted(service.merchant, { id: shopId })
    const thief = what === 'merchant' ? await service.addMerchant() : service.merchant
    await sql(`update quotes set ${set} where id = $1 and ($2::text is not null)`, [quote.quote_id, thief.merchantId])
    const total_amount = what === 'total' ? '0.01' : quote.total_amount
    const session = { user_id: 'u1', user_email: 'a@example.com', ...fromQuote({ ...quote, total_amount }) }
    expect((await thief.post('/v1/sessions', session)).status).toBe(500)
    expect(alarms()).toMatchObject([{ alarm: 'row_tampered', table: 'quotes', row_id: quote.quote_id }])
  })

  test.each([
    ['the shop', `update quotes set shop_id = 'shop_00000000000000000000000000' where id = $1`],
    ['its name at the shop', `update quotes set shop_ref = 'qte_of_another_basket' where id = $1`],
    [
      'the name of a product',
      `update charges set products = jsonb_set(products, '{0,name}', '"Gold"') where quote_id = $1`,
    ],
    ['the payee', `update charges set payee_url = 'https://evil.example' where quote_id = $1`],
    ['the amount', 'update charges set amount_minor = 100 where quote_id = $1'],
  ])('is not bought where %s was edited before the cardholder saw it', async (_what, edit) => {
    const { service, shop } = buying
    const { id, chargeId, quoteId } = await quotedSession(buying)
    await sql(edit, [quoteId])
    expect((await complete(service.merchant, id)).status).toBe(500)
    expect(alarms()).toMatchObject([{ alarm: 'row_tampered', table: 'quotes', row_id: quoteId }])
    await service.runJobs()
    expect(shop.asked(chargeId)).toEqual([])
    expect((await paymentResult(service.merchant, id)).body.status).toBe('pending')
  })

  test('of another session is not bought for this one, though they cost the same', async () => {
    const { service } = buying
    const [mine, other] = [await quotedSession(buying), await quotedSession(buying)]
    await sql('update charges set quote_id = $2 where id = $1', [mine.chargeId, other.quoteId])
    expect((await complete(service.merchant, mine.id)).status).toBe(500)
    expect(alarms()).toMatchObject([{ alarm: 'row_tampered', table: 'quotes', row_id: other.quoteId }])
  })
})
