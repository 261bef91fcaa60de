// Guarantee: what the cardholder allows is what they read and what they last chose: limits are only lowered, what the
// service returns is what stands there, and nothing can be signed while the fields say something else.
import type { Adjustment } from '@mintmark/contract/wire/surface'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Mock, startMock } from '../../../surface/dev/mock-server.ts'
import { describeInBrowser, VIEWPORTS } from './browser.ts'
import { cardholder, DIALOG_CLOSED, SENTENCE } from './cardholder.ts'
import { type Embedder, heardBy, startEmbedder } from './embedder.ts'
import { inSight, pressInSight } from './in-sight.ts'

const ALLOW = /^Allow up to /
const LIMIT = 'Limit each month, in USD'

describeInBrowser('a standing permission', (browser) => {
  let mock: Mock
  let embedder: Embedder
  let base = ''
  beforeAll(async () => {
    mock = await startMock()
    embedder = await startEmbedder()
    base = mock.base
  })
  afterAll(async () => {
    mock?.close()
    await embedder?.close()
  })

  it.concurrent('is allowed with the lowered limits, which stay in sight to the end', async () => {
    await browser.visit({}, async ({ page }) => {
      const asked = adjustments(page)
      await page.goto(`${base}/setup-registration#x`)
      await page.getByRole('button', { name: 'Create a passkey' }).click()
      await ready(page)
      expect(await read(page, '.amount')).toBe('$40.00 USD a month')
      const day = await page.evaluate(() => {
        const day = new Date(Date.now() + 100 * 86_400_000)
        const two = (part: number) => String(part).padStart(2, '0')
        return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
      })
      await openLimits(page)
      await page.getByLabel(LIMIT).fill('25')
      await page.getByLabel('End date').fill(day)
      await page.getByRole('button', { name: 'Use these limits' }).click()
      await page.getByRole('status').getByText('The limits are changed.').waitFor()
      const end = await page.evaluate((chosen) => new Date(`${chosen}T23:59:59.999`).toISOString(), day)
      // The first terms came with the passkey.
      expect(asked).toEqual([{ amount: '25.00', valid_until: end }])
      // The service's sum: what it returns is what is shown.
      expect(await read(page, '.amount')).toBe('$25.00 USD a month')
      expect(await read(page, '.sentence')).toMatch(/up to \$25\.00 each month.*ever cost you is \$100\.00\./)
      expect(await focused(page)).toBe('Change the limits')
      await ready(page)
      await page.getByRole('button', { name: ALLOW }).click()
      await page.getByRole('heading', { name: 'Allowed', exact: true }).waitFor()
      expect(await read(page, '.amount')).toBe('$25.00 USD a month')
      expect(await read(page, '.facts')).toContain('At most $100.00 USD in all')
      expect(await read(page, '.receipt')).toContain('At most $100.00 USD')
      expect(await read(page, '.screens')).toContain('Nothing was charged now.')
    })
  })

  it.concurrent('is not allowed while the fields say something else, and closing them takes it back', async () => {
    await browser.visit({}, async ({ page }) => {
      let approvals = 0
      page.on('request', (request) => {
        if (request.url().endsWith('/api/approvals')) approvals += 1
      })
      await page.goto(`${base}/setup-limits#x`)
      await ready(page)
      await openLimits(page)
      await page.getByLabel(LIMIT).fill('25')
      await page.getByText('You have changed the limits. Use them first').waitFor()
      await page.getByRole('button', { name: ALLOW }).click({ force: true })
      await openLimits(page)
      await ready(page)
      expect(approvals).toBe(0)
      await openLimits(page)
      expect(await page.getByLabel(LIMIT).inputValue()).toBe('40.00')
    })
  })

  it.concurrent('takes no higher limit and no later end; each field says what is wrong with it', async () => {
    await browser.visit({ expects: [/status of 400/] }, async ({ page }) => {
      const asked = adjustments(page)
      await page.goto(`${base}/setup-limits#x`)
      await ready(page)
      await openLimits(page)
      const send = () => page.getByRole('button', { name: 'Use these limits' }).click()
      const wrong = async (label: string, value: string, words: string) => {
        await page.getByLabel(label).fill(value)
        await send()
        const field = page.getByLabel(label)
        await page.getByRole('alert').getByText(words).waitFor()
        expect(await field.getAttribute('aria-invalid')).toBe('true')
        const ids = String(await field.getAttribute('aria-describedby')).split(' ')
        expect((await Promise.all(ids.map((id) => page.locator(`#${id}`).textContent()))).join(' ')).toContain(words)
        expect(await field.evaluate((input) => input === document.activeElement)).toBe(true)
      }
      await wrong(LIMIT, '40.01', 'it can be lowered, not raised')
      await wrong(LIMIT, '', 'Enter the limit.')
      await wrong(LIMIT, '0', 'The limit must be more than zero.')
      await wrong(LIMIT, 'much', 'Enter the limit as an amount, such as 40.00.')
      await page.getByLabel(LIMIT).fill('25')
      await wrong('End date', '2020-01-01', 'The end date must be after today.')
      await wrong('End date', '2199-01-01', 'it can be earlier, not later')
      await wrong('End date', '', 'Enter the end date.')
      expect(asked).toEqual([undefined])
    })
  })

  it.concurrent('shows at its field what only the service refuses, and what stood there can still be allowed', async () => {
    await browser.visit({ expects: [/status of 400/] }, async ({ page }) => {
      await page.goto(`${base}/setup-limits#x`)
      await ready(page)
      await page.route('**/api/approval-options', (route) =>
        route.fulfill({
          status: 400,
          json: { error: { code: 'VAL_2001', message: 'x', details: { 'adjust.amount': 'x' } } },
        }),
      )
      await openLimits(page)
      await page.getByLabel(LIMIT).fill('25')
      await page.getByRole('button', { name: 'Use these limits' }).click()
      await page.getByText('This limit was not accepted. Enter a lower one.').waitFor()
      expect(await read(page, '.amount')).toBe('$40.00 USD a month')
      await openLimits(page)
      await ready(page)
    })
  })

  it.concurrent('keeps the lowered limits when the passkey was not used at the first try', async () => {
    await browser.visit({}, async ({ page }) => {
      const asked = adjustments(page)
      await page.goto(`${base}/setup-once#x`)
      await ready(page)
      await openLimits(page)
      // Once is not each month, and has no end to choose.
      expect(await page.getByLabel('End date').count()).toBe(0)
      await page.getByLabel('Limit, in USD').fill('15')
      await page.keyboard.press('Enter')
      await page.getByRole('status').getByText('The limits are changed.').waitFor()
      await ready(page)
      // There is no passkey on this device.
      await page.getByRole('button', { name: ALLOW }).click()
      await page.getByText(DIALOG_CLOSED).waitFor()
      await ready(page)
      expect(asked).toEqual([undefined, { amount: '15.00' }])
      expect(await read(page, '.amount')).toBe('$15.00 USD once')
    })
  })

  it.concurrent('is read as it is signed, each name apart, whatever its direction', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.setViewportSize(VIEWPORTS.phone)
      await page.goto(`${base}/setup-arabic#x`)
      await ready(page)
      const name = 'بيت الشاي 24'
      for (const place of ['h1', '.party-name', '.summary .hint']) {
        expect(await page.locator(`${place} bdi`).first().textContent()).toBe(name)
      }
      expect(await read(page, 'h1')).toBe(`Allow ${name} to charge your card`)
      // The name comes first, and the sentence is not turned around by its script.
      expect(await page.locator('.sentence').getAttribute('dir')).toBe('ltr')
    })
  })

  it.concurrent('is changed and allowed with the keyboard alone', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.goto(`${base}/setup-limits#x`)
      await ready(page)
      expect(await focused(page)).toBe('Allow Tea House to charge your card')
      // Past the way to another card.
      for (const key of ['Tab', 'Tab', 'Enter', 'Tab', 'ControlOrMeta+A']) await page.keyboard.press(key)
      await page.keyboard.type('25')
      await page.keyboard.press('Enter')
      await page.getByRole('status').getByText('The limits are changed.').waitFor()
      expect(await focused(page)).toBe('Change the limits')
      await ready(page)
      for (const key of ['Tab', 'Enter']) await page.keyboard.press(key)
      // There is no passkey on this device.
      await page.getByText(DIALOG_CLOSED).waitFor()
    })
  })

  it.concurrent('is not changed while it is signed', async () => {
    await browser.visit({}, async ({ page }) => {
      const asked = adjustments(page)
      await page.goto(`${base}/setup-limits#x`)
      await page.evaluate(() => {
        CredentialsContainer.prototype.get = () => new Promise(() => {})
      })
      await ready(page)
      await openLimits(page)
      await ready(page)
      await page.getByRole('button', { name: ALLOW }).click()
      await page.getByRole('button', { name: 'Waiting for your passkey…' }).waitFor()
      const hasFocus = await page.getByLabel(LIMIT).evaluate((field) => {
        field.focus()
        return document.activeElement === field
      })
      expect(hasFocus).toBe(false)
      await page.getByLabel(LIMIT).evaluate((field) => field.closest('form')?.querySelector('button')?.focus())
      await page.keyboard.press('Enter')
      // For a question that must not come. One that takes longer goes by unseen, and nothing fails for that.
      await page.waitForTimeout(300)
      expect(asked).toEqual([undefined])
      expect(await read(page, '.sentence')).toContain('up to $40.00 each month')
    })
  })

  it.concurrent('is not allowed by terms of another kind', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.route('**/api/approval-options', async (route) => {
        const response = await route.fetch()
        const body = await response.json()
        await route.fulfill({ response, json: { ...body, terms: { ...body.terms, type: 'payment' } } })
      })
      await page.goto(`${base}/setup-approval#x`)
      await page.getByRole('heading', { name: 'That did not work' }).waitFor()
      expect(await page.getByRole('button', { name: ALLOW }).count()).toBe(0)
    })
  })

  it.concurrent('tells the page around it the same as a payment does, and nothing of its limits', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.goto(embedder.page({ url: `${base}/setup-registration#x`, host: 'localhost' }))
      const inside = page.frameLocator('iframe')
      await page.getByText('ready').first().waitFor()
      await cardholder(inside).createPasskey()
      await inside.locator(SENTENCE).waitFor()
      await pressInSight(inside, inside.getByRole('button', { name: ALLOW }))
      await inside.getByRole('heading', { name: 'Allowed', exact: true }).waitFor()
      await page.getByText('completed approved').waitFor()
      const heard = await heardBy(page)
      const steps = heard.flatMap(({ type, step }) => (type === 'change' ? [step] : []))
      expect([...new Set(steps)]).toEqual(['passkey_registration', 'approval', 'processing', 'done'])
      expect(JSON.stringify(heard)).not.toMatch(/40\.00|960|tea\.example/)
      await inside.getByText('You can go on in the page around this one.').waitFor()
    })
  })

  it.concurrent('takes the cardholder back to the merchant where it was hosted', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.context().route('https://shop.test/**', (route) => route.fulfill({ body: 'thanks' }))
      await page.goto(`${base}/setup-hosted#x`)
      await page.getByRole('button', { name: 'Return to shop.test' }).waitFor()
      await page.waitForURL('https://shop.test/thanks?session_id=x')
    })
  })

  it.concurrent('offers no change where the merchant allows none', async () => {
    await browser.visit({}, async ({ page }) => {
      await page.goto(`${base}/setup-approval#x`)
      await ready(page)
      expect(await page.getByText('Change the limits').count()).toBe(0)
    })
  })
})

/** What each request for terms carried. */
function adjustments(page: Page): (Adjustment | undefined)[] {
  const asked: (Adjustment | undefined)[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/approval-options')) asked.push(request.postDataJSON().adjust)
  })
  return asked
}

async function ready(page: Page): Promise<void> {
  await page.locator(SENTENCE).waitFor()
  await inSight(page, page.getByRole('button', { name: ALLOW }))
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent)

const openLimits = (page: Page) => page.getByText('Change the limits', { exact: true }).click()

async function read(page: Page, selector: string): Promise<string> {
  const text = await page
    .locator(selector)
    .first()
    .evaluate((element) => (element as HTMLElement).innerText)
  return text.replaceAll(/\s+/g, ' ')
}
