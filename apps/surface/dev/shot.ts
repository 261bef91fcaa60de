/** A DEVELOPMENT TOOL: one screen, and how to get to it. */
import type { Page } from 'playwright-core'

export interface Shot {
  name: string
  /** The scenario of the mock, or the whole path with what follows. */
  scenario: string
  /** Text of the heading that shows that the screen is there. */
  heading: string | RegExp | null
  before?(page: Page): Promise<unknown>
  steps?(page: Page): Promise<void>
}

export const at = (scenario: string, heading: string | RegExp, rest: Partial<Shot> = {}): Shot => ({
  name: scenario,
  scenario,
  heading,
  ...rest,
})

/**
 * Scrolls to the button that approves and waits until it works, in a small window after all else has been in sight as
 * well.
 */
export async function readyToApprove(page: Page): Promise<void> {
  await page.locator('.all').waitFor()
  const ready = page.locator('.button-approve:not(.button-waiting)')
  for (const place of ['.button-approve', '.merchant-name', '.button-approve']) {
    await page.locator(place).scrollIntoViewIfNeeded()
    if (
      await ready.waitFor({ timeout: 1_500 }).then(
        () => true,
        () => false,
      )
    )
      return
  }
  await ready.waitFor()
}
