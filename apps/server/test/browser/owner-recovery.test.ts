// Guarantee: an owner who has lost their passkey comes back by address, card and a day, at a page that says at each
// step what to do and what is wrong; their other device and the link of the mail stop it by a press, and each approval
// says that the passkey is new.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stopUrl } from '../../src/mail/recovery-mail.ts'
import { STEP_UP_CODE } from '../../src/network/simulator/test-cards.ts'
import { deriveKeys } from '../../src/platform/keys.ts'
import { askFor, askForLink, completeFor, newAgent } from '../agents.ts'
import { newAddress, visitCode } from '../owners.ts'
import { begunRecovery, ownerWithCard, recoveryCall, WAIT_SECONDS, waitingRecovery } from '../recovery.ts'
import { PATIENT, startTestService, TEST_ROOT_KEY, type TestService } from '../service.ts'
import { axeProblems, axeSource } from './axe.ts'
import { describeInBrowser, lookAt, VIEWPORTS, type Visit } from './browser.ts'
import { becomeOwner } from './owners.ts'
import { textProblems } from './text-fit.ts'

describeInBrowser('recovery at the page of owners', (browser) => {
  let service: TestService
  let axe = ''
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
    axe = await axeSource()
  })
  afterAll(() => service?.close())

  const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()
  const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()
  async function problems(visit: Visit, name: string): Promise<string[]> {
    const found = await lookAt(visit, `owner-recovery-${name}`)
    for (const viewport of [VIEWPORTS.phone, VIEWPORTS.desktop]) {
      await visit.page.setViewportSize(viewport)
      found.push(...(await visit.page.evaluate(textProblems)), ...(await axeProblems(visit.page, axe)))
    }
    return found
  }
  async function proveAddress(page: Page, email: string): Promise<void> {
    await page.getByLabel('Your email address').fill(email)
    await page.keyboard.press('Enter')
    await heading(page, 'Type the code')
    await page.getByLabel('Code', { exact: true }).fill(await visitCode(service, email))
    await page.keyboard.press('Enter')
  }
  async function type(page: Page, label: string, value: string): Promise<void> {
    await page.getByLabel(label, { exact: true }).fill(value)
    await page.keyboard.press('Enter')
  }
  /** The page of another device of the owner, which is signed in. */
  const other = (visit: Visit, cookie: string) =>
    visit.page
      .context()
      .addCookies([{ name: 'mintmark_owner', value: cookie.split('=')[1] ?? '', url: service.ownerUrl }])

  it('leads from the sign-in to a new passkey, a day later, and says then that it is new', async () => {
    const { address, agent, mandate } = await ownerWithCard(service)
    await browser.visit({ expects: [/status of 40[01]/] }, async (visit) => {
      const { page } = visit
      await page.goto(service.ownerUrl)
      await press(page, 'I have lost my passkey')
      await heading(page, 'A new passkey')
      expect(await problems(visit, 'address')).toEqual([])
      await proveAddress(page, newAddress())
      await heading(page, 'No owner has this address')
      expect(await problems(visit, 'unknown')).toEqual([])
      await press(page, 'Other address')
      await proveAddress(page, address)
      await heading(page, 'Prove your card')
      await page.getByText('Visa ending in 4242').waitFor()
      expect(await problems(visit, 'card')).toEqual([])
      await type(page, 'Security code', '1')
      await page.getByText('The security code has three digits').waitFor()
      await type(page, 'Security code', '000')
      await page.getByText('The bank did not accept it').waitFor()
      expect(await problems(visit, 'card-wrong')).toEqual([])
      await type(page, 'Security code', '123')
      await heading(page, 'Type the code of your bank')
      expect(await problems(visit, 'code')).toEqual([])
      await press(page, 'Security code again')
      await type(page, 'Security code', '123')
      await type(page, 'Code of your bank', '999999')
      await page.getByText('That is not the code').waitFor()
      await type(page, 'Code of your bank', STEP_UP_CODE)
      await heading(page, 'Now it waits for 24 hours')
      expect(await problems(visit, 'waits')).toEqual([])
      // The page is closed, and opened again when the time is over.
      await page.goto('about:blank')
      await service.clock.advance(WAIT_SECONDS + 1)
      await page.goto(service.ownerUrl)
      await heading(page, 'You have waited')
      expect(await problems(visit, 'ready')).toEqual([])
      await press(page, 'Create a passkey')
      await heading(page, 'Your agents')
      await press(page, /^Its limits/)
      await page.getByLabel('A charge', { exact: true }).fill('30')
      await page.getByText('A new passkey was made on').waitFor()
      await page.getByText('no agent is allowed more than before').waitFor()
      expect(await problems(visit, 'limits-frozen')).toEqual([])
      await page.goto(`${service.ownerUrl}/links/${await askForLink(newAgent(service))}`)
      await page.getByText('A new passkey was made on').waitFor()
      expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
      expect(await problems(visit, 'link-frozen')).toEqual([])
      const asked = await agent.send('POST', `/v1/mandates/${mandate}/charge`, { amount: '30.00', reference: 'r-1' })
      await page.goto(`${service.ownerUrl}/escalations/${asked.body.escalation.id}`)
      await page.getByText('A new passkey was made on').waitFor()
      await page.getByText('no agent is allowed more than before').waitFor()
      expect(await page.getByRole('button', { name: /^Allow/ }).count()).toBe(0)
      expect(await problems(visit, 'escalation-frozen')).toEqual([])
    })
  })

  it('is stopped on the other device, which the browser that asked is told', async () => {
    const { address, owner } = await ownerWithCard(service)
    const { recovery } = await waitingRecovery(service, address)
    await browser.visit({ expects: [/status of 40[01]/] }, async (second) => {
      const { page } = second
      await page.goto(service.ownerUrl)
      await page.evaluate((word) => localStorage.setItem('recovery', word), recovery)
      await page.reload()
      await heading(page, 'Now it waits for 24 hours')
      await press(page, 'Stop it')
      await page.getByText('You would begin again').waitFor()
      expect(await problems(second, 'stopping')).toEqual([])
      await press(page, 'Let it wait')
      await browser.visit({}, async (first) => {
        await other(first, owner.cookie)
        await first.page.goto(`${service.ownerUrl}/me`)
        await heading(first.page, 'A new passkey was asked for')
        expect(await problems(first, 'notice')).toEqual([])
        await press(first.page, 'This was not me: stop it')
        await first.page.getByText('It was stopped. No passkey is made.').waitFor({ state: 'attached' })
        await expect.poll(() => first.page.getByText('A new passkey was asked for').count()).toBe(0)
      })
      await page.reload()
      await heading(page, 'It was stopped')
      expect(await problems(second, 'stopped')).toEqual([])
      await press(page, 'Begin again')
      await heading(page, 'A new passkey')
    })
  })

  it('is stopped by the link of the mail, and says so where there is nothing to stop', async () => {
    const { address, merchantId, owner } = await ownerWithCard(service)
    const { recovery } = await waitingRecovery(service, address)
    const { recovery_id: recoveryId } = (await owner.get('/api/recoveries')).body.waiting
    const linksKey = deriveKeys(TEST_ROOT_KEY).contactLinks
    const link = stopUrl({ ownerUrl: service.ownerUrl, linksKey }, { merchantId, recoveryId })
    await browser.visit({ expects: [/status of 40[014]/] }, async (visit) => {
      const { page } = visit
      await page.goto(link)
      await heading(page, 'Stop the new passkey?')
      expect(await problems(visit, 'mail')).toEqual([])
      expect((await recoveryCall(service, 'standing', { recovery })).body.status).toBe('waiting')
      await press(page, 'This was not me: stop it')
      await heading(page, 'It was stopped')
      expect(await problems(visit, 'mail-stopped')).toEqual([])
      await page.goto('about:blank')
      await page.goto(`${link}A`)
      await press(page, 'This was not me: stop it')
      await heading(page, 'This link stops nothing')
      expect(await problems(visit, 'mail-unknown')).toEqual([])
    })
  })

  it('asks which card, where there are two', async () => {
    const { address, agent, customerId } = await ownerWithCard(service)
    const setup = { total_amount: '50.00', mandate_setup: { recurring_frequency: 'monthly' } }
    const asked = await askFor(agent, setup)
    await completeFor(service, asked.body.session_id, { card_number: '5555555555554444' })
    const { recovery, cards } = await begunRecovery(service, address)
    const [shown, chosen] = cards.map(({ last4 }: { last4: string }) => last4)
    await browser.visit({ expects: [/status of 401/] }, async (visit) => {
      const { page } = visit
      await page.goto(service.ownerUrl)
      await page.evaluate((word) => localStorage.setItem('recovery', word), recovery)
      await page.reload()
      await heading(page, 'Prove your card')
      const list = page.getByLabel('Which card')
      expect(await list.locator('option:checked').textContent()).toContain(shown)
      expect(await problems(visit, 'cards')).toEqual([])
      const option = await list.locator('option').filter({ hasText: chosen }).getAttribute('value')
      await list.selectOption(option)
      await type(page, 'Security code', '123')
      await heading(page, 'Type the code of your bank')
      const entered = 'select last4 from owner_recoveries r join cards on cards.id = r.card_id where r.customer_id = $1'
      expect((await service.pool.query(entered, [customerId])).rows).toEqual([{ last4: chosen }])
    })
  })

  it('says that there is no card, and that it took too long', async () => {
    const { address } = await ownerWithCard(service)
    const { recovery } = await begunRecovery(service, address)
    await browser.visit({ expects: [/status of 40[01]/] }, async (visit) => {
      const { page } = visit
      const own = newAddress()
      await page.goto(service.ownerUrl)
      await becomeOwner(page, service, 'Bea', own)
      await press(page, 'Sign out')
      await press(page, 'I have lost my passkey')
      await proveAddress(page, own)
      await heading(page, 'There is no card to prove')
      expect(await problems(visit, 'no-card')).toEqual([])
      await service.clock.advance(31 * 60)
      await page.evaluate((word) => localStorage.setItem('recovery', word), recovery)
      await page.goto(service.ownerUrl)
      await heading(page, 'It is over')
      expect(await problems(visit, 'over')).toEqual([])
      await press(page, 'Back to the sign-in')
      await heading(page, 'Sign in')
    })
  })
})
