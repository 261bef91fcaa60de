// Guarantee: at their page an owner sees what waits, what was spent and could still be, each permission, card and
// charge, why one was refused and what to do; answers on two devices, of which one wins; and keeps their data in a
// file.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { askFor, askForLink, newAgent, type TestAgent } from '../agents.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { axeProblems, axeSource } from './axe.ts'
import { describeInBrowser, lookAt, VIEWPORTS, type Visit } from './browser.ts'
import { open } from './cardholder.ts'
import { becomeOwner } from './owners.ts'
import { textProblems } from './text-fit.ts'

const NOBODY_YET = { expects: [/status of 40[014]/] }

describeInBrowser('what an owner sees', (browser) => {
  let service: TestService
  let axe = ''
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
    axe = await axeSource()
  })
  afterAll(() => service?.close())

  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
  const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()
  const tab = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name }).click()

  async function problems(visit: Visit, name: string): Promise<string[]> {
    const found = await lookAt(visit, `owner-${name}`)
    for (const viewport of [VIEWPORTS.phone, VIEWPORTS.desktop]) {
      await visit.page.setViewportSize(viewport)
      found.push(...(await visit.page.evaluate(textProblems)), ...(await axeProblems(visit.page, axe)))
    }
    return found
  }

  /** A person with an agent, and a permission of 50.00 a month at the tea house. */
  async function withMandate(page: Page): Promise<{ agent: TestAgent; mandate: string }> {
    const asking = newAgent(service)
    const linkId = await askForLink(asking, { name: 'Atlas', platform: 'Trips Ltd' })
    await page.goto(`${service.ownerUrl}/links/${linkId}`)
    await becomeOwner(page, service)
    await press(page, 'Approve with passkey')
    await heading(page, 'Atlas may spend for you')
    const { agent_id: agentId } = (await asking.send('GET', `/v1/agents/links/${linkId}`)).body
    const { privateKey } = asking
    const agent = newAgent(service, agentId, { privateKey, publicKey: privateKey })
    const setup = await askFor(agent, { total_amount: '50.00', mandate_setup: { recurring_frequency: 'monthly' } })
    const ann = await open(page, setup.body.payment_url)
    await ann.enterCard()
    const button = page.getByRole('button', { name: /^Allow up to / })
    await button.scrollIntoViewIfNeeded()
    await button.and(page.locator(':not(.button-waiting)')).click()
    await ann.heading('Allowed').waitFor()
    return { agent, mandate: setup.body.mandate_id }
  }
  const charge = async (agent: TestAgent, mandate: string, amount: string, reference: string) =>
    (await agent.send('POST', `/v1/mandates/${mandate}/charge`, { amount, reference })).body

  /** One paid, one held, one refused. */
  async function withCharges(page: Page): Promise<{ agent: TestAgent; mandate: string; paid: string }> {
    const { agent, mandate } = await withMandate(page)
    const { transactionId: paid } = await charge(agent, mandate, '12.00', 'order-1')
    await agent.send('POST', `/v1/mandates/${mandate}/charges/${paid}/report`, {
      ...{ txn_status: 'APPROVED', txn_type: 'PURCHASE' },
    })
    await charge(agent, mandate, '8.00', 'order-2')
    await charge(agent, mandate, '25.00', 'order-3')
    await service.runJobs()
    return { agent, mandate, paid }
  }

  it('shows an owner what was spent and could still be, line by line, and each permission and card', async () => {
    await browser.visit(NOBODY_YET, async (visit) => {
      const { page } = visit
      await withCharges(page)
      await page.goto(service.ownerUrl)
      await heading(page, 'Your agents')
      await page.getByText('Spent this month').waitFor()
      await page.getByText('$8 of it held, not reported yet').waitFor()
      await page.getByText('How this comes about').click()
      await page.getByText('Permission at Tea House').waitFor()
      await page.getByText('So at most').waitFor()
      await page.getByRole('heading', { name: 'Lately' }).waitFor()
      expect(await problems(visit, 'home-money')).toEqual([])

      await tab(page, 'Permissions')
      await page.getByText('$30 left of $50 a month').waitFor()
      expect(await problems(visit, 'permissions')).toEqual([])
      await page.getByRole('link', { name: 'Tea House' }).click()
      await heading(page, 'Tea House')
      await page.getByText('It is more than you allow for one charge.').waitFor()
      expect(await problems(visit, 'permission')).toEqual([])

      await tab(page, 'Cards')
      await heading(page, 'Cards')
      await page.getByText('If the card is deleted, these end with it.').waitFor()
      expect(await problems(visit, 'cards')).toEqual([])
    })
  })

  it('shows what agents did and that all receipts are there, filters it by its address, and saves it as a file', async () => {
    await browser.visit(NOBODY_YET, async (visit) => {
      const { page } = visit
      await withCharges(page)
      await page.goto(`${service.ownerUrl}/activity`)
      await page.getByText(/^All \d+ receipts are there, as they were signed\.$/).waitFor()
      expect(await problems(visit, 'activity')).toEqual([])
      await press(page, 'As a table (CSV)')
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Save the file' }).click(),
      ])
      const chunks: Buffer[] = []
      for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
      const lines = Buffer.concat(chunks).toString('utf8').trimEnd().split('\r\n')
      expect(lines).toHaveLength(4)
      expect(lines[1]).toContain('Tea House,tea.example,25.00,USD,refused,AGENT_LIMIT_EXCEEDED,charge')
      await page.getByLabel('How it ended').selectOption('Paid')
      await expect.poll(() => page.locator('.item').count()).toBe(1)
      expect(new URL(page.url()).search).toBe('?outcome=paid')
      await page.reload()
      await expect.poll(() => page.locator('.item').count()).toBe(1)
      await page.getByLabel('How it ended').selectOption('Given back')
      await page.getByText('Nothing of that kind.').waitFor()
      expect(await problems(visit, 'activity-none')).toEqual([])
    })
  })

  it('shows what happened to one charge and what to do, and ends a permission, which stays there', async () => {
    await browser.visit(NOBODY_YET, async (visit) => {
      const { page } = visit
      const { mandate, paid } = await withCharges(page)
      await page.goto(`${service.ownerUrl}/activity`)
      await page.locator('.item-refused a').click()
      await heading(page, 'We refused $25 at Tea House')
      await page.getByText('Nothing was charged, and no number was made.').waitFor()
      await page.getByText('Allow this one while it waits, or raise the limit a charge.').waitFor()
      expect(await problems(visit, 'charge-refused')).toEqual([])
      await page.goto(`${service.ownerUrl}/activity/${paid}`)
      await heading(page, '$12 paid at Tea House')
      await page.getByRole('link', { name: 'All of this agent' }).click()
      await heading(page, 'Atlas')
      expect(await problems(visit, 'agent')).toEqual([])
      await page.goto(`${service.ownerUrl}/activity/txn_none`)
      await heading(page, 'There is no such charge')

      await page.goto(`${service.ownerUrl}/permissions/${mandate}`)
      await press(page, 'End this permission')
      await press(page, 'End it now')
      await page.getByText('ended by you').waitFor()
      await tab(page, 'Permissions')
      await page.getByRole('heading', { name: 'Ended' }).waitFor()
      expect(await problems(visit, 'permissions-ended')).toEqual([])
    })
  })

  it('allows a charge and raises the limit, and of two devices that answer at once tells the slower one', async () => {
    await browser.visit(NOBODY_YET, async (visit) => {
      const { page, context } = visit
      const { agent, mandate } = await withMandate(page)
      const raised = await charge(agent, mandate, '24.00', 'order-1')
      await page.goto(raised.escalation.url)
      await page.getByText('Allow it, and raise to $24 a charge').click()
      expect(await problems(visit, 'escalation-raise')).toEqual([])
      await press(page, 'Allow and raise')
      await heading(page, '$24 is allowed, once')
      expect(await charge(agent, mandate, '24.00', 'order-1')).toMatchObject({ status: 'awaiting_result' })
      const { limits } = (await agent.send('GET', '/v1/agents/me')).body
      expect(limits).toContainEqual(expect.objectContaining({ kind: 'charge', limit: '24.00' }))

      const asked = await charge(agent, mandate, '25.00', 'order-2')
      const other = await context.newPage()
      for (const device of [page, other]) {
        await device.goto(asked.escalation.url)
        await heading(device, 'Allow $25 once?')
      }
      await press(other, 'Leave it refused')
      await heading(other, '$25 stays refused')
      await page.bringToFront()
      await press(page, 'Allow $25 once')
      await heading(page, '$25 stays refused')
      await page.getByText('This was decided elsewhere meanwhile.').waitFor()
      expect(await problems(visit, 'escalation-elsewhere')).toEqual([])
    })
  })
})
