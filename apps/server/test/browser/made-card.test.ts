// Guarantee: where the network makes cards from an account of the operator, the page asks for no number and no code:
// one press makes the customer's one card, a passkey approves with it, and it is there the next time.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { UNLIMITED } from '../../src/network/capabilities.ts'
import type { CardNetwork } from '../../src/network/port.ts'
import { secret } from '../../src/platform/secret.ts'
import { CARDS, createSession, newUser, paymentResult } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser } from './browser.ts'
import { open, readyToApprove } from './cardholder.ts'

const MADE = { last4: '4004', brand: 'visa', expMonth: 11, expYear: 2031 }

describeInBrowser('a card that the network makes', (browser) => {
  let service: TestService
  let silent = 0
  const asked: string[] = []
  /** The simulated network, whose account is one of its test cards. */
  const ofAccount = (own: CardNetwork): CardNetwork['provisionAccount'] =>
    async function provisionAccount({ cardId, entryId }) {
      asked.push(cardId)
      if (silent > 0) {
        silent -= 1
        return { outcome: 'unknown', cause: 'timeout' }
      }
      const card = { cardNumber: secret(CARDS.success), expiryMonth: 11, expiryYear: 2031, cvv: secret('123') }
      const answer = await own.provision({ ...card, cardId, entryId, stepUp: 'never' })
      if (answer.outcome !== 'ok' || answer.value.state !== 'provisioned') return answer
      return { outcome: 'ok', value: { ...answer.value, design: null, made: MADE } }
    }
  beforeAll(async () => {
    service = await startTestService({
      env: PATIENT,
      createNetwork: (own) => ({
        ...own,
        capabilities: { ...UNLIMITED, cardEntry: 'account' },
        provisionAccount: ofAccount(own) as never,
      }),
    })
  })
  afterAll(() => service?.close())

  it('is asked for by one press, once for each customer, also after a network that was silent', async () => {
    const user_id = newUser()
    const [first, second] = [
      await createSession(service.merchant, { user_id }),
      await createSession(service.merchant, { user_id }),
    ]
    const refused = [/^Failed to load resource: the server responded with a status of 503/]
    await browser.visit({ expects: refused }, async ({ page }) => {
      silent = 1
      const ann = await open(page, first.iframe_url)
      await ann.heading('A card is made for this').waitFor()
      expect(await page.locator('input').count()).toBe(0)
      await ann.button('Continue').click()
      await ann.button('Try again').click()
      await ann.createPasskey()
      await ann.heading('Approved').waitFor()
      expect((await paymentResult(service.merchant, first.session_id)).body.status).toBe('awaiting_result')

      await open(page, second.iframe_url)
      await (await readyToApprove(page)).click()
      await ann.heading('Approved').waitFor()
    })
    expect(new Set(asked).size).toBe(1)
    const { body } = await service.merchant.get(`/v1/listCards?customer_id=${user_id}`)
    expect(body.cards).toMatchObject([{ card_last4: '4004', card_exp_month: 11, card_exp_year: 2031 }])
  })
})
