// Guarantee: where the cardholder cannot go on, the page says why and who can help, and offers no try that cannot help; an end that
// was told stays, whatever comes late.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Mock, startMock } from '../../../surface/dev/mock-server.ts'
import { createSession } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser, lookAt } from './browser.ts'
import { cardholder } from './cardholder.ts'
import { holdRequests } from './held.ts'

describeInBrowser('what cardholders are told', (browser) => {
  let mock: Mock
  let base = ''
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
    mock = await startMock()
    base = mock.base
  })
  afterAll(async () => {
    mock?.close()
    await service?.close()
  })

  it('a merchant whose account is suspended takes no payments', async () => {
    const merchant = await service.addMerchant()
    const session = await createSession(merchant)
    await browser.visit({ expects: [/status of 500/] }, async (visit) => {
      const { page } = visit
      await page.goto(session.iframe_url)
      const ann = cardholder(page)
      await ann.heading('Pay with a card').waitFor()
      await service.app.merchants.updateMerchant(merchant.merchantId, { status: 'suspended' })
      for (const again of [
        () => ann.enterCard(),
        () => page.goto('about:blank'),
        () => page.goto(session.iframe_url),
      ]) {
        await again()
        if (page.url() === 'about:blank') continue
        await page.getByText('This merchant takes no payments at the moment.').waitFor()
        expect(await ann.button('Try again').count()).toBe(0)
      }
      expect(await lookAt(visit, 'suspended')).toEqual([])
    })
  })

  it.each([
    ['the terms', 200, null],
    ['that the time is over', 401, 'AUTH_1003'],
    ['that it moved on', 400, 'INVALID_STATE'],
    ['that there were too many tries', 429, 'RATE_LIMITED'],
    ['that something broke', 500, 'INTERNAL_ERROR'],
    ['nothing', null, null],
  ])('cancelled stays cancelled, also when a call of before brings %s', async (_, status, code) => {
    await browser.visit({ expects: [/status of [45]\d\d/, /ERR_FAILED/] }, async ({ page }) => {
      const answer = await holdRequests(page, '**/api/approval-options', async (route) => {
        if (status === null) await route.abort()
        else if (code === null) await route.continue()
        else await route.fulfill({ status, json: { error: { code, message: 'x' } } })
      })
      await page.goto(`${base}/approval#x`)
      const ann = cardholder(page)
      await ann.button('Cancel').click()
      await ann.button('Yes, cancel').click()
      await ann.heading('Payment cancelled').waitFor()
      const late = status === null ? page.waitForEvent('requestfailed') : page.waitForEvent('requestfinished')
      answer()
      await late
      // For what the page might make of it. One that takes longer goes by unseen, and nothing fails for that.
      await page.waitForTimeout(300)
      expect(await ann.heading('Payment cancelled').isVisible()).toBe(true)
      expect(await page.locator('.amount-label').textContent()).toBe('Not charged')
    })
  })

  it('how much time is left, also by a timer that comes late, and not each second', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.clock.install()
      // The page's clock stands still but for what this test lets pass.
      await page.clock.pauseAt(Date.now() + 60_000)
      await page.addInitScript(() => {
        const said: string[] = []
        Object.assign(window, { said })
        new MutationObserver(() => {
          const words = document.querySelector('.visually-hidden[role=status]')?.textContent ?? ''
          if (/left to approve/.test(words) && said.at(-1) !== words) said.push(words)
        }).observe(document, { subtree: true, childList: true, characterData: true })
      })
      const said = () => page.evaluate(() => (window as unknown as { said: string[] }).said.map(Number.parseFloat))
      await page.goto(`${base}/expiring#x`)
      await page.getByRole('timer').waitFor()
      await expect.poll(said).toHaveLength(1)
      // Over 30 seconds, and all that a timer of each second would have said.
      await page.clock.fastForward(62_000)
      await expect.poll(said).toHaveLength(2)
      // All that these would have said is said when it returns.
      await page.clock.runFor(3_000)
      expect(await said()).toEqual([90, 28])
    })
  })

  it('that nothing was charged when the time is over, and where to ask for the end that the page cannot know', async () => {
    await browser.visit({ expects: [/status of 401/] }, async ({ page }) => {
      const json = { error: { code: 'AUTH_1003', message: 'x' } }
      await page.clock.install()
      for (const [scene, seconds, words] of [
        ['expiring', 91, 'Nothing was charged.'],
        ['saved', 16 * 60, 'ask where you got the link how it ended'],
      ] as const) {
        await page.goto('about:blank')
        await page.goto(`${base}/${scene}#x`)
        await page.getByText('Cancel').waitFor()
        await page.route('**/api/session', (route) => route.fulfill({ status: 401, json }))
        await page.clock.fastForward(seconds * 1_000)
        await cardholder(page).heading('This payment has expired').waitFor()
        await page.getByText(words).waitFor()
        await page.unroute('**/api/session')
      }
    })
  })

  it('that it did not work, after one refusal that the session has moved on although it has not', async () => {
    await browser.visit({ expects: [/status of 400/] }, async ({ page }) => {
      let asked = 0
      await page.route('**/api/approval-options', (route) => {
        asked += 1
        return route.fulfill({ status: 400, json: { error: { code: 'INVALID_STATE', message: 'x' } } })
      })
      await page.goto(`${base}/approval#x`)
      await cardholder(page).heading('That did not work').waitFor()
      expect(asked).toBe(1)
    })
  })

  it('that it is too late to cancel, and the keyboard keeps its place', async () => {
    await browser.visit({ expects: [/status of 400/] }, async ({ page }) => {
      await page.route('**/api/cancel', (route) =>
        route.fulfill({ status: 400, json: { error: { code: 'INVALID_STATE', message: 'x' } } }),
      )
      await page.goto(`${base}/card#x`)
      const ann = cardholder(page)
      await ann.button('Cancel').focus()
      await page.keyboard.press('Enter')
      await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Enter')
      await page.getByText('It is too late to cancel.').waitFor()
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel')
    })
  })

  it('that they are offline, once: the keyboard keeps its place while the page tries again by itself', async () => {
    await browser.visit({ expects: [/DISCONNECTED/] }, async ({ page, context }) => {
      await page.goto(`${base}/card#x`)
      const ann = cardholder(page)
      const title = ann.heading('You are offline')
      const focused = () => page.evaluate(() => document.activeElement?.textContent)
      /** A try that fails takes the screen away and brings it back. */
      const afterTry = async (act?: () => Promise<void>) => {
        const before = await title.elementHandle()
        await act?.()
        await page.waitForFunction((heading) => !heading?.isConnected, before)
        await title.waitFor()
        return focused()
      }
      await context.setOffline(true)
      await ann.enterCard()
      await title.waitFor()
      expect(await focused()).toBe('You are offline')
      await page.keyboard.press('Tab')
      expect(await afterTry()).toBe('Try now')
      expect(await afterTry(() => page.keyboard.press('Enter'))).toBe('You are offline')
      await ann.button('Cancel').focus()
      await page.keyboard.press('Enter')
      expect(await afterTry()).toBe('No, go on')
      await context.setOffline(false)
      await ann.heading('Create a passkey').waitFor()
    })
  })

  it.each([
    ['card', 'CARD_REFUSED', 'CVV_MISMATCH', 'Security code'],
    ['card', 'CARD_REFUSED', 'CARD_EXPIRED', 'Expiry date'],
    ['cvv', 'CARD_REFUSED', 'CVV_MISMATCH', 'Security code'],
    ['verification', 'STEP_UP_INVALID', null, 'One-time code'],
  ])('at the step %s, which field %s %s is about', async (step, code, reason, label) => {
    await browser.visit({ expects: [/status of 400/] }, async ({ page }) => {
      const error = { code, message: 'x', ...(reason && { details: { reason } }) }
      await page.route(/api\/cards/, (route) => route.fulfill({ status: 400, json: { error } }))
      await page.goto(`${base}/${step}#x`)
      if (step === 'card') await cardholder(page).enterCard()
      else await page.getByLabel(label).pressSequentially('1234\n')
      await page.locator('.form > .alert:not([hidden])').waitFor()
      const invalid = await page.locator('[aria-invalid=true]').elementHandles()
      expect(invalid).toHaveLength(1)
      const field = page.getByLabel(label)
      expect(await field.getAttribute('aria-invalid')).toBe('true')
      expect(await field.evaluate((input) => input === document.activeElement)).toBe(true)
      // A wrong security code is typed again; the number stays.
      if (step !== 'verification')
        expect(await page.getByLabel('Security code').inputValue()).toBe(reason === 'CVV_MISMATCH' ? '' : '123')
      if (step === 'card') expect(await page.getByLabel('Card number').inputValue()).toBe('4242 4242 4242 4242')
    })
  })
})
