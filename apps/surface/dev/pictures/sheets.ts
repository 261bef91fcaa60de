/** A DEVELOPMENT TOOL: the page on a phone, as a cardholder goes through it. */
import { randomUUID } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { addAuthenticator } from '../browser.ts'
import { sessionAt } from './service.ts'

export type Scheme = 'light' | 'dark'
export interface Sheets {
  payment: string[]
  permission: string[]
}

const TEA = [
  { description: 'Sencha, first flush', unit_price: '14.50', quantity: 2 },
  { description: 'Assam, second flush', unit_price: '11.90', quantity: 1 },
]
const MONTHLY = [{ description: 'Tea of the month', unit_price: '40.00', quantity: 1 }]

/** Payments of a customer, and a permission: screens as PNG, in base64. */
export async function takeSheets(browser: Browser, scheme: Scheme): Promise<Sheets> {
  const context = await browser.newContext({
    viewport: { width: 390, height: 880 },
    deviceScaleFactor: 2,
    colorScheme: scheme,
    reducedMotion: 'reduce',
    locale: 'en-US',
    timezoneId: 'America/New_York',
  })
  const page = await context.newPage()
  await addAuthenticator(page)
  const user = `ann-${randomUUID().slice(0, 8)}`
  try {
    return { payment: await pay(page, user), permission: await allow(page, user) }
  } finally {
    await context.close()
  }
}

/** The card is typed once; the next purchase is one press, and its receipt. */
async function pay(page: Page, user: string): Promise<string[]> {
  await page.goto(await sessionAt(user, TEA, { total: '40.90', external_order_ref: 'LK-1042' }))
  await typeCard(page)
  const form = await picture(page)
  await page.locator('[type=submit]').click()
  await (await ready(page)).click()
  await approved(page)
  await page.goto(await sessionAt(user, TEA, { total: '40.90', external_order_ref: 'LK-1043' }))
  await ready(page)
  const approval = await picture(page)
  await (await ready(page)).click()
  await approved(page)
  return [form, approval, await picture(page)]
}

const approved = (page: Page) => page.getByRole('heading', { name: 'approved', level: 1 }).waitFor()

async function allow(page: Page, user: string): Promise<string[]> {
  const mandate_setup = { recurring_frequency: 'monthly', max_charges: 12, adjustable: true }
  await page.goto(await sessionAt(user, MONTHLY, { total: '40.00', external_order_ref: 'LK-CLUB-7', mandate_setup }))
  await ready(page)
  const asked = await picture(page)
  await page.getByRole('group', { name: 'Allow less' }).getByRole('button', { name: '$30.00' }).click()
  await page.getByText('may charge up to $30.00 each month').waitFor()
  await ready(page)
  const lowered = await picture(page)
  await (await ready(page)).click()
  await page.getByRole('heading', { name: 'Allowed', level: 1 }).waitFor()
  return [asked, lowered, await picture(page)]
}

export async function typeCard(surface: Pick<Page, 'getByLabel'>, delay = 0): Promise<void> {
  await surface.getByLabel('Card number').pressSequentially('4242424242424242', { delay })
  await surface.getByLabel('Expiry date').pressSequentially('930', { delay })
  await surface.getByLabel('Security code').pressSequentially('123', { delay })
}

/** The button works when it has been seen, with who is paid and how much. */
export async function ready(surface: Pick<Page, 'locator'>) {
  const button = surface.locator('.button-approve:not(.button-waiting):not([aria-busy=true])')
  await button.waitFor()
  return button
}

async function picture(page: Page): Promise<string> {
  await page.evaluate(() => (document.activeElement instanceof HTMLElement ? document.activeElement.blur() : null))
  return (await page.screenshot({ animations: 'disabled' })).toString('base64')
}
