// Guarantee: one of the passkeys that two tabs of one customer make at the same moment is stored, and their device still has it then. A tab that
// was left behind begins nothing, and says how the payment has ended.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { cardholder as headless } from '../cardholder.ts'
import { CARDS, createSession, expectError, newUser } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser } from './browser.ts'
import { type Cardholder, open } from './cardholder.ts'

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
      await again.approve()
      await again.heading('Approved').waitFor()
    })
  })

  const ENDS = [
    ['paid', 'Approved', (there: Cardholder) => there.payAnew()],
    [
      'cancelled',
      'Payment cancelled',
      async (there: Cardholder) => {
        await there.button('Cancel').click()
        await there.button('Yes, cancel').click()
      },
    ],
  ] as const
  it.each(ENDS)(
    'with the same link, of which one %s: the other one, where the card was to be entered, says so',
    async (_, end, act) => {
      const { session_id, iframe_url } = await createSession(service.merchant, {})
      await browser.visit({ expects: [/status of 4\d\d/] }, async ({ page, context, equip }) => {
        const behind = await open(page, iframe_url)
        await behind.heading('Pay with a card').waitFor()
        const tab = await context.newPage()
        await equip(tab)
        const there = await open(tab, iframe_url)
        await act(there)
        await there.heading(end).waitFor()

        await behind.enterCard(CARDS.amex)
        await behind.heading(end).waitFor()
      })
      const { rows } = await service.pool.query(
        `select (select count(*)::int from approvals where subject_id = s.id) as approvals,
         (select count(*)::int from cards where customer_id = s.customer_id) as cards
       from sessions s where id = $1`,
        [session_id],
      )
      expect(rows).toEqual([end === 'Approved' ? { approvals: 1, cards: 1 } : { approvals: 0, cards: 0 }])
    },
  )
})
