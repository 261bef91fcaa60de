import { afterAll, beforeAll, expect, it } from 'vitest'
import { CARDS, createSession } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser, lookAt } from './browser.ts'
import { open } from './cardholder.ts'

describeInBrowser('a code that does not come', (browser) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
  })
  afterAll(() => service?.close())

  it('sends a new code to who asks for one, and says which one is good', async () => {
    const session = await createSession(service.merchant, { integration_type: 'full_checkout' })
    await browser.visit({}, async (visit) => {
      const { page } = visit
      await page.clock.install()
      const ann = await open(page, session.iframe_url)
      await ann.enterCard(CARDS.stepUp)
      await ann.heading('Enter the code from your bank').waitFor()
      const anew = ann.button('Send a new code')
      expect(await anew.isVisible()).toBe(false)
      await service.merchant.post('/v1/test_helpers/clock/advance', { seconds: 31 })
      await page.clock.fastForward(31_000)
      await anew.click()
      await page.getByText('Only this one works now.').waitFor()
      await page.getByText('234567', { exact: true }).waitFor()
      expect(await lookAt(visit, 'surface-new-code')).toEqual([])
      await page.getByLabel('One-time code').fill('234567')
      await ann.button('Verify').click()
      await ann.button('Create a passkey').waitFor()
    })
  })
})
