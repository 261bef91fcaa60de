import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { authorization } from '../flows.ts'
import { type Caller, callerOf, freePorts, type Program, readDevFile, startProgram } from '../processes/program.ts'
import { sessionBody } from '../service.ts'
import { describeInBrowser, LOOKS, lookAt, VIEWPORTS } from './browser.ts'
import { CARD_SECRETS, cardholder, readyToApprove } from './cardholder.ts'
import { type Embedder, startEmbedder } from './embedder.ts'
import { press } from './press.ts'
import { enlarge, textProblems } from './text-fit.ts'

const STOREFRONT = fileURLToPath(new URL('../../../../examples/storefront/server.ts', import.meta.url))

describeInBrowser('a shop, its customer and the service, each on its own', (browser) => {
  let home: string
  let service: Program
  let shop: { url: string; process: ChildProcess }
  let embedder: Embedder
  let merchant: Caller

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'mintmark-browser-'))
    const port = await freePorts()
    service = startProgram(['all'], { home, port })
    await service.ready()
    shop = await startShop(home, port + 5)
    embedder = await startEmbedder()
    merchant = callerOf(service.apiUrl, (await readDevFile(home)).secret_key)
  })
  afterAll(async () => {
    shop?.process.kill()
    await embedder?.close()
    await service?.stop()
    await rm(home, { recursive: true, force: true })
  })

  it('takes a first payment with a new card and a new passkey, a second with both', async () => {
    await browser.visit({}, async (visit) => {
      const { page, authenticator } = visit
      const orders = watchOrders(page)
      await page.goto(shop.url)
      await page.getByRole('button', { name: 'Add Sencha' }).click()
      await page.getByRole('button', { name: 'Check out' }).click()
      const ann = cardholder(page.frameLocator('iframe'))
      await ann.heading('Pay with a card').waitFor()
      await page.setViewportSize(VIEWPORTS.phone)
      expect((await ann.surface.getByLabel('Card number').boundingBox())?.y).toBeLessThan(FIRST_FIELD_WITHIN)
      await visit.shoot('storefront-first-field')
      await ann.payAnew()
      await page.getByRole('heading', { name: 'Thank you' }).waitFor()
      expect(await lookAt(visit, 'storefront-paid', LIGHT)).toEqual([])
      expect(await page.getByRole('definition').first().textContent()).toBe('14.50 USD')
      const [passkey, ...more] = await authenticator.credentials()
      expect(more).toEqual([])
      expect(passkey?.rpId).toBe('localhost')

      await page.getByRole('button', { name: 'Buy more tea' }).click()
      await page.getByRole('button', { name: 'Add Assam' }).click()
      await page.getByRole('button', { name: 'Check out' }).click()
      await ann.heading('Approve $11.90').waitFor()
      await ann.surface.locator('.card-fixed', { hasText: 'Visa ending in 4242' }).waitFor()
      await ann.approve()
      await page.getByRole('heading', { name: 'Thank you' }).waitFor()
      const after = await authenticator.credentials()
      expect(after.map(({ credentialId }) => credentialId)).toEqual([passkey?.credentialId])
      expect(after[0]?.signCount).toBeGreaterThan(passkey?.signCount ?? Number.POSITIVE_INFINITY)

      // What the browser saw of its orders: never a credential.
      await expect.poll(() => orders.join('\n')).toContain('"state":"paid"')
      const seen = orders.join('\n')
      expect(seen).not.toMatch(CARD_SECRETS)
    })
  })

  it('gives a credential that is spent once, refused the second time, and gone when reported', async () => {
    await browser.visit({}, async ({ page }) => {
      const created = await merchant.post('/v1/sessions', sessionBody({ integration_type: 'embedding' }))
      const { session_id: id, iframe_url: url } = created.body
      await page.goto(embedder.page({ url }))
      await cardholder(page.frameLocator('iframe')).payAnew()
      await page.getByText('completed approved').waitFor()

      const result = async () => (await merchant.get(`/v1/sessions/${id}/payment-result`)).body
      await expect.poll(async () => (await result()).status).toBe('awaiting_result')
      const [item] = (await result()).transactions[0].line_items
      const spend = () => merchant.post('/v1/test_helpers/authorizations', authorization(item))
      const first = await spend()
      expect(first.body).toMatchObject({ approved: true, response_code: '00' })
      expect((await spend()).body).toMatchObject({ approved: false })

      const reported = await merchant.post(`/v1/sessions/${id}/report-status`, {
        txn_ref_id: item.txn_ref_id,
        txn_status: 'APPROVED',
        authorization_code: first.body.authorization_code,
      })
      expect(reported.body).toMatchObject({ status: 'confirmed', network_confirmation: 'SUCCESS' })
      const { body } = await merchant.get(`/v1/sessions/${id}/payment-result`)
      expect(body.status).toBe('completed')
      expect(body.transactions[0].line_items[0]).toMatchObject({ token: null, dynamic_cvv: null })
    })
  })

  it('changes the cart, and keeps it when a payment is cancelled or declined', async () => {
    await browser.visit({}, async (visit) => {
      const { page } = visit
      const cart = page.getByRole('complementary', { name: 'Your cart' })
      await page.goto(shop.url)
      await page.getByText('Nothing in it yet.').waitFor()
      expect(await lookAt(visit, 'storefront-empty', LIGHT)).toEqual([])
      await page.getByRole('button', { name: 'Add Sencha' }).click()
      await page.getByRole('button', { name: 'Add Iron Goddess' }).click()
      await cart.getByRole('button', { name: 'One more: Sencha' }).click()
      await cart.getByText('47.60 USD').waitFor()
      expect(await lookAt(visit, 'storefront-cart', LIGHT)).toEqual([])
      await cart.getByRole('button', { name: 'One less: Iron Goddess' }).click()
      await cart.getByText('29.00 USD').last().waitFor()
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Your cart')

      await page.getByRole('button', { name: 'Check out' }).click()
      const ann = cardholder(page.frameLocator('iframe'))
      await ann.heading('Pay with a card').waitFor()
      expect(await lookAt(visit, 'storefront-pay', LIGHT)).toEqual([])
      await press(page.getByRole('button', { name: 'Cancel and go back' }))
      await cart.getByText('29.00 USD').last().waitFor()

      await page.getByRole('button', { name: 'Check out' }).click()
      await ann.enterCard(INSUFFICIENT_FUNDS)
      await ann.createPasskey()
      await readyToApprove(ann.surface)
      expect(await lookAt(visit, 'storefront-approve', LIGHT)).toEqual([])
      await ann.approve()
      await page.getByRole('heading', { name: 'The order was not paid' }).waitFor()
      await page.getByText('declined the payment (code 51)').waitFor()
      expect(await lookAt(visit, 'storefront-declined', LIGHT)).toEqual([])
      await page.getByRole('button', { name: 'Back to the cart' }).click()
      await cart.getByText('29.00 USD').last().waitFor()
    })
  })

  it('goes on after a reload, with the cart, in the middle of a payment, and where it ended meanwhile', async () => {
    // The requests that are cut below: on a busy machine the shop asks before it is loaded again.
    const cut = /net::ERR_FAILED \(\S+\/api\/orders\//
    await browser.visit({ expects: [cut] }, async ({ page }) => {
      const cart = page.getByRole('complementary', { name: 'Your cart' })
      const ann = cardholder(page.frameLocator('iframe'))
      await page.goto(shop.url)
      await page.getByRole('button', { name: 'Add Sencha' }).click()
      await page.reload()
      await cart.getByText('14.50 USD').last().waitFor()
      await page.getByRole('button', { name: 'Check out' }).click()
      await ann.enterCard()
      await ann.heading('Create a passkey').waitFor()
      await page.reload()
      await ann.createPasskey()
      await readyToApprove(ann.surface)
      // A left one is not come back to.
      await press(page.getByRole('button', { name: 'Cancel and go back' }))
      await page.reload()
      await cart.getByText('14.50 USD').last().waitFor()
      expect(await page.locator('iframe').count()).toBe(0)

      await page.getByRole('button', { name: 'Check out' }).click()
      await readyToApprove(ann.surface)
      const asked = (url: URL) => url.pathname.startsWith('/api/orders/')
      await page.route(asked, (route) => route.abort())
      await ann.approve()
      await ann.heading('Approved').waitFor()
      await page.unroute(asked)
      await page.reload()
      await page.getByRole('heading', { name: 'Thank you' }).waitFor()
      await page.reload()
      await page.getByText('Nothing in it yet.').waitFor()
    })
  })

  it('has nothing cut off in a small window and with large text', async () => {
    await browser.visit({}, async ({ page }) => {
      const problems: string[] = []
      await page.goto(shop.url)
      await page.getByRole('button', { name: 'Add Sencha' }).click()
      for (const size of [100, 200]) {
        await enlarge(page, size)
        for (const width of [320, 390, 1280]) {
          await page.setViewportSize({ width, height: 800 })
          const found = await page.evaluate(textProblems)
          problems.push(...found.map((problem) => `${size} %, ${width} px: ${problem}`))
        }
      }
      expect(problems).toEqual([])
    })
  })

  it('follows a payment that is made in a tab of its own', async () => {
    await browser.visit({}, async ({ page, context, equip, shoot }) => {
      await page.goto(shop.url)
      await page.getByRole('button', { name: 'Add Rooibos' }).click()
      await page.getByRole('button', { name: 'Check out' }).click()
      const opened = context.waitForEvent('page')
      await press(page.getByRole('link', { name: 'Pay in a tab of its own' }))
      const tab = await opened
      await equip(tab)
      await page.getByText('Finish in the other tab.').waitFor()
      await shoot('storefront-other-tab-desktop')
      await cardholder(tab).payAnew()
      await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    })
  })

  it('does not wait for an order that the shop knows no more', async () => {
    await browser.visit({ expects: [/status of 404/] }, async (visit) => {
      const { page } = visit
      await page.goto(shop.url)
      await page.getByRole('button', { name: 'Add Rooibos' }).click()
      await page.getByRole('button', { name: 'Check out' }).click()
      await cardholder(page.frameLocator('iframe')).heading('Pay with a card').waitFor()
      // As after a new start: its orders live in memory.
      const gone = { status: 404, json: { message: 'There is no such order.' } }
      await page.route('**/api/orders/*', (route) => route.fulfill(gone))
      await page.getByRole('heading', { name: 'This order is gone' }).waitFor()
      expect(await lookAt(visit, 'storefront-lost', LIGHT)).toEqual([])
    })
  })

  it('says what to do when the payment service is not running', async () => {
    await browser.visit({ expects: [/status of 503/] }, async (visit) => {
      const { page } = visit
      await page.goto(shop.url)
      await page.getByRole('button', { name: 'Add Rooibos' }).click()
      await service.stop()
      await page.getByRole('button', { name: 'Check out' }).click()
      await page.getByRole('alert').filter({ hasText: 'start it with "npm start"' }).waitFor()
      expect(await lookAt(visit, 'storefront-no-service', LIGHT)).toEqual([])
    })
  })
})

/** The upper half of a phone, the shop's own bars counted. */
const FIRST_FIELD_WITHIN = 420
const INSUFFICIENT_FUNDS = '4000000000009995'
/** The shop has no dark clothes. */
const LIGHT = LOOKS.filter(({ colorScheme }) => colorScheme === 'light')

/** What the shop's backend told the page about orders. */
function watchOrders(page: Page): string[] {
  const answers: string[] = []
  page.on('response', (response) => {
    if (!new URL(response.url()).pathname.startsWith('/api/orders')) return
    void response.text().then(
      (text) => answers.push(text),
      () => {},
    )
  })
  return answers
}

async function startShop(home: string, port: number): Promise<{ url: string; process: ChildProcess }> {
  const shop = spawn(process.execPath, [STOREFRONT], {
    env: { PATH: process.env.PATH, MINTMARK_HOME: home, STOREFRONT_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  process.once('exit', () => shop.kill())
  let complaint = ''
  shop.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  const ended = once(shop, 'close').then(() => Promise.reject(new Error(`The shop ended:\n${complaint}`)))
  await Promise.race([once(shop.stdout, 'data'), ended])
  return { url: `http://127.0.0.1:${port}/`, process: shop }
}
