// Guarantee: the console says of a permission whether it can be charged and what to do, shows its window and its
// charges, and leads from a payment to the permission that it was made against.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { charge, reportCharge } from '../../src/charges/testing/standing.ts'
import { demoAccount } from '../console.ts'
import { complete, createSession } from '../flows.ts'
import { PATIENT, startTestService, type TestMerchant, type TestService } from '../service.ts'
import { axeSource } from './axe.ts'
import { describeInBrowser } from './browser.ts'
import { heading, openConsole, press, screenProblems, seenAgain, TOLD, tab } from './consoles.ts'

describeInBrowser('permissions at the console', (browser) => {
  let service: TestService
  let demo: TestMerchant
  let axe = ''
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
    demo = await demoAccount(service)
    axe = await axeSource()
  })
  afterAll(() => service?.close())

  async function asked(user_id: string): Promise<{ session_id: string; mandate_id: string }> {
    const session = await createSession(demo, { user_id, mandate_setup: { recurring_frequency: 'monthly' } })
    return session as typeof session & { mandate_id: string }
  }

  async function given(user_id: string): Promise<string> {
    const { session_id, mandate_id } = await asked(user_id)
    await complete(demo, session_id)
    await service.runJobs()
    return mandate_id
  }

  it('lists them by their state, after it has said how the first one comes', async () => {
    await browser.visit(TOLD, async (visit) => {
      const { page } = visit
      await openConsole(page, service)
      await tab(page, 'Permissions')
      await page.getByText(/^No permission yet/).waitFor()
      expect(await page.locator('pre').textContent()).toContain('mandate_setup')
      const problems = await screenProblems(visit, axe, 'permissions-none')
      await given('ann')
      await asked('ben')
      await seenAgain(page)
      await press(page, /2 new/)
      const rows = page.getByRole('list', { name: 'Permissions' }).getByRole('listitem')
      await expect
        .poll(() => rows.allTextContents())
        .toEqual([
          expect.stringMatching(/\$40\.00 a month at Tea House.*Waiting.*ben/s),
          expect.stringMatching(/\$40\.00 a month at Tea House.*Can be charged.*\$40\.00 left.*ann/s),
        ])
      problems.push(...(await screenProblems(visit, axe, 'permissions')))
      const states = page.getByRole('navigation', { name: 'Which permissions' })
      await states.getByRole('link', { name: 'Waiting' }).click()
      await expect.poll(() => rows.count()).toBe(1)
      await states.getByRole('link', { name: 'Paused' }).click()
      await page.getByText('Nothing of that kind so far.').waitFor()
      expect(new URL(page.url()).search).toBe('?state=paused')
      expect(problems).toEqual([])
    })
  })

  it('tells one in words, shows its window, and leads to its charges and back', async () => {
    const id = await given('cleo')
    const paid = await charge(demo, id, { amount: '12.00' })
    await reportCharge(demo, id, paid.body.transactionId)
    await charge(demo, id, { amount: '5.00' })
    await browser.visit(TOLD, async (visit) => {
      const { page } = visit
      await openConsole(page, service, `/permissions/${id}`)
      await heading(page, '$40.00 a month at Tea House')
      await page.getByText('It can be charged.').waitFor()
      const meter = page.getByRole('meter', { name: 'This window' })
      expect(await meter.getAttribute('aria-valuetext')).toBe('$23.00 left of $40.00 a month')
      await page.getByText('$12.00 spent').waitFor()
      await page.getByText('$5.00 held, without an outcome').waitFor()
      await page.getByText('Signed by a passkey').waitFor()
      const problems = await screenProblems(visit, axe, 'permission')

      await page
        .getByRole('list', { name: 'Its charges' })
        .getByRole('link', { name: /\$12\.00/ })
        .click()
      await heading(page, /\$12\.00 at Tea House/)
      await page.locator(`a[href="/permissions/${id}"]`).click()
      await heading(page, '$40.00 a month at Tea House')

      expect((await demo.post(`/v1/mandates/${id}/cancel`)).status).toBe(200)
      await seenAgain(page)
      await press(page, /This has changed/)
      await page.getByText('It was cancelled, and cannot be charged any more.').waitFor()
      problems.push(...(await screenProblems(visit, axe, 'permission-cancelled')))
      await page.keyboard.press('Control+k')
      await page.keyboard.type(id)
      await page.getByRole('option', { name: /^Permission/ }).waitFor()
      expect(problems).toEqual([])
    })
  })

  it('reads in German', async () => {
    const id = await given('dora')
    await browser.visit({ ...TOLD, reads: { locale: 'de-DE' } }, async (visit) => {
      const { page } = visit
      await page.goto(`${service.consoleUrl}/permissions/${id}`)
      await press(page, 'Demokonto öffnen')
      await page.getByText('Sie kann belastet werden.').waitFor()
      expect(await screenProblems(visit, axe, 'permission-de')).toEqual([])
      await page.getByRole('link', { name: 'Erlaubnisse' }).first().click()
      await page.getByRole('list', { name: 'Erlaubnisse' }).waitFor()
      expect(await screenProblems(visit, axe, 'permissions-de')).toEqual([])
    })
  })
})
