/** A DEVELOPMENT TOOL: the screens of setting up a standing permission. */
import type { Page } from 'playwright-core'
import { at, readyToApprove, type Shot } from './shot.ts'

const ALLOW = /^Allow .* to charge your card$/

export async function openLimits(page: Page): Promise<void> {
  await page.getByText('Change the limits', { exact: true }).click()
}

export const SETUP_SHOTS: Shot[] = [
  at('setup-card', 'Enter the card that may be charged'),
  at('setup-card', 'Enter the card that may be charged', {
    name: 'setup-cancel-question',
    steps: (page) => page.getByRole('button', { name: 'Not now' }).click(),
  }),
  at('setup-saved', ALLOW, { steps: readyToApprove }),
  at('setup-registration', 'Create a passkey'),
  ...['approval', 'any', 'times', 'once', 'yen', 'arabic'].map((name) =>
    at(`setup-${name}`, ALLOW, { steps: readyToApprove }),
  ),
  at('setup-limits', ALLOW, { steps: openLimits }),
  at('setup-long', ALLOW, { steps: openLimits }),
  at('setup-long', ALLOW, {
    name: 'setup-long-wrong',
    async steps(page) {
      await openLimits(page)
      await page.getByLabel('Limit each month, in USD').fill('1000000000')
      await page.keyboard.press('Enter')
      await page.getByText('it can be lowered, not raised').waitFor()
    },
  }),
  at('setup-limits', ALLOW, {
    name: 'setup-limits-wrong',
    async steps(page) {
      await openLimits(page)
      await page.getByLabel('Limit each month, in USD').fill('50')
      await page.getByLabel('End date').fill('2020-01-01')
      await page.getByRole('button', { name: 'Use these limits' }).click()
      await page.getByText('it can be lowered, not raised').waitFor()
    },
  }),
  at('setup-limits', ALLOW, {
    name: 'setup-limits-lowered',
    async steps(page) {
      await openLimits(page)
      await page.getByLabel('Limit each month, in USD').fill('25')
      await page.getByRole('button', { name: 'Use these limits' }).click()
      await page.locator('.amount', { hasText: /25[.,]00/ }).waitFor()
      await readyToApprove(page)
    },
  }),
  at('setup-retry', 'Enter the card that may be charged'),
  at('setup-processing', 'Setting up what you allowed'),
  at('setup-allowed', 'Allowed'),
  at('setup-arabic-allowed', 'Allowed'),
  at('setup-hosted', 'Allowed', {
    before: (page) => page.route('https://shop.test/**', (route) => route.fulfill({ status: 204 })),
  }),
  at('setup-failed', 'This could not be allowed'),
  at('setup-cancelled', 'Not allowed'),
  at('setup-over', 'This request has expired'),
  at('setup-withdrawn', 'The merchant withdrew this request'),
]
