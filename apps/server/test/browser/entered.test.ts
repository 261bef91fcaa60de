// Guarantee: what is entered stands as the person or the browser meant it, is sent once whatever becomes of the answer, and is
// left in no field once it was taken.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Mock, startMock } from '../../../surface/dev/mock-server.ts'
import { typeCard } from '../../../surface/dev/scenes.ts'
import { describeInBrowser } from './browser.ts'
import { cardholder } from './cardholder.ts'
import { holdRequests } from './held.ts'

describeInBrowser('what is entered', (browser) => {
  let mock: Mock
  let card = ''
  beforeAll(async () => {
    mock = await startMock()
    card = `${mock.base}/card#x`
  })
  afterAll(() => mock?.close())

  it.concurrent('keeps the caret where digits are corrected in the middle', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.goto(card)
      const number = page.getByLabel('Card number')
      await number.pressSequentially('42424242')
      for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowLeft')
      await page.keyboard.press('Backspace')
      expect(await number.inputValue()).toBe('4244 242')
      await page.keyboard.type('9')
      expect(await number.inputValue()).toBe('4249 4242')
      expect(await number.evaluate((input) => (input as HTMLInputElement).selectionStart)).toBe(4)
    })
  })

  it.concurrent('digits of another script count, also where an input method writes them', async () => {
    await browser.visit({}, async ({ page, context }) => {
      const sent = cardsSent(page)
      await page.goto(card)
      const number = page.getByLabel('Card number')
      await number.focus()
      const devtools = await context.newCDPSession(page)
      const typed = '４２４２４２４２４２４２４２４２'
      await devtools.send('Input.imeSetComposition', { text: typed, selectionStart: 16, selectionEnd: 16 })
      expect(await number.inputValue()).toBe(typed)
      await page.keyboard.press('Tab')
      expect(await number.inputValue()).toBe('4242 4242 4242 4242')
      await page.getByLabel('Expiry date').fill('١٢/٣٠')
      await page.getByLabel('Security code').fill('१२३')
      await cardholder(page).button('Continue').click()
      await cardholder(page).heading('Create a passkey').waitFor()
      expect(sent).toEqual([{ card_number: '4242424242424242', expiry_month: '12', expiry_year: '2030', cvv: '123' }])
    })
  })

  it.concurrent('is read as a browser fills it in, all fields in one step, the date as a month', async () => {
    await browser.visit({}, async ({ page }) => {
      const sent = cardsSent(page)
      await page.goto(card)
      await cardholder(page).heading('Pay with a card').waitFor()
      await page.evaluate(() => {
        const saved = { 'card-number': '378282246310005', 'card-expiry': '2031-09', 'card-code': '1234' }
        for (const [name, value] of Object.entries(saved)) {
          const input = document.querySelector<HTMLInputElement>(`[name=${name}]`)
          if (input === null) continue
          input.value = value
          // A browser that fills in names no kind of input, because no key was pressed.
          input.dispatchEvent(new Event('input', { bubbles: true }))
        }
      })
      expect(await page.getByLabel('Card number').inputValue()).toBe('3782 822463 10005')
      expect(await page.getByLabel('Expiry date').inputValue()).toBe('09 / 31')
      await cardholder(page).button('Continue').click()
      await cardholder(page).heading('Create a passkey').waitFor()
      expect(sent).toEqual([{ card_number: '378282246310005', expiry_month: '09', expiry_year: '2031', cvv: '1234' }])
    })
  })

  it.concurrent('is sent once by two presses, and is left in no field once it was taken', async () => {
    await browser.visit({}, async ({ page }) => {
      const answer = await holdRequests(page, '**/api/cards')
      const sent = cardsSent(page)
      await page.goto(card)
      await typeCard(page)
      const form = await page.locator('form').elementHandle()
      const entered = () =>
        form?.$$eval('input:not([type=checkbox])', (inputs) => inputs.map((input) => (input as HTMLInputElement).value))
      expect(await entered()).toEqual(['4242 4242 4242 4242', '09 / 30', '123'])
      await cardholder(page).button('Continue').dblclick()
      answer()
      await cardholder(page).heading('Create a passkey').waitFor()
      expect(sent).toHaveLength(1)
      expect(await entered()).toEqual(['', '', ''])
    })
  })

  it.concurrent('is not sent again where only the answer was lost', async () => {
    await browser.visit({ expects: [/ERR_FAILED/] }, async ({ page }) => {
      const sent = cardsSent(page)
      await page.route('**/api/cards', async (route) => {
        await route.fetch()
        await route.abort()
      })
      await page.goto(card)
      await typeCard(page)
      await cardholder(page).button('Continue').click()
      await cardholder(page).heading('Create a passkey').waitFor()
      expect(sent).toHaveLength(1)
    })
  })

  it.concurrent('is sent again as it was typed, after an error whose reference the page shows', async () => {
    await browser.visit({ expects: [/status of 503/] }, async ({ page }) => {
      const sent = cardsSent(page)
      const json = { error: { code: 'NETWORK_UNAVAILABLE', message: 'x' } }
      const refusal = { status: 503, headers: { 'x-response-id': 'res_1' }, json }
      await page.route('**/api/cards', (route) => route.fulfill(refusal), { times: 1 })
      await page.goto(card)
      await typeCard(page)
      await cardholder(page).button('Continue').click()
      await cardholder(page).heading('That did not work').waitFor()
      expect(await page.locator('.reference').textContent()).toContain('res_1')
      await cardholder(page).button('Try again').click()
      await cardholder(page).heading('Create a passkey').waitFor()
      expect(sent).toHaveLength(2)
      expect(sent[1]).toEqual(sent[0])
    })
  })
})

/** Every card that the page sends, from now on. */
function cardsSent(page: Page): unknown[] {
  const sent: unknown[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/cards')) sent.push(request.postDataJSON())
  })
  return sent
}
