// Guarantee: of passkeys that two tabs of one customer make at the same moment one is stored, and their device still has it then.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cardholder as headless } from '../cardholder.ts'
import { CARDS, createSession, expectError, newUser } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser } from './browser.ts'
import { open } from './cardholder.ts'

describeInBrowser('two tabs of one customer', (browser) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
  })
  afterAll(() => service?.close())

  it('that asked for a passkey together: the one that was stored is not replaced on the device by the one that was not', async () => {
    const user_id = newUser()
    const begin = () => createSession(service.merchant, { user_id })
    const other = headless(service, (await begin()).session_token)
    await other.enterCard(CARDS.success)
    const { body: options } = await other.post('/api/passkeys/registration-options', { frame: { embedded: false } })
    await browser.visit({}, async ({ page, authenticator }) => {
      const ann = await open(page, (await begin()).iframe_url)
      await ann.payAnew()
      await ann.heading('Approved').waitFor()
      const [stored] = await authenticator.credentials()
      expect(stored).toBeDefined()

      // The other tab, on the same device: the finger comes last.
      const response = await page.evaluate(async (asked) => {
        const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(asked)
        return ((await navigator.credentials.create({ publicKey })) as PublicKeyCredential).toJSON()
      }, options)
      expectError(await other.post('/api/passkeys/registrations', { response }), 400, 'INVALID_STATE')
      expect(await authenticator.credentials()).toContainEqual(stored)

      const again = await open(page, (await begin()).iframe_url)
      await again.heading('Choose a card').waitFor()
      await again.button('Continue').click()
      await again.approve()
      await again.heading('Approved').waitFor()
    })
  })
})
