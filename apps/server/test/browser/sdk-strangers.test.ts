// Guarantee: the browser SDK hears the payment page of its session alone, whoever else speaks and whatever they say;
// trusts no other page in its frame; and takes from the page what was said to it, not what lies around.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSession, paymentResult } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInFrames } from './browser.ts'
import { cardholder } from './cardholder.ts'
import { callSdk, heardBySdk, type Made, openBySdk, type ShopPage, startShopPage } from './shop-page.ts'

const PROTOCOL = 'mintmark.frame.1'
/** A frame of another site takes no message that is for the payment page, and the browser says so. */
const ELSEWHERE = [/^Mintmark: IFRAME_LOAD_ERROR/, /postMessage.*target origin/]

describeInFrames('the browser SDK among strangers', (browser) => {
  let service: TestService
  let shop: ShopPage
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
    shop = await startShopPage(service.surfaceUrl)
  })
  afterAll(async () => {
    await shop?.close()
    await service?.close()
  })

  const newSession = (): Promise<Made> => createSession(service.merchant, { integration_type: 'embedding' })
  const open = (page: Page, session: Made, options = {}) => openBySdk(page, service.merchant, session, options)
  const statusOf = async (id: string) => (await paymentResult(service.merchant, id)).body.status as string
  const namesHeard = async (page: Page) => (await heardBySdk(page)).map(([name]) => name)
  /**
   * A page that says to `target` all that a payment page could say of a session, and more, for as long as it is there.
   */
  const stranger = (target: 'opener' | 'parent' | 'frames[0]', session: Made, host = 'evil.test') => {
    const said = JSON.stringify(lies(session.session_id))
    const script = `const said = [...${said}, { protocol: '${PROTOCOL}', type: 'error', code: 'x'.repeat(8e6), message: '', retryable: false }]
setInterval(() => { for (const one of said) ${target}.postMessage(one, '*'); said.length = ${lies('').length}; document.title = 'said' }, 50)`
    const framed = `<!doctype html><html lang="en"><title>Stranger</title><link rel="icon" href="data:,"><body><script>${script}</script>`
    return { around: framed, url: () => shop.url({ framed, headers: {} }).replace('127.0.0.1', host) }
  }

  it('hears no popup, of its own site or another, and no other frame, not even of the payment page’s own site', async () => {
    const [session, other] = [await newSession(), await newSession()]
    await browser.visit({}, async ({ page, context }) => {
      await page.goto(shop.url({ headers: {} }))
      await open(page, session)
      await expect.poll(() => namesHeard(page)).toContain('onReady')
      await cardholder(page.frameLocator('#place iframe')).heading('Pay with a card').waitFor()
      const before = await heardBySdk(page)
      for (const host of ['evil.test', '127.0.0.1']) {
        const opened = context.waitForEvent('page')
        await page.evaluate((url) => void window.open(url), stranger('opener', session, host).url())
        const popup = await opened
        await expect.poll(() => popup.title()).toBe('said')
        await popup.waitForTimeout(150)
        await popup.close()
      }
      // A frame of the right site, beside the right one: the link of another session is a stranger's who wants this one
      // to seem paid.
      await page.evaluate((url) => {
        const frame = document.createElement('iframe')
        frame.src = url
        frame.id = 'beside'
        frame.allow = 'publickey-credentials-get *; publickey-credentials-create *'
        document.body.append(frame)
      }, other.iframe_url)
      await page.frameLocator('#beside').getByRole('heading', { name: 'Pay with a card' }).waitFor()
      const beside = page.frames().find((frame) => frame.url().includes(other.session_id))
      await beside?.evaluate((said) => {
        for (const one of said) parent.postMessage(one, '*')
      }, lies(session.session_id))
      expect(beside?.url()).toContain(service.surfaceUrl)
      await page.waitForTimeout(200)
      expect(await heardBySdk(page)).toEqual(before)
      expect(await statusOf(session.session_id)).toBe('pending')
    })
  })

  it('hears no page around its own, and makes a frame no higher than a page is', async () => {
    const session = await newSession()
    await browser.visit({}, async ({ page }) => {
      const inner = shop.url({ headers: {} })
      const { around } = stranger('frames[0]', session)
      const framed = around.replace(
        '<script>',
        `<iframe src="${inner}" allow="publickey-credentials-get *; publickey-credentials-create *"></iframe><script>`,
      )
      await page.goto(shop.url({ framed, headers: {} }).replace('127.0.0.1', 'localhost'))
      const frame = page.frame({ url: inner })
      if (frame === null) throw new Error('There is no frame.')
      await open(frame as unknown as Page, session)
      const ours = () => namesHeard(frame as unknown as Page)
      await expect.poll(ours).toContain('onReady')
      await expect.poll(() => page.title()).toBe('said')
      await page.waitForTimeout(200)
      expect(new Set(await ours())).toEqual(new Set(['onReady', 'onChange']))
      const surface = page.frames().find((one) => one.url().startsWith(service.surfaceUrl))
      await surface?.evaluate(
        (protocol) => parent.postMessage({ protocol, type: 'resize', height: 1e9 }, '*'),
        PROTOCOL,
      )
      await expect.poll(() => frame.locator('iframe').evaluate(({ style }) => style.height)).toBe('20000px')
    })
  })

  it.each(['inline', 'sheet'])(
    '%s: trusts no other page that its frame was led to: does not show it, says so, and takes it away',
    async (presentation) => {
      const session = await newSession()
      await browser.visit({ expects: ELSEWHERE }, async ({ page }) => {
        await page.goto(shop.url({ headers: {} }))
        await open(page, session, { presentation })
        await expect.poll(() => namesHeard(page)).toContain('onReady')
        const ann = cardholder(page.frameLocator('iframe'))
        await ann.heading('Pay with a card').waitFor()
        // Loaded again it is what it was.
        const surface = page.frames().at(-1)
        await surface?.evaluate(() => {
          Object.assign(window, { isOld: true })
          location.reload()
        })
        await expect.poll(() => surface?.evaluate(() => 'isOld' in window)).toBe(false)
        await ann.heading('Pay with a card').waitFor()
        await expect.poll(() => visibility(page)).toBe('visible')

        await page
          .frames()
          .at(-1)
          ?.evaluate((url) => location.assign(url), stranger('parent', session).url())
        await expect.poll(() => visibility(page)).toBe('hidden')
        await expect.poll(() => namesHeard(page)).toContain('onError')
        const [, error] = (await heardBySdk(page)).at(-1) ?? []
        expect(error).toMatchObject({ code: 'IFRAME_LOAD_ERROR', retryable: false })
        expect(error?.message).toContain(`shows the payment page of ${service.surfaceUrl} no more`)
        expect(await page.locator('iframe, dialog').count()).toBe(0)
        expect(await namesHeard(page)).not.toContain('onSuccess')
        expect(await statusOf(session.session_id)).toBe('pending')
        // The session is where it was.
        await open(page, session)
        await ann.heading('Pay with a card').waitFor()
        await callSdk(page, 'destroy')
      })
    },
  )

  it('goes on in a new frame where the page took the first away in the middle, and says nothing of that', async () => {
    const session = await newSession()
    await browser.visit({}, async ({ page }) => {
      await page.goto(shop.url())
      await open(page, session)
      const ann = cardholder(page.frameLocator('iframe'))
      await ann.enterCard()
      const button = ann.surface.locator('.sheet[data-step=passkey_registration] .button-approve')
      await button.waitFor()
      // The passkey is being asked for, and its answer comes to no one.
      await page
        .frames()
        .at(-1)
        ?.evaluate(() => {
          navigator.credentials.create = () => new Promise(() => {})
        })
      await ann.createPasskey()
      await ann.button('Waiting for your passkey…').waitFor()
      const before = await heardBySdk(page)
      await page.evaluate(() => document.querySelector('#place')?.replaceChildren())
      await page.waitForTimeout(300)
      expect(await heardBySdk(page)).toEqual(before)
      await open(page, session)
      await button.waitFor()
      await ann.createPasskey()
      await expect.poll(() => namesHeard(page)).toContain('onSuccess')
      expect((await namesHeard(page)).filter((name) => name !== 'onChange')).toEqual([
        'onReady',
        'onReady',
        'onSuccess',
      ])
    })
  })

  it('takes no option and no message from what a page has put on all objects', async () => {
    const session = await newSession()
    await browser.visit({}, async ({ page }) => {
      await page.goto(shop.url())
      await page.evaluate((protocol) => {
        const everywhere = {
          protocol,
          type: 'completed',
          outcome: 'approved',
          session_id: 'x',
          error_code: 'x',
          height: 5,
        }
        const options = {
          presentation: 'sheet',
          summary: 'compact',
          accent: '#ffcc00',
          scheme: 'neon',
          font: 'x',
          onSucess: 1,
        }
        for (const [name, value] of Object.entries({ ...everywhere, ...options }))
          Object.defineProperty(Object.prototype, name, { value, writable: true, configurable: true, enumerable: true })
      }, PROTOCOL)
      await open(page, session)
      const ann = cardholder(page.frameLocator('iframe'))
      await ann.heading('Pay with a card').waitFor()
      await expect.poll(() => namesHeard(page)).toContain('onReady')
      expect(await page.locator('dialog').count()).toBe(0)
      expect(await ann.surface.locator('html').getAttribute('data-summary')).not.toBe('compact')
      const { length } = await heardBySdk(page)
      await page
        .frames()
        .at(-1)
        ?.evaluate(
          ({ protocol, session_id }) => {
            for (const said of [
              {},
              { protocol },
              { protocol, type: 'completed', session_id },
              { protocol, type: 'resize' },
            ])
              parent.postMessage(said, '*')
          },
          { protocol: PROTOCOL, session_id: session.session_id },
        )
      await page.waitForTimeout(200)
      expect((await heardBySdk(page)).slice(length)).toEqual([])
      expect(await page.locator('iframe').evaluate((frame) => frame.clientHeight)).toBeGreaterThan(200)
      await ann.payAnew()
      await expect.poll(() => namesHeard(page)).toContain('onSuccess')
    })
  })
})

/** What the payment page would say, and what is no message at all. */
function lies(session_id: string): object[] {
  const protocol = PROTOCOL
  const card = { card_id: 'x', card_last4: '6666', card_brand: 'visa', card_exp_month: 1, card_exp_year: 2099 }
  return [
    { protocol, type: 'card_collected', card },
    { protocol, type: 'completed', session_id, outcome: 'approved', error_code: null },
    { protocol, type: 'cancelled', session_id },
    { protocol, type: 'error', code: 'EVIL', message: 'Call us.', retryable: false },
    { protocol, type: 'change', step: 'done', complete: true, brand: 'evil' },
    { protocol, type: 'resize', height: 1 },
    { protocol, type: 'escape' },
    { protocol, type: 'constructor' },
    [protocol, 'completed'],
  ]
}

function visibility(page: Page): Promise<string> {
  return page.locator('iframe').evaluate((frame) => getComputedStyle(frame).visibility)
}
