// Guarantee: the browser SDK hears the payment page alone, whatever else a page does; says what is wrong where it does not come up; and
// is at an end when it was told to be.
import type { Mintmark } from '@mintmark/browser'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundle } from '../../../../packages/browser/bundle.ts'
import { createSession, paymentResult, revoke } from '../flows.ts'
import { freePort } from '../processes/spawn.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser } from './browser.ts'
import { cardholder } from './cardholder.ts'
import { press } from './press.ts'
import {
  callSdk,
  type Heard,
  heardBySdk,
  holdLimits,
  type Made,
  openBySdk,
  type ShopPage,
  startShopPage,
} from './shop-page.ts'

/** What the SDK writes for who builds the page, and what the browser does. */
const TOLD = [/^Mintmark: /]

describeInBrowser('the browser SDK in a page that means it no good, or is wrong', (browser) => {
  let service: TestService
  let shop: ShopPage
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
    shop = await startShopPage(service.surfaceUrl)
    shop.script('/react.js', await bundle(new URL('./react-page.ts', import.meta.url).pathname, 'development'))
  })
  afterAll(async () => {
    await shop?.close()
    await service?.close()
  })

  const newSession = (): Promise<Made> => createSession(service.merchant, { integration_type: 'embedding' })
  const open = (page: Page, session: Made, options = {}) => openBySdk(page, service.merchant, session, options)
  const errorOf = async (page: Page) => {
    await expect.poll(async () => (await heardBySdk(page)).map(([name]) => name)).toContain('onError')
    return (await heardBySdk(page)).find(([name]) => name === 'onError')?.[1]
  }

  it('hears no message of another window, of another site, of this page, or made up; and none of another session', async () => {
    const session = await newSession()
    await browser.visit({ before: holdLimits }, async ({ page }) => {
      await page.goto(shop.url())
      await open(page, session)
      await cardholder(page.frameLocator('iframe')).heading('Pay with a card').waitFor()
      await expect.poll(async () => (await heardBySdk(page)).length).toBeGreaterThan(1)
      const before = await heardBySdk(page)
      await page.evaluate(forge, session.session_id)
      // The page itself, speaking of another session, as a frame does that was led elsewhere.
      await surfaceFrame(page).evaluate((protocol) => {
        parent.postMessage({ protocol, type: 'completed', session_id: 'x', outcome: 'approved', error_code: null }, '*')
        parent.postMessage({ protocol, type: 'completed', outcome: 'approved' }, '*')
        parent.postMessage({ protocol, type: 'resize', height: 'calc(1px)' }, '*')
        parent.postMessage(null, '*')
        // The last of them is one that is heard.
        parent.postMessage({ protocol, type: 'change', step: 'card', complete: false, brand: 'last' }, '*')
      }, 'mintmark.frame.1')
      const last = ['onChange', expect.objectContaining({ brand: 'last' })]
      await expect.poll(() => heardBySdk(page)).toContainEqual(last)
      // A change of the payment page's own may come late.
      const names = (heard: Heard) => heard.map(([name]) => name).filter((name) => name !== 'onChange')
      expect(names(await heardBySdk(page))).toEqual(names(before))
      expect(await page.locator('#place iframe').evaluate((frame) => frame.style.height)).toMatch(/^\d+px$/)
      expect((await paymentResult(service.merchant, session.session_id)).body.status).toBe('pending')
    })
  })

  it('is one at a time, over copies of the package too; and free again when it was destroyed or its frame taken away', async () => {
    const session = await newSession()
    await browser.visit({ before: holdLimits, expects: TOLD }, async ({ page }) => {
      await page.goto(shop.url({ headers: {} }))
      await open(page, session, { presentation: 'sheet' })
      await open(page, session)
      expect(await errorOf(page)).toMatchObject({ code: 'SDK_ALREADY_ACTIVE', retryable: false })
      await page.addScriptTag({ url: '/mintmark.js' })
      const second = await page.evaluate(openAnother, { key: service.merchant.publishableKey, session })
      expect(second).toBe('SDK_ALREADY_ACTIVE')
      expect(await page.locator('iframe').count()).toBe(1)

      // A framework draws the page anew: nothing stays locked, nothing is said.
      await page.evaluate(() => {
        for (const other of document.querySelectorAll('body > :not(main)')) other.remove()
      })
      await expect.poll(() => page.evaluate(() => document.documentElement.style.cssText)).toBe('')
      const { length } = await heardBySdk(page)
      await open(page, session)
      await cardholder(page.frameLocator('iframe')).heading('Pay with a card').waitFor()
      await callSdk(page, 'destroy')
      expect((await heardBySdk(page)).slice(length).map(([name]) => name)).not.toContain('onError')
    })
  })

  it('says nothing after it was destroyed, while it loads too; and lives on after a function of the page failed', async () => {
    const session = await newSession()
    await browser.visit({ before: holdLimits, expects: [/status of 4\d\d/] }, async ({ page }) => {
      await page.goto(shop.url())
      for (const presentation of ['inline', 'sheet']) {
        await open(page, session, { presentation })
        await callSdk(page, 'destroy')
        await callSdk(page, 'destroy')
      }
      expect(await heardBySdk(page)).toEqual([])
      expect(await page.locator('iframe').count()).toBe(0)
      await page.evaluate(() => {
        addEventListener('error', (event) => {
          event.preventDefault()
          document.title = event.message
        })
        const { heard } = (window as unknown as { shop: { heard: unknown[] } }).shop
        heard.push = () => {
          Reflect.deleteProperty(heard, 'push')
          throw new Error('of the shop')
        }
      })
      await open(page, session)
      const ann = cardholder(page.frameLocator('iframe'))
      await ann.heading('Pay with a card').waitFor()
      await expect.poll(async () => (await heardBySdk(page)).map(([name]) => name)).toContain('onChange')
      expect(await page.title()).toContain('of the shop')
      await callSdk(page, 'cancel')
      await expect.poll(async () => (await heardBySdk(page)).at(-1)).toEqual(['onDismiss', { reason: 'cancelled' }])
      // Nor was anything heard meanwhile of those that were destroyed: one change or more, of the one that lives.
      const others = (await heardBySdk(page)).filter(([name]) => name !== 'onChange')
      expect(others).toEqual([['onDismiss', { reason: 'cancelled' }]])
    })
  })

  it('names what keeps the page out: the policy of this page, the origin, the service, the link', async () => {
    const session = await newSession()
    const csp = "default-src 'self'; frame-src 'none'"
    await browser.visit({ expects: [...TOLD, /frame-src|Content Security Policy/] }, async ({ page }) => {
      await page.goto(shop.url({ headers: { 'content-security-policy': csp } }))
      await open(page, session, { presentation: 'sheet' })
      const error = await errorOf(page)
      expect(error).toMatchObject({ code: 'IFRAME_LOAD_ERROR', retryable: false })
      expect(error?.message).toContain(`add ${service.surfaceUrl} to frame-src`)
      expect(await page.locator('dialog').count()).toBe(0)
    })
    const elsewhere = await service.addMerchant()
    await service.app.merchants.updateMerchant(elsewhere.merchantId, { allowedOrigins: ['http://localhost:1'] })
    const theirs = await createSession(elsewhere, { integration_type: 'embedding' })
    await browser.visit({ expects: [...TOLD, /frame-ancestors/] }, async ({ page }) => {
      await page.goto(shop.url({ headers: {} }))
      await openBySdk(page, elsewhere, theirs)
      const error = await errorOf(page)
      expect(error?.message).toContain(`may not be framed by ${new URL(page.url()).origin}. Register this origin`)
    })
    const nobody = `http://localhost:${await freePort()}`
    await browser.visit({ expects: [...TOLD, /ERR_CONNECTION_REFUSED/] }, async ({ page }) => {
      await page.goto(shop.url({ headers: {} }))
      await open(page, session, { iframeUrl: session.iframe_url.replace(service.surfaceUrl, nobody) })
      expect(await errorOf(page)).toMatchObject({
        code: 'IFRAME_LOAD_ERROR',
        message: expect.stringContaining('not running'),
      })
    })
    await revoke(service.merchant, session.session_id)
    const wrong = await newSession()
    await browser.visit({ expects: [...TOLD, /status of 40\d/] }, async ({ page }) => {
      for (const [made, code] of [
        [session, 'AUTH_1004'],
        [{ ...wrong, iframe_url: wrong.iframe_url.replace(/#.*/, '#wrong') }, 'NOT_FOUND'],
      ] as const) {
        await page.goto(shop.url())
        await open(page, made)
        expect(await errorOf(page)).toMatchObject({
          code: 'SDK_INIT_ERROR',
          retryable: false,
          message: expect.stringContaining(`(${code})`),
        })
      }
    })
  })

  it('names what keeps passkeys out, and the payment goes on in a tab', async () => {
    const session = await newSession()
    await browser.visit({ expects: TOLD }, async ({ page }) => {
      await page.goto(shop.url({ headers: { 'permissions-policy': 'publickey-credentials-get=(self)' } }))
      await open(page, session)
      const error = await errorOf(page)
      expect(error).toMatchObject({ code: 'SDK_INIT_ERROR', retryable: true })
      expect(error?.message).toContain(
        `its Permissions-Policy header needs publickey-credentials-get=(self "${service.surfaceUrl}"). The cardholder`,
      )
      const ann = cardholder(page.frameLocator('iframe'))
      await ann.enterCard()
      await ann.createPasskey()
      await ann.heading('Continue in a new tab').waitFor()
    })
    await browser.visit({ expects: TOLD }, async ({ page }) => {
      const inner = shop.url({ headers: {} })
      const around = `<title>Around</title><link rel="icon" href="data:,"><iframe src="${inner}"></iframe>`
      await page.goto(shop.url({ framed: around, headers: {} }).replace('127.0.0.1', 'localhost'))
      const frame = page.frame({ url: inner })
      if (frame === null) throw new Error('no frame')
      await open(frame as unknown as Page, session)
      expect((await errorOf(frame as unknown as Page))?.message).toContain(
        'allow="publickey-credentials-get *; publickey-credentials-create *"',
      )
    })
  })

  it('refuses what is no configuration, and names it', async () => {
    const session = await newSession()
    const other = await newSession()
    const at = (change: (url: URL) => void) => {
      const url = new URL(session.iframe_url)
      change(url)
      return { iframeUrl: url.href }
    }
    const cases: [object, RegExp][] = [
      [{ onSucess: 1 }, /there is no "onSucess"/],
      [{ onReady: 'x' }, /^onReady/],
      [{ container: '#nowhere' }, /^container/],
      [{ container: '<' }, /^container/],
      [{ presentation: 'popup' }, /^presentation/],
      [{ styles: { font: 'x' } }, /^styles: there is no "font"/],
      [{ styles: { accent: 'red' } }, /^styles\.accent is a colour/],
      [{ styles: { accent: '#ffff99' } }, /^styles\.accent needs 4\.5:1 against the light page: #ffff99 is 1\.04:1\.$/],
      [
        { styles: { accentDark: '#0b6b57', scheme: 'dark' } },
        /^styles\.accentDark needs 4\.5:1 against the dark page: #0b6b57 is 2\.69:1\.$/,
      ],
      [{ styles: { radius: -1 } }, /^styles\.radius/],
      [{ styles: { scheme: 'sepia' } }, /^styles\.scheme/],
      [{ sessionToken: 'a.b.c' }, /^sessionToken is no/],
      [{ sessionToken: other.session_token }, /of different sessions/],
      [{ iframeUrl: 'x' }, /^iframeUrl is no address/],
      [at((url) => (url.hash = '')), /has lost its end/],
      [at((url) => (url.pathname = '/')), /^iframeUrl is no iframe_url/],
      [at((url) => (url.username = 'evil')), /^iframeUrl is no iframe_url/],
      [{ iframeUrl: session.iframe_url.replace('localhost', 'evil.test') }, /https/],
      [{ iframeUrl: 'javascript:alert(1)' }, /https/],
    ]
    await browser.visit({ expects: TOLD }, async ({ page }) => {
      await page.goto(shop.url())
      for (const [options] of cases) await open(page, session, options)
      const heard = await heardBySdk(page)
      expect(heard.map(([name, { code }]) => [name, code])).toEqual(cases.map(() => ['onError', 'INVALID_CONFIG']))
      for (const [index, [, words]] of cases.entries()) expect(heard[index]?.[1].message).toMatch(words)
      const keys = ['', 'sk_test_x', 'wk_live_x', 'pk_x', 7]
      const said = await page.evaluate((all) => {
        const { Mintmark: Client } = window as unknown as { Mintmark: typeof Mintmark }
        return all.map((publishableKey) => {
          try {
            new Client({ publishableKey } as { publishableKey: string })
            return ''
          } catch (error) {
            return String(error)
          }
        })
      }, keys)
      for (const words of said) expect(words).toMatch(/^MintmarkError: publishableKey/)
      expect(said[1]).toContain('revoke it')
    })
  })

  it('works as a React component, mounted twice by its strict mode, and goes when it is unmounted', async () => {
    const session = await newSession()
    await browser.visit({}, async ({ page }) => {
      await page.goto(
        shop.url({ headers: { 'content-security-policy': `script-src 'self'; frame-src ${service.surfaceUrl}` } }),
      )
      await page.addScriptTag({ url: '/react.js' })
      const given = { publishableKey: service.merchant.publishableKey, session }
      await page.evaluate((props) => (window as unknown as { show(props: unknown): void }).show(props), given)
      await cardholder(page.frameLocator('iframe')).payAnew()
      await page.getByText(`Paid with 4242 in ${session.session_id}`).waitFor()
      expect(await page.locator('iframe').count()).toBe(1)
      await press(page.getByRole('button', { name: 'Unmount' }))
      await expect.poll(() => page.locator('iframe').count()).toBe(0)
    })
  })
})

function surfaceFrame(page: Page) {
  const frame = page.frames().at(-1)
  if (frame === undefined) throw new Error('The page has no frame.')
  return frame
}

/** Runs in the page: everything that looks like the payment page's word, and is not. */
async function forge(sessionId: string): Promise<void> {
  const surface = document.querySelector('iframe')
  const protocol = 'mintmark.frame.1'
  const approved = { protocol, type: 'completed', session_id: sessionId, outcome: 'approved', error_code: null }
  const origin = new URL(surface?.src ?? '').origin
  const arrived = (from: Window) =>
    new Promise((resolve) => addEventListener('message', ({ source }) => source === from && resolve(null)))
  const own = arrived(window)
  postMessage(approved, '*')
  await own
  // A script of the page can name any window and any site.
  dispatchEvent(new MessageEvent('message', { data: approved, origin, source: surface?.contentWindow ?? null }))
  dispatchEvent(new MessageEvent('message', { data: approved, origin }))
  // Another window of the page's own site.
  const stranger = document.createElement('iframe')
  stranger.src = '/shop.css'
  document.body.append(stranger)
  await new Promise((resolve) => stranger.addEventListener('load', resolve))
  const there = stranger.contentWindow as (Window & typeof globalThis) | null
  if (there === null) throw new Error('The stranger has no window.')
  const strange = arrived(there)
  // By a text: a message of a function of this page would be this page's, whoever's timer calls it.
  there.eval(`parent.postMessage(${JSON.stringify(approved)}, '*')`)
  await strange
  stranger.remove()
}

/** Runs in the page, with a copy of the package that was loaded later. */
function openAnother({ key, session }: { key: string; session: Made }): string {
  const { Mintmark: Client } = window as unknown as { Mintmark: typeof Mintmark }
  try {
    new Client({ publishableKey: key }).collectPAN({
      sessionToken: session.session_token,
      iframeUrl: session.iframe_url,
      container: '#place',
    })
    return ''
  } catch (error) {
    return (error as { code: string }).code
  }
}
