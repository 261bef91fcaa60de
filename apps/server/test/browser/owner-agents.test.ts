// Guarantee: at their own page an owner is told what their agents ask, at once and by mail, says what it comes to, and ends an agent; the page
// says what came of each, and is whole in every state as in owner.test.ts.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bodiesOf, headerOf } from '../../src/mail/testing/mail-server.ts'
import { askFor } from '../agents.ts'
import { describeInBrowser, lookAt } from './browser.ts'
import { open } from './cardholder.ts'
import { NOBODY_YET, type OwnerPage, startOwnerPage } from './owner-page.ts'

/** What `withMandate` gives, as the page says it. */
const PERMISSION = 'Tea House (up to $50.00 a month)'

describeInBrowser('what agents ask at the page of owners', (browser) => {
  let at: OwnerPage
  beforeAll(async () => {
    at = await startOwnerPage()
  })
  afterAll(() => at?.close())

  it('shows an owner what a charge asks and why it was refused, and takes their word: within the permission, and beyond it', async () => {
    await browser.visit(NOBODY_YET, async (visit) => {
      const { page } = visit
      const { agent, mandate } = await at.withMandate(page)
      expect(await at.charge(agent, mandate, '12.00', 'order-1')).toMatchObject({ status: 'awaiting_result' })
      const refused = await at.charge(agent, mandate, '25.00', 'order-2')
      expect(refused).toMatchObject({ status: 'failed', errorCode: 'AGENT_LIMIT_EXCEEDED' })
      expect(refused.escalation.url).toMatch(new RegExp(`^${at.service.ownerUrl}/escalations/esc_`))
      await page.goto(at.service.ownerUrl)
      await at.heading(page, 'Your agents')
      expect(await at.problems(visit, 'home')).toEqual([])
      await page.getByRole('link', { name: /Atlas asks for \$25\.00/ }).click()
      await at.heading(page, 'Allow $25.00 once?')
      await page.getByText('it is more than $20.00, the most you allow a charge').waitFor()
      // The amount is written as the sentence writes it.
      expect(await page.locator('#sentence').textContent()).toContain(
        'may pay Tea House (tea.example) $25.00, this once',
      )
      expect(await at.problems(visit, 'escalation')).toEqual([])
      await at.press(page, 'Allow $25.00 once')
      await at.heading(page, '$25.00 is allowed, once')
      expect(await at.problems(visit, 'escalation-allowed')).toEqual([])
      const made = await at.charge(agent, mandate, '25.00', 'order-2')
      expect(made).toMatchObject({ status: 'awaiting_result' })
      await page.reload()
      await at.heading(page, '$25.00 is on its way')
      const report = `/v1/mandates/${mandate}/charges/${made.transactionId}/report`
      await agent.send('POST', report, { txn_status: 'APPROVED', txn_type: 'PURCHASE' })
      await page.reload()
      await at.heading(page, '$25.00 was paid')
      expect(await at.problems(visit, 'escalation-paid')).toEqual([])

      const twice = await at.charge(agent, mandate, '25.00', 'order-2b')
      await page.goto(twice.escalation.url)
      await page.getByText('Possible duplicate: Atlas has charged the same at this shop').waitFor()
      await page.getByText('The same', { exact: true }).waitFor()
      expect(await at.problems(visit, 'escalation-duplicate')).toEqual([])
      expect(await at.charge(agent, mandate, '1.00', 'order-5')).toMatchObject({ status: 'awaiting_result' })
      await page.reload()
      await page.getByRole('heading', { name: 'Before it' }).waitFor()
      expect(await page.getByText('$1.00', { exact: true }).count()).toBe(0)

      const beyond = await at.charge(agent, mandate, '60.00', 'order-3')
      await page.goto(beyond.escalation.url)
      await at.heading(page, 'Allow $60.00 once?')
      await page.getByText('is left of the $50.00 that you permitted at Tea House').waitFor()
      expect(await at.problems(visit, 'escalation-beyond')).toEqual([])
      await at.press(page, 'Go on to permit $60.00')
      await page.waitForURL(`${at.service.surfaceUrl}/**`)
      await at.allow(page)
      await page.waitForURL(`${at.service.ownerUrl}/escalations/**`)
      await at.heading(page, '$60.00 is allowed, once')
      const carried = await at.charge(agent, mandate, '60.00', 'order-3')
      expect(carried).toMatchObject({ status: 'awaiting_result', mandateId: expect.not.stringMatching(mandate) })

      const denied = await at.charge(agent, mandate, '24.00', 'order-4')
      await page.goto(denied.escalation.url)
      await at.press(page, 'Leave it refused')
      await at.heading(page, '$24.00 stays refused')
      expect(await at.charge(agent, mandate, '24.00', 'order-4')).toMatchObject({ errorCode: 'OWNER_DENIED' })
    })
  })

  it('is linked by the cardholder’s page of what an agent asks, which names the agent in every place', async () => {
    await browser.visit(NOBODY_YET, async (visit) => {
      const { page } = visit
      const agent = await at.withAgent(page)
      const read = (part: string) => page.locator(part).innerText()
      const setup = await askFor(agent, { total_amount: '50.00', mandate_setup: { recurring_frequency: 'monthly' } })
      const ann = await open(page, setup.body.payment_url)
      await page.getByLabel('Card number').waitFor()
      const host = new URL(at.service.ownerUrl).host
      expect(await page.title()).toBe('Allow \u2068Atlas\u2069 to charge your card')
      expect(await read('.facts')).toMatch(/^Atlas may charge\nAt tea\.example only\n/)
      expect(await read('.summary')).toContain(`You can change or end it at any time at ${host}.`)
      expect(await read('.trust')).toBe('Your card details never reach Atlas.')
      await ann.enterCard()
      await at.allow(page)
      await ann.heading('Allowed').waitFor()
      expect(await read('.receipt-line:first-child')).toMatch(/^Who may charge\s+Atlas$/)
      expect(await read('main')).not.toMatch(/merchant/i)
      expect(await lookAt(visit, 'agent-allowed')).toEqual([])
      const [owners] = await Promise.all([page.waitForEvent('popup'), page.getByRole('link', { name: host }).click()])
      await at.heading(owners, 'Your agents')
      await owners.getByText(`Your permissions: ${PERMISSION}`).waitFor()
      await owners.close()

      await open(page, (await askFor(agent)).body.payment_url)
      await page.getByText('Asked by Atlas').waitFor()
      await ann.approve()
      await ann.heading('Approved').waitFor()
      expect(await read('.receipt')).toMatch(/Paid to\s+Tea House \(tea\.example\)\s+Asked by\s+Atlas/)
      expect(await page.getByRole('link', { name: host }).getAttribute('rel')).toBe('noopener noreferrer')
    })
  })

  it('mails an owner what an agent asks, once they have typed the code, until they stop it', async () => {
    await browser.visit({ expects: [/status of 40[01]/] }, async (visit) => {
      const { page } = visit
      const { agent, mandate } = await at.withMandate(page)
      await page.goto(at.service.ownerUrl)
      await at.press(page, 'Mail me a code')
      await page.getByText('Write an address such as').waitFor()
      expect(await at.problems(visit, 'mail-wrong')).toEqual([])
      await page.getByLabel('Your email address').fill('ann@owners.example')
      await at.press(page, 'Mail me a code')
      await page.getByText('We mailed six digits to').waitFor()
      await at.service.runJobs()
      const code = headerOf(at.mails.received.at(-1) ?? { text: '' }, 'Subject')?.slice(0, 6) ?? ''
      await page.getByLabel('Code').fill(code === '000000' ? '000001' : '000000')
      await at.press(page, 'Confirm')
      await page.getByText('That is not the code').waitFor()
      expect(await at.problems(visit, 'mail-code')).toEqual([])
      await page.getByLabel('Code').fill(`${code.slice(0, 3)} ${code.slice(3)}`)
      await at.press(page, 'Confirm')
      await page.getByText('What agents ask is mailed to').waitFor()
      expect(await at.problems(visit, 'mail-confirmed')).toEqual([])

      const asked = await at.charge(agent, mandate, '25.00', 'order-1')
      await at.service.runJobs()
      const mail = at.mails.received.at(-1) ?? { text: '' }
      expect(headerOf(mail, 'Subject')).toBe('An agent of yours asks you for your word')
      const [link = ''] = /http\S+/.exec(bodiesOf(mail).plain) ?? []
      expect(link).toBe(asked.escalation.url)
      await page.goto(link)
      await at.heading(page, 'Allow $25.00 once?')
      await page.goto(at.service.ownerUrl)
      await at.press(page, 'Stop the mails')
      await page.getByLabel('Your email address').waitFor()
      const { rowCount } = await at.service.pool.query(
        `select 1 from owner_addresses where email = 'ann@owners.example'`,
      )
      expect(rowCount).toBe(0)
    })
  })

  it('shows at home what comes while it is open, and says so where it cannot know', async () => {
    await browser.visit({ expects: [...NOBODY_YET.expects, /net::ERR_FAILED .*\/api\/home/] }, async (visit) => {
      const { page } = visit
      const { agent, mandate } = await at.withMandate(page)
      await page.goto(at.service.ownerUrl)
      await at.heading(page, 'Your agents')
      await at.charge(agent, mandate, '25.00', 'order-1')
      await page.getByRole('link', { name: /Atlas asks for \$25/ }).waitFor()
      await page.route('**/api/home', (route) => route.abort())
      await page.getByText('The service does not answer. This is how it stood at').waitFor()
      expect(await at.problems(visit, 'home-old')).toEqual([])
      await page.unroute('**/api/home')
      await page.getByText('The service does not answer').waitFor({ state: 'detached' })
    })
  })

  it('ends an agent by a press and a confirmation, and what it asked for with it', async () => {
    await browser.visit(NOBODY_YET, async (visit) => {
      const { page } = visit
      const { agent, mandate } = await at.withMandate(page)
      const asked = await at.charge(agent, mandate, '25.00', 'order-1')
      await page.goto(at.service.ownerUrl)
      await page.getByText(`Your permissions: ${PERMISSION}`).waitFor()
      await at.press(page, 'End Atlas')
      await page.getByText(`Your permissions end with it: ${PERMISSION}`).waitFor()
      expect(await at.problems(visit, 'home-ending')).toEqual([])
      await at.press(page, 'Keep it')
      await at.press(page, 'End Atlas')
      await at.press(page, 'End it now')
      await page.getByText('No agent may spend for you').waitFor()
      await page.getByText(/^ended on \w+ \d+, \d{4} at /).waitFor()
      await at.service.runJobs()
      await page.reload()
      await page.getByText(`Ended with it: ${PERMISSION}`).waitFor()
      expect(await at.problems(visit, 'home-ended')).toEqual([])
      expect((await agent.send('GET', '/v1/agents/me')).status).toBe(401)
      await page.goto(asked.escalation.url)
      await at.heading(page, 'This agent has ended')
      const { rows } = await at.service.pool.query('select link_id from agents where id = $1', [agent.keyId])
      await page.goto(at.linkUrl(rows[0].link_id))
      await at.heading(page, 'Atlas has ended')
      await page.getByText(/^It ended on \w+ \d+, \d{4} at .* may spend nothing any more/).waitFor()
      expect(await page.getByText('a charge').count()).toBe(0)
      expect(await at.problems(visit, 'link-ended')).toEqual([])
    })
  })
})
