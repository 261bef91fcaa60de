import type { Page } from 'playwright-core'
import type { TestService } from '../service.ts'
import { axeProblems } from './axe.ts'
import { lookAt, VIEWPORTS, type Visit } from './browser.ts'
import { enlarge, textProblems } from './text-fit.ts'

/** A page without a session is told so with a 401, and an id of nothing with a 404. */
export const TOLD = { expects: [/status of 40[14]/] }

/** The one press that opens the console of a sandbox. */
export async function openConsole(page: Page, { consoleUrl }: Pick<TestService, 'consoleUrl'>, path = '/') {
  await page.goto(consoleUrl + path)
  await page.getByRole('button', { name: 'Open the demo account' }).click()
  await page.getByRole('navigation', { name: 'Console' }).waitFor()
}

export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
export const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()
export const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name }).click()

/** What the page does by itself every ten seconds, and at once when it is seen again. */
export const seenAgain = (page: Page) => page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange')))

/** Each screen as it is looked at: on a phone and a desk, light and dark. */
const LOOKS = [
  { name: 'desktop', viewport: VIEWPORTS.desktop, colorScheme: 'light' },
  { name: 'desktop-dark', viewport: VIEWPORTS.desktop, colorScheme: 'dark' },
  { name: 'phone', viewport: VIEWPORTS.phone, colorScheme: 'light' },
  { name: 'phone-dark', viewport: VIEWPORTS.phone, colorScheme: 'dark' },
] as const

/** What is wrong with the screen that is shown, in each look, also in a small window. */
export async function screenProblems(visit: Visit, axe: string, name: string): Promise<string[]> {
  const { page } = visit
  const found = await lookAt(visit, `console-${name}`, LOOKS)
  for (const { viewport, colorScheme } of LOOKS) {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme })
    found.push(...(await axeProblems(page, axe)))
  }
  for (const viewport of [VIEWPORTS.phone, { width: 320, height: 640 }]) {
    await page.setViewportSize(viewport)
    found.push(...(await page.evaluate(textProblems)))
  }
  await enlarge(page, 200)
  for (const viewport of [VIEWPORTS.phone, VIEWPORTS.desktop]) {
    await page.setViewportSize(viewport)
    found.push(...(await page.evaluate(textProblems)).map((problem) => `200 %: ${problem}`))
  }
  await enlarge(page, 100)
  await page.setViewportSize(VIEWPORTS.desktop)
  await page.emulateMedia({ colorScheme: 'light' })
  return found
}
