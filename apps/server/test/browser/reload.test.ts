// Guarantee: once launched, no address holds the launch secret, but in a browser that can only hand it on; and a reload at any step goes
// on where the person was.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CARDS, complete, createSession, revoke } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser } from './browser.ts'
import { cardholder, fillCard } from './cardholder.ts'
import { type Embedder, startEmbedder } from './embedder.ts'
import { press } from './press.ts'

const REFUSED = [/status of 4\d\d/]

const STRANGE_STATES = [
  ...[null, 0, true, 'ey.ey.x', [], {}],
  ...[{ sessionToken: null }, { sessionToken: ['ey.ey.x'] }, { launchSecret: 'x'.repeat(43) }],
]

interface Step {
  name: string
  done?: Record<string, unknown>
  heading: string | RegExp
}

describeInBrowser('the secure surface, loaded again', (browser) => {
  let service: TestService
  let embedder: Embedder
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
    embedder = await startEmbedder()
  })
  afterAll(async () => {
    await embedder?.close()
    await service?.close()
  })

  const newSession = (changes: Record<string, unknown> = {}) => createSession(service.merchant, changes)
  const cleanAddress = (url: string) => url.replace(/#.*/, '')

  const steps: Step[] = [
    { name: 'card', heading: 'Pay with a card' },
    {
      name: 'card_verification',
      done: { card_number: CARDS.stepUp, stop_after: 'card' },
      heading: 'Enter the code from your bank',
    },
    { name: 'passkey_registration', done: { stop_after: 'card' }, heading: 'Create a passkey' },
    { name: 'approval', done: { stop_after: 'passkey' }, heading: /^Approve \$40\.00/ },
    { name: 'processing', done: { card_number: CARDS.mintHangs }, heading: /Getting your payment/ },
    { name: 'done, approved', done: {}, heading: 'Approved' },
    { name: 'done, failed', done: { card_number: CARDS.mintDeclined }, heading: /did not go through/ },
  ]
  for (const step of steps) {
    it.concurrent(`goes on at the step ${step.name}`, async () => {
      const session = await newSession()
      if (step.done !== undefined) await complete(service.merchant, session.session_id, step.done)
      await browser.visit({}, async ({ page }) => {
        const launches = countLaunches(page)
        await page.goto(session.iframe_url)
        const ann = cardholder(page)
        for (const _ of ['first', 'again', 'and again']) {
          await ann.heading(step.heading).waitFor()
          expect(page.url()).toBe(cleanAddress(session.iframe_url))
          await page.reload()
        }
        await ann.heading(step.heading).waitFor()
        expect(launches()).toBe(1)
      })
    })
  }

  it.concurrent('can pay after a reload between any two steps', async () => {
    const session = await newSession()
    await browser.visit({}, async ({ page }) => {
      const launches = countLaunches(page)
      await page.goto(session.iframe_url)
      const ann = cardholder(page)
      await ann.heading('Pay with a card').waitFor()
      await page.reload()
      await fillCard(page, CARDS.success)
      await ann.button('Continue').click()
      await ann.heading('Create a passkey').waitFor()
      await page.reload()
      await ann.createPasskey()
      await ann.heading(/^Approve/).waitFor()
      await page.reload()
      await ann.approve()
      await ann.heading('Approved').waitFor()
      await page.reload()
      await ann.heading('Approved').waitFor()
      await page.getByText('Visa ending in').waitFor()
      expect(launches()).toBe(1)
    })
  })

  it.concurrent('does not open the payment by Back with a secret in the address', async () => {
    const session = await newSession({ integration_type: 'full_checkout', callback_url: 'https://shop.test/done' })
    await browser.visit({}, async ({ page, context }) => {
      await context.route('https://shop.test/**', (route) =>
        route.fulfill({
          contentType: 'text/html',
          body: '<!doctype html><link rel="icon" href="data:,"><h1>Shop</h1>',
        }),
      )
      await page.goto('https://shop.test/cart')
      await page.goto(session.iframe_url)
      const ann = cardholder(page)
      await ann.heading('Pay with a card').waitFor()
      // Away and back: the same step, by the address without the secret.
      await page.goto('https://shop.test/other')
      await page.goBack()
      await ann.heading('Pay with a card').waitFor()
      expect(page.url()).toBe(cleanAddress(session.iframe_url))
      await ann.payAnew()
      await page.waitForURL('https://shop.test/done?**')
      await page.goBack()
      expect(page.url()).toBe('https://shop.test/cart')
    })
  })

  it.concurrent('follows the same link when it is opened again in the same tab', async ({ expect }) => {
    const session = await newSession()
    await browser.visit({}, async ({ page }) => {
      const launches = countLaunches(page)
      await page.goto(session.iframe_url)
      await cardholder(page).heading('Pay with a card').waitFor()
      await page.evaluate((url) => location.assign(url), session.iframe_url)
      await expect.poll(launches).toBe(2)
      await cardholder(page).heading('Pay with a card').waitFor()
      expect(page.url()).toBe(cleanAddress(session.iframe_url))
    })
  })

  it.concurrent('is of no use once the session was withdrawn, and keeps nothing then', async () => {
    const session = await newSession()
    await browser.visit({ expects: REFUSED }, async ({ page }) => {
      await page.goto(session.iframe_url)
      const ann = cardholder(page)
      await ann.heading('Pay with a card').waitFor()
      await revoke(service.merchant, session.session_id)
      await page.reload()
      await ann.heading('This request was withdrawn').waitFor()
    })
  })

  it.concurrent('takes no token that another page has left there', async () => {
    const session = await newSession()
    await browser.visit({ expects: REFUSED }, async ({ page }) => {
      await page.goto(session.iframe_url)
      const ann = cardholder(page)
      await ann.heading('Pay with a card').waitFor()
      await page.evaluate(() => history.replaceState({ sessionToken: 'ey.ey.x', launchSecret: null }, ''))
      await page.reload()
      await ann.heading('This link does not work').waitFor()
      expect(await page.evaluate(() => history.state)).toBeNull()
      await page.reload()
      await ann.heading('This link is incomplete').waitFor()
    })
  })

  // Another page of the same origin could leave them, and an extension: there is nothing to go on with, and nothing breaks.
  it.concurrent('begins nothing with any other value that may stand there', async () => {
    const session = await newSession()
    await browser.visit({ expects: REFUSED }, async ({ page }) => {
      const launches = countLaunches(page)
      await page.goto(session.iframe_url)
      const ann = cardholder(page)
      await ann.heading('Pay with a card').waitFor()
      const asked: string[] = []
      page.on('request', (request) => request.url().includes('/api/') && asked.push(request.url()))
      for (const state of STRANGE_STATES) {
        await page.evaluate((value) => history.replaceState(value, ''), state)
        await page.reload()
        await ann.heading('This link is incomplete').waitFor()
      }
      expect(asked).toEqual([])
      expect(launches()).toBe(1)
    })
  })

  it.concurrent('hands the whole link on in a browser that has no passkeys, until the session is over', async () => {
    const session = await newSession()
    const before = () => Reflect.deleteProperty(window, 'PublicKeyCredential')
    await browser.visit({ before, expects: REFUSED }, async ({ page }) => {
      await page.goto(session.iframe_url)
      const ann = cardholder(page)
      const unable = ann.heading('This browser cannot use passkeys')
      await unable.waitFor()
      // What "open in browser" takes along.
      expect(page.url()).toBe(session.iframe_url)
      await page.reload()
      await unable.waitFor()
      expect(page.url()).toBe(session.iframe_url)
      await browser.visit({}, async (other) => {
        await other.page.goto(page.url())
        const there = cardholder(other.page)
        await there.payAnew()
        await there.heading('Approved').waitFor()
        expect(other.page.url()).not.toContain('#')
      })
      await page.reload()
      await ann.heading('Approved').waitFor()
      expect(page.url()).not.toContain('#')
      expect(await page.evaluate(() => history.state.launchSecret)).toBeNull()
    })
  })

  it.concurrent('still leads from a frame without passkeys to a tab of its own', async () => {
    const session = await newSession()
    await complete(service.merchant, session.session_id, { stop_after: 'card' })
    await browser.visit({}, async ({ page, context, equip }) => {
      await page.goto(embedder.page({ url: session.iframe_url, allow: '' }))
      const ann = cardholder(page.frameLocator('iframe'))
      await ann.heading('Continue in a new tab').waitFor()
      const [, frame] = page.frames()
      const loaded = page.waitForEvent('framenavigated', (one) => one === frame)
      await frame?.evaluate(() => location.reload())
      await loaded
      const opened = context.waitForEvent('page')
      await press(ann.surface.getByRole('link', { name: 'Continue in a new tab' }))
      const tab = await opened
      await equip(tab)
      const there = cardholder(tab)
      await there.createPasskey()
      expect(tab.url()).toBe(cleanAddress(session.iframe_url))
      await there.approve()
      await there.heading('Approved').waitFor()
      await ann.heading('Approved').waitFor()
    })
  })
})

/** How often the launch secret was sent. */
function countLaunches(page: Page): () => number {
  let count = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/api/launch')) count += 1
  })
  return () => count
}
