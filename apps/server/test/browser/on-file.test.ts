// Guarantee: the cardholder of a card that the merchant has on file is asked only for what proves it, and one who would rather use
// another card can.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CARDS, createSession, vaultRecord } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser } from './browser.ts'
import { open } from './cardholder.ts'

describeInBrowser('a card that is on file', (browser) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
  })
  afterAll(() => service?.close())

  const newSession = (changes: Record<string, unknown> = {}) =>
    createSession(service.merchant, { integration_type: 'full_checkout', ...changes })

  it.concurrent('asks only for the codes of a card that is on file: its own, as many digits as it has, and the bank’s', async () => {
    for (const [number, code] of [
      [CARDS.success, '123'],
      [CARDS.amex, '1234'],
    ] as const) {
      const vault_ref_id = await vaultRecord(service.merchant, { card_number: number })
      const session = await newSession({ card: { vault_ref_id } })
      await browser.visit({}, async ({ page }) => {
        const ann = await open(page, session.iframe_url)
        await ann.heading('Confirm your card').waitFor()
        expect(await page.getByLabel('Card number').count()).toBe(0)
        await page.getByLabel('Security code').fill(code)
        await ann.button('Continue').click()
        // A card that came without a passkey is proven by the code of its bank as well.
        await ann.heading('Enter the code from your bank').waitFor()
        await page.getByLabel('One-time code').fill('123456')
        await ann.button('Verify').click()
        await ann.heading('Create a passkey').waitFor()
      })
    }
  })

  it.concurrent('takes another card than the one on file, and leads back to that', async () => {
    const session = await newSession({ card: { vault_ref_id: await vaultRecord(service.merchant) } })
    await browser.visit({}, async ({ page }) => {
      const ann = await open(page, session.iframe_url)
      await ann.heading('Confirm your card').waitFor()
      await ann.button('Use another card').click()
      await ann.heading('Pay with a card').waitFor()
      await ann.button('Use a saved card').click()
      await ann.heading('Confirm your card').waitFor()
      await ann.button('Use another card').click()
      await ann.payAnew(CARDS.amex)
      await ann.heading('Approved').waitFor()
      await page.locator('.receipt').getByText('American Express ending in 0005').waitFor()
    })
  })
})
