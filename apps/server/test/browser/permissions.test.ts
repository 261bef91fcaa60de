// Guarantee: who has allowed a merchant to charge again and again stops it at a page of their own, with the passkey
// that allowed it and no one's leave; a paused permission goes on by the passkey alone; the page is for who reads it by
// ear, by keys and on a phone.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSession } from '../flows.ts'
import { mandateOfSetup, mandateRow } from '../rows/mandates.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { accessibilityProblems } from './accessibility.ts'
import { axeProblems, axeSource } from './axe.ts'
import { describeInBrowser, VIEWPORTS, type Visit } from './browser.ts'
import { open } from './cardholder.ts'
import { enlarge, textProblems } from './text-fit.ts'

const SETUP = { mandate_setup: { recurring_frequency: 'monthly' } }
const SIGN_IN = 'Continue with your passkey'

describeInBrowser('the page of permissions', (browser) => {
  let service: TestService
  let axe = ''
  beforeAll(async () => {
    axe = await axeSource()
    service = await startTestService({ env: PATIENT })
  })
  afterAll(() => service?.close())

  const addressOf = (merchantId = service.merchant.merchantId) => `${service.surfaceUrl}/permissions/${merchantId}`
  const statusOf = async (id: string) => (await mandateRow(service.pool, id)).status
  const mandateOf = async (sessionId: string): Promise<string> => (await mandateOfSetup(service.pool, sessionId)).id

  /** Allows one, and goes to the page of permissions by itself. */
  async function allowed(visit: Visit): Promise<{ tab: Page; mandateId: string }> {
    const mandateId = await allow(visit)
    const tab = await visit.context.newPage()
    await visit.equip(tab)
    await tab.goto(addressOf())
    return { tab, mandateId }
  }

  async function allow({ page }: Visit): Promise<string> {
    const session = await createSession(service.merchant, SETUP)
    const ann = await open(page, session.iframe_url)
    await ann.payAnew()
    await page.locator('[data-outcome=approved]').waitFor()
    return mandateOf(session.session_id)
  }

  /** Leaves by the link of the receipt. Nothing is routed in this tab: Playwright may not hear of its requests. */
  async function leaveByReceipt({ page, context, equip }: Visit): Promise<Page> {
    const opened = context.waitForEvent('page')
    await page.getByRole('link', { name: 'Pause or end it yourself, at any time' }).click()
    const tab = await opened
    await equip(tab)
    return tab
  }

  /** With text up to double size, in both schemes. */
  async function problemsOf(page: Page): Promise<string[]> {
    const found = await accessibilityProblems(page)
    for (const [size, colorScheme] of [
      [100, 'light'],
      [150, 'dark'],
      [200, 'light'],
      [100, 'dark'],
    ] as const) {
      await enlarge(page, size)
      await page.emulateMedia({ colorScheme })
      const problems = [...(await axeProblems(page, axe)), ...(await page.evaluate(textProblems))]
      found.push(...problems.map((problem) => `${size} %, ${colorScheme}: ${problem}`))
    }
    await enlarge(page, 100)
    await page.emulateMedia({ colorScheme: 'light' })
    return found
  }

  it.concurrent('is opened from the receipt with the passkey; there it is paused, goes on, and ends', async () => {
    await browser.visit({ expects: [/status of 4/] }, async (visit) => {
      const mandateId = await allow(visit)
      const tab = await leaveByReceipt(visit)
      expect(new URL(tab.url()).pathname).toBe(`/permissions/${service.merchant.merchantId}`)
      await visit.shoot('permissions-welcome', tab)
      expect(await problemsOf(tab)).toEqual([])
      await tab.getByRole('button', { name: SIGN_IN }).click()
      await tab.getByRole('heading', { name: 'Tea House' }).waitFor()
      await tab.getByText('Up to $40.00 each month').waitFor()
      expect(await tab.getByRole('meter').getAttribute('aria-valuetext')).toBe('$0.00 of $40.00 used')
      await visit.shoot('permissions-given', tab)
      expect(await problemsOf(tab)).toEqual([])

      await tab.getByRole('button', { name: 'Pause Tea House' }).click()
      await tab.getByRole('status').getByText('Paused.').waitFor()
      expect(await statusOf(mandateId)).toBe('paused')
      await tab.getByRole('button', { name: 'Let Tea House go on, with your passkey' }).click()
      await tab.getByRole('status').getByText('It goes on.').waitFor()
      expect(await statusOf(mandateId)).toBe('active')

      await tab.getByRole('button', { name: 'End Tea House' }).click()
      await tab.getByRole('group', { name: /^End this for good\?/ }).waitFor()
      await visit.shoot('permissions-asks', tab)
      await tab.getByRole('button', { name: 'Keep it' }).click()
      expect(await statusOf(mandateId)).toBe('active')
      await tab.getByRole('button', { name: 'End Tea House' }).click()
      await tab.getByRole('button', { name: 'Yes, end it' }).click()
      await tab.getByRole('status').getByText('Ended. Nothing more can be charged.').waitFor()
      expect(await statusOf(mandateId)).toBe('cancelled')
      await tab.getByText('1 that has ended').click()
      await tab.getByText('Ended by you or the merchant').waitFor()
      await visit.shoot('permissions-ended', tab)
      expect(await problemsOf(tab)).toEqual([])
    })
  })

  it.concurrent('shows nothing to a passkey of another merchant, nor where there is no merchant', async () => {
    const other = await service.addMerchant()
    await browser.visit({ expects: [/status of 4/] }, async (visit) => {
      const { tab } = await allowed(visit)
      await tab.goto(addressOf(other.merchantId))
      await tab.getByRole('button', { name: SIGN_IN }).click()
      await tab.getByRole('alert').getByText('This passkey has allowed nothing here.').waitFor()
      await tab.goto(addressOf('ma_nobodys'))
      await tab.getByRole('button', { name: SIGN_IN }).click()
      await tab.getByRole('alert').getByText('This address does not work.').waitFor()
      expect(await tab.getByRole('button').count()).toBe(0)
      await visit.shoot('permissions-nowhere', tab)
    })
  })

  it.concurrent('says that the time is over, and what had changed elsewhere', async () => {
    await browser.visit({ expects: [/status of 4/] }, async (visit) => {
      const { tab, mandateId } = await allowed(visit)
      await tab.getByRole('button', { name: SIGN_IN }).click()
      await tab.getByRole('button', { name: 'Pause Tea House' }).waitFor()
      expect((await service.merchant.post(`/v1/mandates/${mandateId}/pause`)).status).toBe(200)
      await tab.getByRole('button', { name: 'Pause Tea House' }).click()
      await tab.getByRole('alert').getByText('This had changed elsewhere.').waitFor()
      await tab.getByRole('button', { name: /^Let Tea House go on/ }).waitFor()
      await tab.route('**/cancel', (route) =>
        route.fulfill({ status: 401, json: { error: { code: 'AUTH_1003', message: 'Over.' } } }),
      )
      await tab.getByRole('button', { name: 'End Tea House' }).click()
      await tab.getByRole('button', { name: 'Yes, end it' }).click()
      await tab.getByRole('alert').getByText('You were here for some minutes and are signed out.').waitFor()
      await visit.shoot('permissions-over', tab)
      await tab.getByRole('button', { name: SIGN_IN }).waitFor()
      expect(await statusOf(mandateId)).toBe('paused')
    })
  })

  it.concurrent('says so when the service does not answer, and when the dialog was closed, and goes on then', async () => {
    await browser.visit({ expects: [/Failed to load/] }, async (visit) => {
      const { tab } = await allowed(visit)
      await tab.route('**/sign-in/options', (route) => route.abort())
      await tab.getByRole('button', { name: SIGN_IN }).click()
      await tab.getByRole('alert').getByText('The service did not answer.').waitFor()
      await tab.unrouteAll()
      await tab.evaluate(() => {
        navigator.credentials.get = () => Promise.reject(new DOMException('Closed.', 'NotAllowedError'))
      })
      await tab.getByRole('button', { name: SIGN_IN }).click()
      await tab.getByRole('alert').getByText('The passkey was not used.').waitFor()
      await tab.evaluate(() => Reflect.deleteProperty(navigator.credentials, 'get'))
      await tab.getByRole('button', { name: SIGN_IN }).click()
      await tab.getByRole('heading', { name: 'Tea House' }).waitFor()
    })
  })

  it.concurrent('is right on a phone and with large text, from right to left, and by keys alone', async () => {
    await browser.visit({ reads: { locale: 'ar', timezoneId: 'Europe/Berlin' } }, async (visit) => {
      const { page, context, equip } = visit
      const session = await createSession(service.merchant, { ...SETUP, locale: 'en' })
      await (await open(page, session.iframe_url)).payAnew()
      await page.locator('[data-outcome=approved]').waitFor()
      const tab = await context.newPage()
      await equip(tab)
      await tab.setViewportSize({ width: 320, height: VIEWPORTS.phone.height })
      await tab.goto(addressOf())
      expect(await tab.evaluate(() => [document.documentElement.lang, document.documentElement.dir])).toEqual([
        'ar',
        'rtl',
      ])
      await tab.getByRole('button').first().waitFor()
      await tab.keyboard.press('Tab')
      await tab.keyboard.press('Enter')
      await tab.getByRole('meter').waitFor()
      await visit.shoot('permissions-arabic', tab)
      expect(await problemsOf(tab)).toEqual([])
    })
  })

  it.concurrent('stands in no frame, and runs nothing but what was built', async () => {
    const { headers } = await fetch(addressOf())
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("default-src 'none'")
    expect(headers.get('cache-control')).toBe('no-store')
  })
})
