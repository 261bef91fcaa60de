// Guarantee: a standing permission that a shop's server asked for is read, lowered and allowed in a real page with a real
// ceremony, and what the shop's server then reads is what the cardholder allowed.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CARDS, createSession, dbRow, newUser, paymentResult } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { describeInBrowser, lookAt } from './browser.ts'
import { cardholder } from './cardholder.ts'
import { inSight, pressInSight } from './in-sight.ts'

const ALLOW = /^Allow up to /

describeInBrowser('a standing permission, from the API to an active mandate', (browser) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
  })
  afterAll(() => service?.close())

  const setup = (mandate_setup: object, changes: object = {}) =>
    createSession(service.merchant, { mandate_setup, ...changes }) as Promise<
      Awaited<ReturnType<typeof createSession>> & { mandate_id: string }
    >
  const listed = async (user: string) =>
    (await service.merchant.get(`/v1/mandates?customer_id=${user}&standing_only=true`)).body.mandates
  const resultOf = async (id: string) => (await paymentResult(service.merchant, id)).body

  it('is lowered and allowed, and is a mandate of the list', async () => {
    const user_id = newUser()
    const session = await setup(
      { recurring_frequency: 'monthly', max_charges: 12, adjustable: true },
      { user_id, description: 'Tea of the month', external_order_ref: 'plan-7' },
    )
    await browser.visit({}, async (visit) => {
      const { page } = visit
      const ann = cardholder(page)
      await page.goto(session.iframe_url)
      await page.getByLabel('Card number').waitFor()
      expect(await read(page, '.amount')).toBe('$40.00 USD a month')
      expect(await read(page, '.facts')).toContain('At most $480.00 USD in all')
      expect(await lookAt(visit, 'mandate-setup-card')).toEqual([])
      await ann.enterCard()
      await ann.createPasskey()
      await ready(page)
      expect(await lookAt(visit, 'mandate-setup-approval')).toEqual([])
      await page.getByText('Change the limits').click()
      await page.getByLabel('Limit each month, in USD').fill('25')
      await page.getByRole('button', { name: 'Use these limits' }).click()
      await page.getByRole('status').getByText('The limits are changed.').waitFor()
      expect(await read(page, '.sentence')).toContain('The most this can ever cost you is $300.00.')
      expect(await listed(user_id)).toMatchObject([
        { id: session.mandate_id, status: 'pending', approvedAmount: '40.00' },
      ])
      await pressInSight(page, page.getByRole('button', { name: ALLOW }))
      await ann.heading('Allowed').waitFor()
      expect(await read(page, '.receipt')).toContain('plan-7')
      expect(await lookAt(visit, 'mandate-setup-allowed')).toEqual([])
    })
    expect(await listed(user_id)).toMatchObject([
      { id: session.mandate_id, status: 'active', state: 'available', approvedAmount: '25.00', remaining: '25.00' },
    ])
    expect(await resultOf(session.session_id)).toMatchObject({
      status: 'completed',
      authorizeOnly: true,
      mandate_id: session.mandate_id,
      transactions: [],
    })
    const instruction = await dbRow(service, 'select cap_minor from simnet.instructions where mandate_id = $1', [
      session.mandate_id,
    ])
    expect(instruction).toEqual({ cap_minor: 2500n })
  })

  it('says that the bank refused it, and charges nothing', async () => {
    const session = await setup({ recurring_frequency: 'one_time' })
    await browser.visit({}, async (visit) => {
      const { page } = visit
      const ann = cardholder(page)
      await page.goto(session.iframe_url)
      expect(await read(page, '.amount')).toBe('$40.00 USD once')
      await ann.enterCard(CARDS.instructionRefused)
      await ann.createPasskey()
      await pressInSight(page, page.getByRole('button', { name: ALLOW }))
      await page.locator('.amount-label').getByText('Not allowed').waitFor()
      expect(await lookAt(visit, 'mandate-setup-refused')).toEqual([])
    })
    expect(await resultOf(session.session_id)).toMatchObject({ status: 'failed', error: { code: 'CARD_DECLINED' } })
  })

  it('waits while the network says nothing, and is allowed when it has', async () => {
    const session = await setup({ recurring_frequency: 'weekly', merchant_scope: 'any' })
    await browser.visit({}, async (visit) => {
      const { page } = visit
      const ann = cardholder(page)
      await page.goto(session.iframe_url)
      await ann.enterCard(CARDS.instructionAnswerLost)
      await ann.createPasskey()
      await pressInSight(page, page.getByRole('button', { name: ALLOW }))
      await page.locator('.amount-label').getByText('In progress').waitFor()
      expect(await lookAt(visit, 'mandate-setup-processing')).toEqual([])
      await service.clock.advance(60)
      await service.runJobs()
      await ann.heading('Allowed').waitFor()
    })
    expect((await resultOf(session.session_id)).status).toBe('completed')
  })

  it('is cancelled before it is given', async () => {
    const session = await setup({ recurring_frequency: 'yearly' })
    await browser.visit({}, async ({ page }) => {
      await page.goto(session.iframe_url)
      await page.getByRole('button', { name: /^Cancel/ }).click()
      await page.getByRole('button', { name: /^Yes/ }).click()
      await page.locator('.amount-label').getByText('Not allowed').waitFor()
    })
    const { error } = await resultOf(session.session_id)
    expect(error.code).toBe('CANCELLED')
  })
})

async function read(page: Page, selector: string): Promise<string> {
  return ((await page.locator(selector).first().textContent()) ?? '').replaceAll('\u00a0', ' ')
}

/** The button that signs, once all of it has been in sight for a moment. */
const ready = (page: Page) => inSight(page, page.getByRole('button', { name: ALLOW }))
