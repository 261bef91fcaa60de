// Guarantee: a passkey dialog that closed is no fault and no screen of its own: the sheet stays, says that nothing was approved and who can help, and
// its button, in sight beside the sentence, works at once. The embedding page hears it.
import type { Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Mock, startMock } from '../../../surface/dev/mock-server.ts'
import { LOOKS, openScene } from '../../../surface/dev/scenes.ts'
import { createSession } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser } from './browser.ts'
import { cardholder, DIALOG_CLOSED } from './cardholder.ts'
import { type Embedder, heardBy, startEmbedder } from './embedder.ts'

const ELSEWHERE = 'If your passkey is on another device'
const LOST = 'If you no longer have your passkey, ask the merchant: they can let you create a new one.'
const SHEETS = ['approval-closed', 'approval-closed-branded', 'setup-closed']

/** The next dialog neither opens nor ends. */
const holdDialog = (page: Page | Frame) =>
  page.evaluate(() => {
    CredentialsContainer.prototype.get = () => new Promise(() => {})
  })

describeInBrowser('a passkey dialog that closed', (browser) => {
  let mock: Mock
  let service: TestService
  let embedder: Embedder
  beforeAll(async () => {
    mock = await startMock()
    service = await startTestService({ env: PATIENT })
    embedder = await startEmbedder()
  })
  afterAll(async () => {
    mock?.close()
    await embedder?.close()
    await service?.close()
  })

  it('leaves the sheet as it is, says so above the button, and who can help; pressed again, it says so no more', async () => {
    await browser.visit({}, async ({ page }) => {
      let asked = 0
      page.on('request', (request) => {
        if (request.url().endsWith('/api/approval-options')) asked += 1
      })
      await openScene(page, mock.base, 'approval-closed')
      const line = page.locator('.closed[role=status]')
      expect(await line.textContent()).toContain(DIALOG_CLOSED)
      expect(asked).toBe(1)
      // In the order in which it is read.
      const order = await page.locator('.act > *').evaluateAll((all) => all.map(({ className }) => className))
      expect(order.slice(0, 3)).toEqual(['sentence', 'closed', 'button button-primary'])
      expect(await page.getByText(LOST).isVisible()).toBe(false)
      await page.getByText('Trouble with your passkey?').click()
      for (const words of [ELSEWHERE, LOST]) expect(await page.getByText(words).isVisible()).toBe(true)
      await holdDialog(page)
      const ann = cardholder(page)
      await ann.approve()
      await ann.button('Waiting for your passkey…').waitFor()
      expect(await line.textContent()).toBe('')
      expect(await page.getByText(LOST).isVisible()).toBe(false)
      expect(asked).toBe(1)
    })
  })

  it('leaves all that is approved in sight together, on a small phone too', async () => {
    await browser.visit({}, async ({ page }) => {
      for (const { viewport } of [LOOKS.phone, LOOKS.low, LOOKS.side]) {
        await page.setViewportSize(viewport)
        for (const name of SHEETS) {
          await page.goto('about:blank')
          await openScene(page, mock.base, name)
          const heights = await page.evaluate(() => {
            const box = (place: string) => document.querySelector(place)?.getBoundingClientRect()
            return { top: box('.sentence')?.top ?? -1, bottom: box('.button-primary')?.bottom ?? Number.NaN }
          })
          expect(heights.top, `${name} at ${viewport.height}`).toBeGreaterThanOrEqual(0)
          expect(heights.bottom, `${name} at ${viewport.height}`).toBeLessThanOrEqual(viewport.height)
        }
      }
    })
  })

  it('says nothing of a lost passkey while the first is created', async () => {
    await browser.visit({}, async ({ page }) => {
      await openScene(page, mock.base, 'registration-closed')
      expect(await page.getByText(LOST).count()).toBe(0)
      expect(await cardholder(page).button('Try again').count()).toBe(0)
    })
  })

  it('in a frame is told to the page around it, and can be opened again', async () => {
    const { iframe_url } = await createSession(service.merchant, { integration_type: 'embedding' })
    await browser.visit({}, async ({ page }) => {
      await page.goto(embedder.page({ url: iframe_url }))
      const ann = cardholder(page.frameLocator('iframe'))
      await ann.enterCard()
      await ann.heading('Create a passkey').waitFor()
      const frame = page.frames()[1]
      await frame?.evaluate(() => {
        const create = navigator.credentials.create.bind(navigator.credentials)
        CredentialsContainer.prototype.create = async () => {
          CredentialsContainer.prototype.create = create
          // Longer than what is a refusal by policy.
          await new Promise((resolve) => setTimeout(resolve, 300))
          throw new DOMException('x', 'NotAllowedError')
        }
      })
      await ann.createPasskey()
      await ann.surface.getByText('no passkey was created').waitFor()
      await page.getByText('error PASSKEY_FAILED').waitFor()
      const told = (await heardBy(page)).find(({ type }) => type === 'error')
      expect(told).toMatchObject({ code: 'PASSKEY_FAILED', retryable: true })
      await ann.createPasskey()
      await ann.approve()
      await page.getByText('completed approved').waitFor()
    })
  })
})
