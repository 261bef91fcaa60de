// Guarantee: the bar of a sandbox says what time it is there, and a press moves it; what moves is announced, the page
// shows how things stand then, the person stays signed in, and who may not move it has nothing to press.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { charge, reportCharge } from '../../src/charges/testing/standing.ts'
import { becomeAtConsole, demoAccount } from '../console.ts'
import { complete, createSession } from '../flows.ts'
import { PATIENT, startTestService, type TestMerchant, type TestService } from '../service.ts'
import { axeSource } from './axe.ts'
import { describeInBrowser } from './browser.ts'
import { heading, openConsole, press, screenProblems, TOLD } from './consoles.ts'

const DAY = 24 * 60 * 60_000

describeInBrowser('the time of a sandbox at the console', (browser) => {
  let service: TestService
  let demo: TestMerchant
  let axe = ''
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
    demo = await demoAccount(service)
    axe = await axeSource()
  })
  afterAll(() => service?.close())

  it('is in the bar, and is moved by a press, which is announced', async () => {
    await browser.visit(TOLD, async (visit) => {
      const { page } = visit
      await openConsole(page, service, '/payments')
      const shown = async () => Date.parse((await page.locator('.sandbox-time').getAttribute('datetime')) ?? '')
      const before = await shown()
      expect(Math.abs(before - service.clock.now().getTime())).toBeLessThan(DAY / 24)
      await press(page, /^\+15 min/)
      await page
        .getByRole('status')
        .getByText(/^The time of the sandbox is now/)
        .waitFor()
      await expect.poll(shown).toBeGreaterThanOrEqual(before + 15 * 60_000)
      await press(page, /^\+1 day/)
      await expect.poll(shown).toBeGreaterThanOrEqual(before + DAY)
      await heading(page, 'Payments')
      await page.reload()
      await heading(page, 'Payments')
    })
  })

  it('leads to the next renewal of a permission, whose window is shown then', async () => {
    const session = await createSession(demo, { mandate_setup: { recurring_frequency: 'monthly' } })
    const { session_id, mandate_id: id } = session as typeof session & { mandate_id: string }
    await complete(demo, session_id)
    await service.runJobs()
    const paid = await charge(demo, id, { amount: '12.00' })
    await reportCharge(demo, id, paid.body.transactionId)
    await browser.visit(TOLD, async (visit) => {
      const { page } = visit
      await openConsole(page, service, `/permissions/${id}`)
      const meter = page.getByRole('meter', { name: 'This window' })
      expect(await meter.getAttribute('aria-valuetext')).toBe('$28.00 left of $40.00 a month')
      const problems = await screenProblems(visit, axe, 'permission-clock')
      const made = () => page.locator('dd time').last().textContent()
      expect(await made()).toMatch(/^\d/)
      await press(page, 'To the next renewal')
      await expect.poll(() => meter.getAttribute('aria-valuetext')).toBe('$40.00 left of $40.00 a month')
      await page
        .getByRole('status')
        .getByText(/^The time of the sandbox is now/)
        .waitFor()
      // What was made today was made a month ago.
      await expect.poll(made).toMatch(/^[A-Z]/)
      expect(problems).toEqual([])
    })
  })

  it('says of a press without an answer that the time tells', async () => {
    await browser.visit({ expects: [/status of 401/, /ERR_FAILED/] }, async (visit) => {
      const { page } = visit
      await openConsole(page, service)
      await page.route('**/api/sandbox/clock', (route) =>
        route.request().method() === 'POST' ? route.abort() : route.continue(),
      )
      await press(page, /^\+1 day/)
      await page
        .getByRole('alert')
        .getByText(/^No answer came\. The time that is shown says/)
        .waitFor()
      expect(await screenProblems(visit, axe, 'clock-lost')).toEqual([])
    })
  })

  it('is not moved by who may only read', async () => {
    await browser.visit(TOLD, async (visit) => {
      const { page } = visit
      await openConsole(page, service)
      await becomeAtConsole(service, demo.merchantId, 'support')
      await page.reload()
      await page.locator('.sandbox-time').waitFor()
      expect(await page.getByRole('button', { name: /^\+/ }).count()).toBe(0)
      expect(await screenProblems(visit, axe, 'clock-support')).toEqual([])
      await becomeAtConsole(service, demo.merchantId, 'owner')
    })
  })
})
