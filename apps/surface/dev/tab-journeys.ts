/** A DEVELOPMENT TOOL: the page as a tab. */
import { addAuthenticator } from './browser.ts'
import { ensure, headed, type Journey, same } from './journey.ts'
import { typeCard } from './shots.ts'

export const TAB_JOURNEYS: Record<string, Journey> = {
  'a new customer pays: card, passkey, approval, outcome': async ({ page, surface }) => {
    await addAuthenticator(page)
    await page.goto(`${surface}/s/ma_x/card#x`)
    await typeCard(page, '4242424242424242')
    same(await page.getByLabel('Card number').inputValue(), '4242 4242 4242 4242')
    same(await page.getByLabel('Expiry date').inputValue(), '09 / 30')
    const form = await page.locator('form').elementHandle()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Create a passkey' }).click()
    const left = await form?.$$eval('input', (inputs) => inputs.map((input) => (input as { value: string }).value))
    same(left, ['', '', ''])
    await headed(page, /^Approve \$40\.00/)
    same(await page.evaluate('document.activeElement.tagName'), 'H1')
    await page.locator('.button-primary:not(.button-waiting)').click()
    await headed(page, 'Approved')
    same(
      await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])'),
      '[{},{},""]',
    )
  },

  'approve does nothing in the first half second': async ({ page, surface }) => {
    await addAuthenticator(page)
    let approvals = 0
    page.on('request', (request) => {
      if (request.url().endsWith('/api/approvals')) approvals += 1
    })
    await page.goto(`${surface}/s/ma_x/approval#x`)
    const approve = page.getByRole('button', { name: /^Approve .* with passkey$/ })
    // Without `force` the click would wait until the button works.
    await approve.click({ force: true })
    await approve.click({ force: true })
    await page.waitForTimeout(300)
    same(approvals, 0)
    await headed(page, /^Approve \$40\.00/)
  },

  'the caret stays while digits are corrected in the middle': async ({ page, surface }) => {
    await page.goto(`${surface}/s/ma_x/card#x`)
    const number = page.getByLabel('Card number')
    await number.pressSequentially('42424242')
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Backspace')
    same(await number.inputValue(), '4244 242')
    await page.keyboard.type('9')
    same(await number.inputValue(), '4249 4242')
    same(await number.evaluate((input) => (input as unknown as { selectionStart: number }).selectionStart), 4)
  },

  'a browser fills all fields in one step': async ({ page, surface }) => {
    await page.goto(`${surface}/s/ma_x/card#x`)
    await headed(page, 'Pay with a card')
    await page.evaluate(`for (const [name, value] of Object.entries({
      'card-number': '378282246310005', 'card-expiry': '2031-09', 'card-code': '1234',
    })) {
      const input = document.querySelector('[name=' + name + ']')
      input.value = value
      input.dispatchEvent(new Event('input', { bubbles: true }))
      input.dispatchEvent(new Event('change', { bubbles: true }))
    }`)
    same(await page.getByLabel('Card number').inputValue(), '3782 822463 10005')
    same(await page.getByLabel('Expiry date').inputValue(), '09 / 31')
    await page.getByRole('button', { name: 'Continue' }).click()
    await headed(page, 'Create a passkey')
  },

  'a double click sends once': async ({ page, surface }) => {
    let cards = 0
    await page.route('**/api/cards', async (route) => {
      cards += 1
      await new Promise((resolve) => setTimeout(resolve, 400))
      await route.continue()
    })
    await page.goto(`${surface}/s/ma_x/card#x`)
    await typeCard(page, '4242424242424242')
    await page.getByRole('button', { name: 'Continue' }).dblclick()
    await headed(page, 'Create a passkey')
    same(cards, 1)
  },

  'offline keeps what was typed and goes on by itself': async ({ page, surface }) => {
    await page.goto(`${surface}/s/ma_x/card#x`)
    await typeCard(page, '4242424242424242')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Continue' }).click()
    await headed(page, 'You are offline')
    same(await page.locator('[name=card-number]').inputValue(), '4242 4242 4242 4242')
    await page.context().setOffline(false)
    await headed(page, 'Create a passkey')
  },

  'an answer that was lost is not sent again': async ({ page, surface }) => {
    let cards = 0
    await page.route('**/api/cards', async (route) => {
      cards += 1
      await route.fetch()
      await route.abort()
    })
    await page.goto(`${surface}/s/ma_x/card#x`)
    await typeCard(page, '4242424242424242')
    await page.getByRole('button', { name: 'Continue' }).click()
    await headed(page, 'Create a passkey')
    same(cards, 1)
  },

  'an error shows its reference, and trying again keeps the card': async ({ page, surface }) => {
    await page.goto(`${surface}/s/ma_x/card#x`)
    await typeCard(page, '4000000000009995')
    await page.getByRole('button', { name: 'Continue' }).click()
    await headed(page, 'That did not work')
    ensure(/res_/.test((await page.locator('.reference').textContent()) ?? ''))
    await page.unroute('**/api/cards')
    await page.route('**/api/cards', (route) => route.continue({ postData: '{"card_number":"4242424242424242"}' }))
    await page.getByRole('button', { name: 'Try again' }).click()
    await headed(page, 'Create a passkey')
  },

  'a code is asked for, a wrong one is told, another card can be used': async ({ page, surface }) => {
    await page.goto(`${surface}/s/ma_x/card#x`)
    await typeCard(page, '4000000000003220')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('One-time code').fill('000000')
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('That code is not right').waitFor()
    await page.getByRole('button', { name: 'Use another card' }).click()
    await headed(page, 'Pay with a card')
  },

  'cancelling asks once more': async ({ page, surface }) => {
    await page.goto(`${surface}/s/ma_x/saved#x`)
    await page.getByRole('button', { name: 'Cancel payment' }).click()
    await page.getByRole('button', { name: 'No, go on' }).click()
    await page.getByRole('button', { name: 'Cancel payment' }).click()
    await page.getByRole('button', { name: 'Yes, cancel' }).click()
    await headed(page, 'Payment cancelled')
    same(await page.getByRole('button', { name: 'Cancel payment' }).count(), 0)
  },

  'terms the page does not understand cannot be approved': async ({ page, surface }) => {
    await page.route('**/api/approval-options', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), terms: { version: 2 } } })
    })
    await page.goto(`${surface}/s/ma_x/approval#x`)
    await headed(page, 'That did not work')
    same(await page.getByRole('button', { name: /^Approve .* with passkey$/ }).count(), 0)
  },

  'a session that ended elsewhere shows how it ended': async ({ page, surface }) => {
    const error = { error: { code: 'AUTH_1003', message: 'The session has expired.' } }
    await page.route('**/api/cards', (route) => route.fulfill({ status: 401, json: error }))
    await page.route('**/api/session', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), step: 'done', outcome: 'approved' } })
    })
    await page.goto(`${surface}/s/ma_x/card#x`)
    await typeCard(page, '4242424242424242')
    await page.getByRole('button', { name: 'Continue' }).click()
    await headed(page, 'Approved')
  },

  'time that ran out says that nothing was charged, unless the end may have been another one': async (scene) => {
    const { page, surface } = scene
    const error = { error: { code: 'AUTH_1003', message: 'The session has expired.' } }
    const expire = () => page.route('**/api/session', (route) => route.fulfill({ status: 401, json: error }))
    await page.clock.install()
    await page.goto(`${surface}/s/ma_x/expiring#x`)
    await headed(page, 'Pay with a card')
    await expire()
    await page.clock.fastForward(91_000)
    await headed(page, 'This payment has expired')
    await page.getByText('Nothing was charged.').waitFor()
    await page.unroute('**/api/session')
    await page.goto(`${surface}/s/ma_x/saved#x`)
    await headed(page, 'Choose a card')
    await expire()
    await page.clock.fastForward(16 * 60_000)
    await headed(page, 'This payment has expired')
    await page.getByText('the merchant can tell how it ended').waitFor()
  },

  'a refusal that repeats does not draw the page forever': async ({ page, surface }) => {
    let calls = 0
    const error = { error: { code: 'INVALID_STATE', message: 'The session changed meanwhile.' } }
    await page.route('**/api/approval-options', (route) => {
      calls += 1
      return route.fulfill({ status: 400, json: error })
    })
    await page.goto(`${surface}/s/ma_x/approval#x`)
    await headed(page, 'That did not work')
    same(calls, 1)
  },

  'hosted mode returns to the merchant': async ({ page, surface }) => {
    await page.route('https://shop.test/**', (route) => route.fulfill({ body: 'thanks' }))
    await page.goto(`${surface}/s/ma_x/hosted#x`)
    await headed(page, 'Approved')
    await page.waitForURL('https://shop.test/thanks?session_id=x')
  },

  'keyboard only': async ({ page, surface }) => {
    await addAuthenticator(page)
    await page.goto(`${surface}/s/ma_x/saved#x`)
    await headed(page, 'Choose a card')
    for (const key of ['Tab', 'ArrowDown', 'Tab', 'Enter']) await page.keyboard.press(key)
    await headed(page, /^Approve \$40\.00/)
    await page.goto(`${surface}/s/ma_x/registration#x`)
    await headed(page, 'Create a passkey')
    for (const key of ['Tab', 'Enter']) await page.keyboard.press(key)
    await headed(page, /^Approve \$40\.00/)
    await page.keyboard.press('Tab')
    await page.locator('.button-primary:not(.button-waiting)').waitFor()
    await page.keyboard.press('Enter')
    await headed(page, 'Approved')
  },
}
