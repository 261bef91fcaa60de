// Guarantee: the shop charges a minted credential at the sandbox's own acquirer, once, and understands each of its
// answers.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { approvedSession, CARDS } from '../../apps/server/test/flows.ts'
import { startTestService, type TestMerchant, type TestService } from '../../apps/server/test/service.ts'
import { prepared, startTestShop, type TestShop } from './testing/world.ts'

let service: TestService
let merchant: TestMerchant
let shop: TestShop
let line: Server
/** What the line between shop and acquirer loses, one question after the other. */
let losses: ('question' | 'answer')[]
let asked: number

beforeAll(async () => {
  service = await startTestService()
  merchant = await service.addMerchant()
  line = createServer(async (request, response) => {
    const loss = losses.shift()
    let body = ''
    for await (const chunk of request) body += chunk
    asked += 1
    if (loss === 'question') return void response.destroy()
    const { authorization = '', 'content-type': type = '' } = request.headers
    const answer = await fetch(service.apiUrl + request.url, {
      method: 'POST',
      headers: { authorization, 'content-type': type },
      body,
    })
    const text = await answer.text()
    if (loss === 'answer') response.destroy()
    else response.writeHead(answer.status).end(text)
  })
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(line.address() as AddressInfo).port}`
  shop = await startTestShop({ acquirer: { url, key: merchant.secretKey }, acquirerTimeoutMillis: 15_000 })
})
beforeEach(() => {
  losses = []
  asked = 0
})
afterAll(async () => {
  await shop?.close()
  line?.close()
  await service?.close()
})

/** A virtual card for a merchant and an amount, approved by a cardholder. */
async function minted(changes: { amount?: string; url?: string; card?: string } = {}) {
  const { amount = '22.95', url = 'https://sandbox-shop.example', card = CARDS.success } = changes
  const merchant_details = { name: 'Sandbox Shop', url, country_code_iso2: 'US' }
  const product_details = [{ description: 'A box', unit_price: amount }]
  const purchase_context = { custom: { merchant_details, product_details } }
  const { item } = await approvedSession(merchant, card, { total_amount: amount, purchase_context })
  return { number: item.token, cvv: item.dynamic_cvv, expiry_month: item.expiry_month, expiry_year: item.expiry_year }
}

const MUG = 'stoneware-mug.oat'
const mug = () => prepared(shop, MUG)

test('a credential for this shop and amount pays one checkout, and no second one', async () => {
  const card = await minted()
  const first = await mug()
  expect((await first.pay(card)).body).toMatchObject({
    state: 'paid',
    authorization_code: expect.stringMatching(/^\d{6}$/),
  })
  const second = await mug()
  expect(await second.pay(card)).toMatchObject({ status: 402, body: { error: { code: 'card_declined' } } })
  expect((await first.inquire()).body.state).toBe('paid')
})

test.each([
  ['minted for another shop', 'card_declined', { url: 'https://tea.example' }],
  ['minted for less', 'card_declined', { amount: '22.94' }],
  ['of a card without funds', 'insufficient_funds', { card: '4000000000009995' }],
  ['of a card that is not honoured', 'card_declined', { card: '4000000000000051' }],
])('a credential %s is a %s', async (_what, code, changes) => {
  expect(await (await mug()).pay(await minted(changes))).toMatchObject({ status: 402, body: { error: { code } } })
})

test('a number that is no card is declined, and a wrong key has asked nothing', async () => {
  const { pay } = await mug()
  expect((await pay()).body.error.code).toBe('card_declined')
  const url = service.apiUrl
  const onKeyRefused = vi.fn()
  const other = await startTestShop({ acquirer: { url, key: 'sk_test_wrong' }, onKeyRefused })
  const one = await prepared(other, MUG)
  expect((await one.pay(await minted())).body.error).toEqual({
    code: 'acquirer_unreachable',
    message: 'The payment service refuses the key of the shop. Nothing was paid; the shop needs another key.',
  })
  expect(onKeyRefused).toHaveBeenCalledOnce()
  expect((await one.inquire()).body.state).toBe('open')
  await other.close()
})

test('a question that is lost is asked again, and pays once', async () => {
  losses = ['question']
  const { pay } = await mug()
  expect((await pay(await minted())).body.state).toBe('paid')
  expect(asked).toBe(2)
})

test('an approval whose answer is lost is a person’s: the second question hears that the card is used', async () => {
  losses = ['answer']
  const { pay } = await mug()
  expect((await pay(await minted())).body).toMatchObject({ state: 'needs_human', reason: 'payment_unknown' })
  expect(asked).toBe(2)
})

test('a refusal whose answer is lost is a refusal the second time', async () => {
  losses = ['answer']
  const { pay } = await mug()
  expect(await pay(await minted({ card: '4000000000009995' }))).toMatchObject({
    status: 402,
    body: { error: { code: 'insufficient_funds' } },
  })
  expect(asked).toBe(2)
})
