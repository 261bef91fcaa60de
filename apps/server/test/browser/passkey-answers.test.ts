// Guarantee: what browsers give of a passkey is taken as they give it, at both pages: an empty user handle is none. What cannot be read is said to be
// the passkey's failure, and no cardholder or owner is asked to check what they entered.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSession, newUser, paymentResult } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser } from './browser.ts'
import { open } from './cardholder.ts'
import { becomeOwner } from './owner-page.ts'

const press = (page: Page, name: string) => page.getByRole('button', { name }).click()

/** What this browser gives as the user handle from the next page on: so many bytes. */
const giveHandle = (page: Page, bytes: number) =>
  page.addInitScript((length) => {
    Object.defineProperty(AuthenticatorAssertionResponse.prototype, 'userHandle', {
      get: () => new Uint8Array(length).buffer,
    })
  }, bytes)

describeInBrowser('what a browser gives of a passkey', (browser) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
  })
  afterAll(() => service?.close())

  it('with an empty user handle approves a payment', async () => {
    await browser.visit({}, async ({ page }) => {
      await giveHandle(page, 0)
      const { session_id, iframe_url } = await createSession(service.merchant, { user_id: newUser() })
      const ann = await open(page, iframe_url)
      await ann.payAnew()
      await ann.heading('Approved').waitFor()
      expect((await paymentResult(service.merchant, session_id)).body.status).toBe('awaiting_result')
    })
  })

  it('and signs an owner in', async () => {
    await browser.visit({ expects: [/status of 401/] }, async ({ page }) => {
      await giveHandle(page, 0)
      await page.goto(service.ownerUrl)
      await becomeOwner(page)
      await press(page, 'Sign out')
      await press(page, 'Sign in with a passkey')
      await page.getByText('Ann', { exact: true }).waitFor()
    })
  })

  it('that cannot be read is told to an owner as the passkey’s failure too', async () => {
    await browser.visit({ expects: [/status of 40[01]/] }, async ({ page }) => {
      await page.goto(service.ownerUrl)
      await becomeOwner(page)
      await press(page, 'Sign out')
      // A page that is left before the answer takes its request with it, and they would still be signed in.
      await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
      await giveHandle(page, 200)
      await page.goto(service.ownerUrl)
      await press(page, 'Sign in with a passkey')
      await page.getByText('The passkey could not be verified').waitFor()
      expect(await page.getByText(/these limits/).count()).toBe(0)
    })
  })

  it('that cannot be read is the passkey’s failure, and nothing that was entered', async () => {
    await browser.visit({ expects: [/status of 400/] }, async ({ page }) => {
      await giveHandle(page, 200)
      const { session_id, iframe_url } = await createSession(service.merchant, { user_id: newUser() })
      const ann = await open(page, iframe_url)
      await ann.payAnew()
      await ann.heading('The passkey could not be verified').waitFor()
      expect(await page.getByText(/what you entered/).count()).toBe(0)
      expect((await paymentResult(service.merchant, session_id)).body.status).toBe('pending')
    })
  })
})
