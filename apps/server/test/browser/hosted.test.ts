import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CARDS, createSession, newUser, paymentResult, revoke } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser, lookAt, type Visit } from './browser.ts'
import { DIALOG_CLOSED, fillCard, open, readyToApprove, SENTENCE } from './cardholder.ts'

const CALLBACK = 'https://shop.test/done?basket=7'
const REFUSED = [/status of 4\d\d/]

describeInBrowser('the secure surface in a tab of its own', (browser) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
  })
  afterAll(() => service?.close())

  const newSession = (changes: Record<string, unknown> = {}) =>
    createSession(service.merchant, { integration_type: 'full_checkout', ...changes })
  const statusOf = async (id: string) => (await paymentResult(service.merchant, id)).body.status as string

  it.concurrent('opens at the iframe_url as it was returned, and brings the cardholder back with the session id', async () => {
    const session = await newSession({ callback_url: CALLBACK })
    await browser.visit({}, async ({ page, context }) => {
      await serveShop(context)
      const ann = await open(page, session.iframe_url)
      await ann.payAnew()
      await ann.heading('Approved').waitFor()
      await page.waitForURL(`${CALLBACK}&session_id=${session.session_id}`)
      expect(await statusOf(session.session_id)).toBe('awaiting_result')
    })
  })

  it.concurrent('shows names as the merchant wrote them, what the total is made of, and a receipt', async () => {
    const name = 'Café Müller · بيت الشاي'
    const session = await newSession({
      total_amount: '57.80',
      external_order_ref: 'basket-7',
      purchase_context: {
        custom: {
          merchant_details: { name, url: 'https://cafe.example/menu', country_code_iso2: 'DE' },
          product_details: [{ description: 'شاي أخضر 100g', unit_price: '20.00', quantity: 2 }],
          summary: { shipping: '9.90' },
        },
      },
    })
    const rows = (page: Page, list: string) =>
      page
        .locator(`${list} > *`)
        .evaluateAll((all) =>
          all.map((row) => [...row.children].map((cell) => cell.textContent?.replaceAll('\u00a0', ' ')).join(': ')),
        )
    await browser.visit({}, async ({ page }) => {
      const ann = await open(page, session.iframe_url)
      await ann.heading('Pay with a card').waitFor()
      expect(await page.locator('.party-name').textContent()).toBe(name)
      expect(await rows(page, '.bill')).toEqual([
        'شاي أخضر 100g × 2: $40.00 USD',
        'Delivery: $9.90 USD',
        'Other charges, not listed by the merchant: $7.90 USD',
        'Total: $57.80 USD',
      ])
      await ann.enterCard()
      await ann.createPasskey()
      await page.locator(SENTENCE, { hasText: 'for up to $57.80' }).waitFor()
      const card = await page.locator('.card-fixed .card-words').innerText()
      expect(card.replaceAll('\u00a0', ' ').split('\n')).toEqual(['Visa ending in 4242', 'Mintmark keeps this card'])
      await ann.approve()
      await ann.heading('Approved').waitFor()
      expect(await page.locator('.amount-label').textContent()).toBe('Approved')
      const receipt = await rows(page, '.receipt')
      expect(receipt.toSpliced(3, 1)).toEqual([
        `Paid to: ${name} (cafe.example)`,
        'Amount: $57.80 USD',
        'Card: Visa ending in 4242',
        'Reference: basket-7',
      ])
      expect(receipt[3]).toMatch(/^Approved: [A-Z][a-z]{2} \d{1,2}, \d\d:\d\d\s[AP]M \w+/)
      await page.getByText('What happens now:').waitFor()
    })
  })

  it.concurrent('asks for the code of a card whose bank wants one', async () => {
    const session = await newSession()
    await browser.visit({ expects: REFUSED }, async ({ page }) => {
      const ann = await open(page, session.iframe_url)
      await ann.enterCard(CARDS.stepUp)
      await ann.heading('Enter the code from your bank').waitFor()
      await page.getByLabel('One-time code').fill('000000')
      await ann.button('Verify').click()
      await page.getByText('That code is not right.').waitFor()
      // The sandbox sends nothing: its page says the code.
      await page.getByText('123456', { exact: true }).waitFor()
      await page.getByLabel('One-time code').fill('123456')
      await ann.button('Verify').click()
      await ann.createPasskey()
      await ann.approve()
      await ann.heading('Approved').waitFor()
    })
  })

  it.concurrent('says in words that a card is declined, and takes another one', async () => {
    const session = await newSession()
    await browser.visit({ expects: REFUSED }, async ({ page }) => {
      const ann = await open(page, session.iframe_url)
      await ann.enterCard(CARDS.refused)
      await page.getByRole('alert').filter({ hasText: 'Your bank said no to this card.' }).waitFor()
      expect(await page.getByLabel('Card number').inputValue()).toContain('0002')
      expect(await page.getByLabel('Security code').inputValue()).toBe('')
      await ann.payAnew()
      await ann.heading('Approved').waitFor()
    })
  })

  it.concurrent('says why when the network declines the charge after the approval', async () => {
    const session = await newSession()
    await browser.visit({}, async ({ page }) => {
      const ann = await open(page, session.iframe_url)
      await ann.payAnew(CARDS.mintDeclined)
      await ann.heading('The payment did not go through').waitFor()
      await page.getByText('Your bank said no. Nothing was charged.').waitFor()
      expect(await statusOf(session.session_id)).toBe('failed')
    })
  })

  it.concurrent('cancels when asked twice, and returns', async () => {
    const session = await newSession({ callback_url: CALLBACK })
    await browser.visit({}, async ({ page, context }) => {
      await serveShop(context)
      const ann = await open(page, session.iframe_url)
      await ann.button('Cancel').click()
      await ann.button('No, go on').click()
      expect(await statusOf(session.session_id)).toBe('pending')
      await ann.button('Cancel').click()
      await ann.button('Yes, cancel').click()
      await ann.heading('Payment cancelled').waitFor()
      await page.waitForURL(/^https:\/\/shop\.test\/done/)
      const { body } = await paymentResult(service.merchant, session.session_id)
      expect(body).toMatchObject({ status: 'failed', error: { code: 'CANCELLED' } })
    })
  })

  it.concurrent('stops at the next step when the merchant has revoked the session', async () => {
    const session = await newSession()
    await browser.visit({ expects: REFUSED }, async ({ page }) => {
      const ann = await open(page, session.iframe_url)
      await ann.enterCard()
      await ann.button('Create a passkey').waitFor()
      expect((await revoke(service.merchant, session.session_id)).status).toBe(200)
      await ann.createPasskey()
      await ann.heading('The merchant withdrew this payment').waitFor()
      await page.reload()
      await ann.heading('This request was withdrawn').waitFor()
    })
  })

  it.concurrent('shows the end, and nothing to do, when a finished session is opened again', async () => {
    const session = await newSession()
    await browser.visit({}, async ({ page, context }) => {
      const ann = await open(page, session.iframe_url)
      await ann.payAnew()
      await ann.heading('Approved').waitFor()
      const tab = await context.newPage()
      const again = await open(tab, session.iframe_url)
      await again.heading('Approved').waitFor()
      expect(await tab.getByRole('button').count()).toBe(0)
      // Also for who is in another tab.
      for (const one of [page, tab]) expect(await one.title()).toMatch(/^Approved · \u2068\$40\.00\sUSD\u2069 · /)
    })
  })

  it.concurrent('opens nothing with a wrong or missing secret, nor with the page of another session', async () => {
    const [session, other] = [await newSession(), await newSession()]
    const [address = '', secret = ''] = session.iframe_url.split('#')
    const cases: [string, string][] = [
      [`${address}#${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}`, 'This link does not work'],
      [`${other.iframe_url.split('#')[0]}#${secret}`, 'This link does not work'],
      [`${address.replace(session.session_id, 'sess_nothing')}#${secret}`, 'This link does not work'],
      [address, 'This link is incomplete'],
    ]
    for (const [url, heading] of cases) {
      await browser.visit({ expects: REFUSED }, async ({ page }) => {
        const ann = await open(page, url)
        await ann.heading(heading).waitFor()
        expect(await page.getByText(/Tea House|40\.00/).count()).toBe(0)
      })
    }
  })

  it.concurrent('lets a passkey that failed be tried again', async () => {
    const session = await newSession()
    await browser.visit({}, async ({ page, authenticator }) => {
      const ann = await open(page, session.iframe_url)
      await ann.enterCard()
      await authenticator.setUserVerified(false)
      await ann.createPasskey()
      await page.getByText('The dialog closed, and no passkey was created.').waitFor()
      await authenticator.setUserVerified(true)
      await ann.createPasskey()
      await ann.heading('Approve $40.00').waitFor()
      await authenticator.setUserVerified(false)
      await ann.approve()
      await page.getByText(DIALOG_CLOSED).waitFor()
      expect(await statusOf(session.session_id)).toBe('pending')
      await authenticator.setUserVerified(true)
      await ann.approve()
      await ann.heading('Approved').waitFor()
    })
  })

  it.concurrent('shows the terms that are signed, also when another tab has chosen another card meanwhile', async () => {
    const user_id = newUser()
    await browser.visit({ expects: REFUSED }, async ({ page, context, authenticator }) => {
      // Cards belong to the passkey that approved them, so both are paid with once before.
      const first = await open(page, (await newSession({ user_id })).iframe_url)
      await first.payAnew()
      await first.heading('Approved').waitFor()
      const second = await open(page, (await newSession({ user_id })).iframe_url)
      // One who has no other saved card types one.
      await second.button('Change').click()
      await second.enterCard(CARDS.amex)
      await second.approve()
      await second.heading('Approved').waitFor()

      const session = await newSession({ user_id })
      const ann = await open(page, session.iframe_url)
      await page.locator('.card-fixed', { hasText: 'Visa ending in 4242' }).waitFor()
      await authenticator.setUserVerified(false)
      await ann.approve()
      await page.getByText(DIALOG_CLOSED).waitFor()

      const [address, secret] = session.iframe_url.split('#')
      const launched = await context.request.post(`${service.surfaceUrl}/api/launch`, {
        data: {
          merchant_id: service.merchant.merchantId,
          session_id: address?.split('/').at(-1),
          launch_secret: secret,
        },
      })
      const { session_token, view } = await launched.json()
      const other = view.cards.find((card: { card_last4: string }) => card.card_last4 === '0005')
      const headers = { authorization: `Bearer ${session_token}` }
      const data = { card_id: other.card_id }
      await context.request.post(`${service.surfaceUrl}/api/cards/select`, { headers, data })

      await authenticator.setUserVerified(true)
      // What was read is not what would be paid with: it is refused, and the other card is shown.
      await ann.approve()
      await page.locator('.card-fixed', { hasText: 'ending in 0005' }).waitFor()
      expect(await page.getByText('ending in 4242').count()).toBe(0)
      await ann.approve()
      await ann.heading('Approved').waitFor()
      const { body } = await paymentResult(service.merchant, session.session_id)
      expect(body.transactions[0].card_id).toBe(other.card_id)
    })
  })

  it.concurrent('keeps what was typed while the connection is away, and goes on by itself', async () => {
    const session = await newSession()
    await browser.visit({ expects: [/ERR_INTERNET_DISCONNECTED/] }, async ({ page, context }) => {
      const ann = await open(page, session.iframe_url)
      await ann.heading('Pay with a card').waitFor()
      await context.setOffline(true)
      await ann.enterCard()
      await ann.heading('You are offline').waitFor()
      await context.setOffline(false)
      await ann.createPasskey()
      await ann.approve()
      await ann.heading('Approved').waitFor()
    })
  })

  it.concurrent('takes no card in a browser that has no passkeys', async () => {
    const session = await newSession()
    const before = () => Reflect.deleteProperty(window, 'PublicKeyCredential')
    await browser.visit({ before }, async (visit) => {
      const ann = await open(visit.page, session.iframe_url)
      await ann.heading('This browser cannot use passkeys').waitFor()
      expect(await visit.page.getByRole('textbox').count()).toBe(0)
      expect(await lookAt(visit, 'surface-unsupported')).toEqual([])
    })
  })

  it.concurrent('can be completed with the keyboard alone, and the focus follows each screen', async () => {
    const session = await newSession()
    await browser.visit({}, async (visit) => {
      const { page } = visit
      const { keyboard } = page
      const ann = await open(page, session.iframe_url)
      await ann.heading('Pay with a card').waitFor()
      await expectFocus(page, 'Pay with a card')
      const year = (new Date().getFullYear() + 3) % 100
      for (const text of [CARDS.success, `12${year}`, '123']) {
        await keyboard.press('Tab')
        await keyboard.type(text)
      }
      await keyboard.press('Enter')
      await ann.heading('Create a passkey').waitFor()
      await expectFocus(page, 'Create a passkey')
      await keyboard.press('Tab')
      await keyboard.press('Enter')
      await ann.heading('Approve $40.00').waitFor()
      await expectFocus(page, /^Approve \$40\.00/)
      await readyToApprove(page)
      // Past the way to another card.
      for (const key of ['Tab', 'Tab', 'Enter']) await keyboard.press(key)
      await ann.heading('Approved').waitFor()
      await expectFocus(page, 'Approved')
    })
  })

  it.concurrent('says what is wrong at the field, and moves the focus there', async () => {
    const session = await newSession()
    await browser.visit({}, async ({ page }) => {
      const ann = await open(page, session.iframe_url)
      await fillCard(page, '4242424242424241')
      await ann.button('Continue').click()
      const number = page.getByLabel('Card number')
      expect(await number.getAttribute('aria-invalid')).toBe('true')
      expect(await number.evaluate((input) => input === document.activeElement)).toBe(true)
      const described = await number.evaluate((input) =>
        (input.getAttribute('aria-describedby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent),
      )
      expect(described.join('')).toMatch(/number/i)
    })
  })

  // These walk the clock of everybody's sessions, so they run alone.

  it('waits for a network that hangs, and does not ask for the approval again', async () => {
    const session = await newSession()
    await browser.visit({}, async ({ page }) => {
      const ann = await open(page, session.iframe_url)
      await ann.payAnew(CARDS.mintHangs)
      await ann.heading('Getting your payment ready').waitFor()
      await service.clock.advance(60)
      await service.runJobs()
      await ann.heading('Approved').waitFor()
    })
  })

  it('counts the last two minutes, and ends with the time', async () => {
    const session = await newSession()
    await browser.visit({ expects: REFUSED }, async ({ page }) => {
      await page.clock.install()
      const ann = await open(page, session.iframe_url)
      await ann.heading('Pay with a card').waitFor()
      expect(await page.getByRole('timer').count()).toBe(0)
      // Not to the last minute: a busy machine may have taken some of it.
      await page.clock.fastForward(13 * 60_000 + 5_000)
      await page
        .getByRole('timer')
        .filter({ hasText: /[01]:[0-5]\d/ })
        .waitFor()
      await service.merchant.post('/v1/test_helpers/clock/advance', { seconds: 16 * 60 })
      await page.clock.fastForward(3 * 60_000)
      await ann.heading('This payment has expired').waitFor()
    })
    await browser.visit({ expects: REFUSED }, async (visit) => {
      const ann = await open(visit.page, session.iframe_url)
      await ann.heading('This link has expired').waitFor()
      expect(await lookAt(visit, 'surface-expired')).toEqual([])
    })
  })
})

/** The merchant's page, so that nothing leaves this machine. */
async function serveShop(context: Visit['context']): Promise<void> {
  const body = '<!doctype html><title>Shop</title><link rel="icon" href="data:,">'
  await context.route('https://shop.test/**', (route) => route.fulfill({ contentType: 'text/html', body }))
}

async function expectFocus(page: Page, text: string | RegExp): Promise<void> {
  const focused = await page.evaluate(() => document.activeElement?.textContent ?? '')
  if (text instanceof RegExp) expect(focused).toMatch(text)
  else expect(focused).toBe(text)
}
