// Guarantee: at their own page a person becomes an owner, links an agent with the limits that they set and the sentence that they read, comes
// back, and says no; and the page is whole for keyboards, screen readers, small screens and both schemes.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bodiesOf, headerOf, type MailServer, startMailServer } from '../../src/mail/testing/mail-server.ts'
import { askFor, askForLink, newAgent, type TestAgent } from '../agents.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { axeProblems, axeSource } from './axe.ts'
import { describeInBrowser, lookAt, VIEWPORTS, type Visit } from './browser.ts'
import { open } from './cardholder.ts'
import { inSight } from './in-sight.ts'
import { enlarge, textProblems } from './text-fit.ts'

/** With what a document would take for its own. */
const OPERATOR = 'Vault "& Sons" <pay>'
const NOBODY_YET = { expects: [/status of 401/] }
/** What `withMandate` gives, as the page says it. */
const PERMISSION = 'Tea House (up to $50 a month)'
const ASKED = {
  name: 'Atlas',
  platform: 'Trips Ltd',
  description: 'Books trains and flights when you ask for a trip. <b>Trusted by millions</b>',
}

describeInBrowser('the page of owners', (browser) => {
  let service: TestService
  let mails: MailServer
  let axe = ''
  beforeAll(async () => {
    mails = await startMailServer()
    service = await startTestService({ env: { ...PATIENT, SMTP_URL: mails.url, OPERATOR_NAME: OPERATOR } })
    axe = await axeSource()
  })
  afterAll(async () => {
    await service?.close()
    await mails?.stop()
  })

  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
  const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()
  const linkUrl = (linkId: string) => `${service.ownerUrl}/links/${linkId}`

  /** What is wrong with the screen that is shown, in each look. */
  async function problems(visit: Visit, name: string): Promise<string[]> {
    const found = await lookAt(visit, `owner-${name}`)
    for (const viewport of [VIEWPORTS.phone, VIEWPORTS.desktop]) {
      await visit.page.setViewportSize(viewport)
      found.push(...(await visit.page.evaluate(textProblems)), ...(await axeProblems(visit.page, axe)))
    }
    await visit.page.setViewportSize(VIEWPORTS.phone)
    await enlarge(visit.page, 200)
    found.push(...(await visit.page.evaluate(textProblems)).map((problem) => `at 200 %: ${problem}`))
    await enlarge(visit.page, 100)
    await visit.page.setViewportSize(VIEWPORTS.desktop)
    return found
  }

  async function linking(changes: object = ASKED): Promise<{ agent: TestAgent; linkId: string }> {
    const agent = newAgent(service)
    return { agent, linkId: await askForLink(agent, changes) }
  }
  const standing = async (agent: TestAgent, linkId: string) =>
    (await agent.send('GET', `/v1/agents/links/${linkId}`)).body

  /** Somebody who comes for the first time. */
  async function becomeOwner(page: Page, name = 'Ann'): Promise<void> {
    await press(page, 'I am here for the first time')
    await page.getByLabel('What should we call you?').fill(name)
    await press(page, 'Create a passkey')
    await page.getByText(name, { exact: true }).waitFor()
  }

  it('links an agent for somebody who comes for the first time, with the limits and the sentence that they read', async () => {
    const { agent, linkId } = await linking()
    await browser.visit(NOBODY_YET, async (visit) => {
      const { page } = visit
      await page.goto(linkUrl(linkId))
      await heading(page, 'Sign in')
      expect(await page.getByRole('banner').textContent()).toBe(`V${OPERATOR}`)
      expect(await problems(visit, 'sign-in')).toEqual([])
      await press(page, 'I am here for the first time')
      await press(page, 'Create a passkey')
      await page.getByText('Type a name').waitFor()
      expect(await problems(visit, 'first-time')).toEqual([])
      await page.getByLabel('What should we call you?').fill('Ann')
      await press(page, 'Create a passkey')

      await heading(page, 'May Atlas spend for you?')
      expect(await page.getByText('<b>Trusted by millions</b>').isVisible()).toBe(true)
      expect(await problems(visit, 'link')).toEqual([])
      await page.getByLabel('A charge', { exact: true }).fill('nothing')
      await page.getByLabel('Only at shops that I name').check()
      await press(page, 'Approve with passkey')
      await page.getByText('Write an amount such as').waitFor()
      expect(await problems(visit, 'link-wrong')).toEqual([])
      await page.getByLabel('A charge', { exact: true }).fill('30')
      await page.getByLabel('Shops', { exact: true }).fill('https://rail.example/tickets air.example')
      await page.getByLabel('Only at certain hours').check()
      await page.getByLabel('From').fill('07:30')
      const sentence = await page.locator('.say').textContent()
      expect(sentence).toContain('It asks you first when a charge repeats another of the last five minutes.')
      expect(sentence).toMatch(/rail\.example and air\.example between 07:30 and 22:00 .*at most \$30\.00 a charge/)
      await press(page, 'Approve with passkey')
      await heading(page, 'Atlas may spend for you')
      expect(await problems(visit, 'link-approved')).toEqual([])

      const { status, agent_id } = await standing(agent, linkId)
      expect(status).toBe('approved')
      const me = await newAgent(service, agent_id, { privateKey: agent.privateKey, publicKey: agent.privateKey }).send(
        'GET',
        '/v1/agents/me',
      )
      expect(me.body.limits).toContainEqual(expect.objectContaining({ kind: 'charge', limit: '30.00' }))
      expect(me.body.limits).toContainEqual(
        expect.objectContaining({ kind: 'merchants', limit: 'rail.example, air.example' }),
      )
      const { rows } = await service.pool.query(`select terms from approvals where subject_id = $1`, [linkId])
      const terms = JSON.parse(rows[0].terms)
      expect(terms).toMatchObject({ name: 'Atlas', platform: 'Trips Ltd', sentence: { text: sentence } })
      expect(terms.key_thumbprint).toMatch(/^[\w-]{43}$/)

      // Opened again, by its owner and by somebody else.
      await page.reload()
      await heading(page, 'Atlas may spend for you')
      await press(page, 'Sign out')
      await heading(page, 'Sign in')
      await becomeOwner(page, 'Mallory')
      await heading(page, 'This request is somebody else’s')
      expect(await page.getByText('Atlas').count()).toBe(0)
    })
  })

  it('lets an owner come back without a name, by keyboard alone, and tells the agent that they said no', async () => {
    const { agent, linkId } = await linking()
    await browser.visit(NOBODY_YET, async (visit) => {
      const { page } = visit
      await page.goto(linkUrl(linkId))
      await becomeOwner(page)
      await press(page, 'Sign out')
      await heading(page, 'Sign in')
      const pressByKey = async (name: string) => {
        for (let tabs = 0; tabs < 30; tabs += 1) {
          await page.keyboard.press('Tab')
          const focused = await page.evaluate(() => document.activeElement?.textContent?.trim())
          if (focused === name) return page.keyboard.press('Enter')
        }
        throw new Error(`The keyboard does not come to ${name}.`)
      }
      await pressByKey('Sign in with a passkey')
      await heading(page, 'May Atlas spend for you?')
      await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
      await pressByKey('Deny')
      await heading(page, 'You said no to Atlas')
      expect(await problems(visit, 'link-denied')).toEqual([])
      expect(await standing(agent, linkId)).toEqual({ status: 'denied' })
      // Its time passes: what was denied stays so.
      await service.pool.query(`update agent_links set expires_at = now() - interval '1 minute' where id = $1`, [
        linkId,
      ])
      expect(await standing(agent, linkId)).toEqual({ status: 'denied' })
    })
  })

  it('says of a link that has run out, that is none, and that cannot be asked for, that this is so', async () => {
    const { agent, linkId } = await linking()
    await browser.visit({ expects: [/status of 40[014]/, /ERR_FAILED/] }, async (visit) => {
      const { page } = visit
      await page.goto(linkUrl(linkId))
      await becomeOwner(page)
      await heading(page, 'May Atlas spend for you?')
      await service.pool.query(`update agent_links set expires_at = now() - interval '1 minute' where id = $1`, [
        linkId,
      ])
      await press(page, 'Approve with passkey')
      await heading(page, 'This request has run out')
      expect(await problems(visit, 'link-expired')).toEqual([])
      expect(await standing(agent, linkId)).toEqual({ status: 'expired' })
      await page.goto(linkUrl('lk_none'))
      await heading(page, 'There is no such request')
      await page.route('**/api/session', (route) => route.abort())
      await page.reload()
      await heading(page, 'We cannot be reached')
      expect(await problems(visit, 'offline')).toEqual([])
      await page.unroute('**/api/session')
      await press(page, 'Try again')
      await heading(page, 'There is no such request')
    })
  })

  /** On the surface: all of the button must have been in sight for a moment. */
  async function allow(page: Page): Promise<void> {
    await (await inSight(page, page.getByRole('button', { name: /^Allow up to / }))).click()
  }

  /** An agent that somebody who comes for the first time has linked, with the limits that the page proposes. */
  async function withAgent(page: Page): Promise<TestAgent & { agentId: string }> {
    const { agent, linkId } = await linking()
    await page.goto(linkUrl(linkId))
    await becomeOwner(page)
    await press(page, 'Approve with passkey')
    await heading(page, 'Atlas may spend for you')
    const { agent_id: agentId } = await standing(agent, linkId)
    const { privateKey } = agent
    return { ...newAgent(service, agentId, { privateKey, publicKey: privateKey }), agentId }
  }

  /** The same with a mandate: 50.00 a month at the tea house, approved on the surface with the same passkey. */
  async function withMandate(page: Page): Promise<{ agent: TestAgent; mandate: string }> {
    const agent = await withAgent(page)
    const setup = await askFor(agent, { total_amount: '50.00', mandate_setup: { recurring_frequency: 'monthly' } })
    const ann = await open(page, setup.body.payment_url)
    await ann.enterCard()
    await allow(page)
    await ann.heading('Allowed').waitFor()
    return { agent, mandate: setup.body.mandate_id }
  }
  const charge = async (agent: TestAgent, mandate: string, amount: string, reference: string) =>
    (await agent.send('POST', `/v1/mandates/${mandate}/charge`, { amount, reference })).body

  it('shows an owner what a charge asks and why it was refused, and takes their word: within the permission, and beyond it', async () => {
    await browser.visit(NOBODY_YET, async (visit) => {
      const { page } = visit
      const { agent, mandate } = await withMandate(page)
      expect(await charge(agent, mandate, '12.00', 'order-1')).toMatchObject({ status: 'awaiting_result' })
      const refused = await charge(agent, mandate, '25.00', 'order-2')
      expect(refused).toMatchObject({ status: 'failed', errorCode: 'AGENT_LIMIT_EXCEEDED' })
      expect(refused.escalation.url).toMatch(new RegExp(`^${service.ownerUrl}/escalations/esc_`))
      await page.goto(service.ownerUrl)
      await heading(page, 'Your agents')
      expect(await problems(visit, 'home')).toEqual([])
      await page.getByRole('link', { name: /Atlas asks for \$25\.00/ }).click()
      await heading(page, 'Allow $25.00 once?')
      await page.getByText('it is more than $20.00, the most you allow a charge').waitFor()
      // The amount is written as the sentence writes it.
      expect(await page.locator('#sentence').textContent()).toContain(
        'may pay Tea House (tea.example) $25.00, this once',
      )
      expect(await problems(visit, 'escalation')).toEqual([])
      await press(page, 'Allow $25.00 once')
      await heading(page, '$25.00 is allowed, once')
      expect(await problems(visit, 'escalation-allowed')).toEqual([])
      const made = await charge(agent, mandate, '25.00', 'order-2')
      expect(made).toMatchObject({ status: 'awaiting_result' })
      await page.reload()
      await heading(page, '$25 is on its way')
      const report = `/v1/mandates/${mandate}/charges/${made.transactionId}/report`
      await agent.send('POST', report, { txn_status: 'APPROVED', txn_type: 'PURCHASE' })
      await page.reload()
      await heading(page, '$25 was paid')
      expect(await problems(visit, 'escalation-paid')).toEqual([])

      const twice = await charge(agent, mandate, '25.00', 'order-2b')
      await page.goto(twice.escalation.url)
      await page.getByText('Possible duplicate: Atlas has charged the same at this shop').waitFor()
      await page.getByText('The same', { exact: true }).waitFor()
      expect(await problems(visit, 'escalation-duplicate')).toEqual([])
      expect(await charge(agent, mandate, '1.00', 'order-5')).toMatchObject({ status: 'awaiting_result' })
      await page.reload()
      await page.getByRole('heading', { name: 'Before it' }).waitFor()
      expect(await page.getByText('$1', { exact: true }).count()).toBe(0)

      const beyond = await charge(agent, mandate, '60.00', 'order-3')
      await page.goto(beyond.escalation.url)
      await heading(page, 'Allow $60.00 once?')
      await page.getByText('is left of the $50.00 that you permitted at Tea House').waitFor()
      expect(await problems(visit, 'escalation-beyond')).toEqual([])
      await press(page, 'Go on to permit $60.00')
      await page.waitForURL(`${service.surfaceUrl}/**`)
      await press(page, 'Continue')
      await allow(page)
      await page.waitForURL(`${service.ownerUrl}/escalations/**`)
      await heading(page, '$60.00 is allowed, once')
      const carried = await charge(agent, mandate, '60.00', 'order-3')
      expect(carried).toMatchObject({ status: 'awaiting_result', mandateId: expect.not.stringMatching(mandate) })

      const denied = await charge(agent, mandate, '24.00', 'order-4')
      await page.goto(denied.escalation.url)
      await press(page, 'Leave it refused')
      await heading(page, '$24.00 stays refused')
      expect(await charge(agent, mandate, '24.00', 'order-4')).toMatchObject({ errorCode: 'OWNER_DENIED' })
    })
  })

  it('shows an owner the card that everybody would read, and publishes it and takes it back', async () => {
    await browser.visit(NOBODY_YET, async (visit) => {
      const { page } = visit
      const agent = await withAgent(page)
      const { agentId } = agent
      const card = () => fetch(`${service.apiUrl}/v1/agents/${agentId}/card`)
      await page.goto(service.ownerUrl)
      await page.getByText('Shops cannot verify it').waitFor()
      await press(page, 'Its card: Atlas')
      await page.getByText('The whole card').click()
      const shown = JSON.parse((await page.locator('pre').textContent()) ?? '')
      expect(await problems(visit, 'home-card')).toEqual([])
      await press(page, 'Keep it private')
      expect((await card()).status).toBe(404)
      await press(page, 'Its card: Atlas')
      await press(page, 'Publish it')
      await page.getByText('Shops can verify it', { exact: true }).waitFor()
      expect(await (await card()).json()).toEqual(shown)
      expect(shown).toMatchObject({ client_name: 'Atlas', client_id: expect.stringMatching(`${agentId}/card$`) })
      await press(page, 'Its card: Atlas')
      await page.getByText('Everybody can read this card').waitFor()
      expect(await problems(visit, 'home-published')).toEqual([])
      // The agent calls itself otherwise: shops read the name that was published, until the owner says otherwise.
      await agent.send('PATCH', '/v1/agents/me', { name: 'Atlas Official' })
      await page.reload()
      await page.getByText('called Atlas when you linked it', { exact: true }).waitFor()
      expect(await (await card()).json()).toEqual(shown)
      await press(page, 'Its card: Atlas Official')
      await page
        .getByText('It calls itself Atlas Official by now. Shops read Atlas until you publish it again.')
        .waitFor()
      expect(await problems(visit, 'home-renamed')).toEqual([])
      await press(page, 'Publish it by its new name')
      await expect.poll(async () => (await card()).json()).toMatchObject({ client_name: 'Atlas Official' })
      await press(page, 'Its card: Atlas Official')
      await press(page, 'Take it back')
      await page.getByText('Shops cannot verify it', { exact: true }).waitFor()
      expect((await card()).status).toBe(404)
    })
  })

  it('gives an agent less by a press and more by the passkey, over the sentence that is read, and says when another page was faster', async () => {
    await browser.visit({ expects: [/status of 40[01]/] }, async (visit) => {
      const { page } = visit
      const agent = await withAgent(page)
      const limits = async () => (await agent.send('GET', '/v1/agents/me')).body.limits
      const toBe = (kind: string, limit: string) => expect.objectContaining({ kind, limit })
      await page.goto(service.ownerUrl)
      await press(page, 'Its limits: Atlas')
      await page.getByText('Nothing is changed yet').waitFor()
      expect(await problems(visit, 'home-limits')).toEqual([])
      await page.getByLabel('A charge', { exact: true }).fill('x')
      await press(page, 'Change')
      await page.getByText('Write an amount such as').waitFor()
      await page.getByLabel('A charge', { exact: true }).fill('10')
      await page.getByText('$10.00 a charge instead of $20.00 a charge').waitFor()
      await press(page, 'Change')
      await page.getByText('$10.00 a charge').waitFor()
      expect(await limits()).toContainEqual(toBe('charge', '10.00'))

      await press(page, 'Its limits: Atlas')
      await page.getByLabel('A day').fill('')
      await page.getByLabel('Only at shops that I name').check()
      await page.getByLabel('Shops', { exact: true }).fill('rail.example')
      const sentence = await page.locator('.say').textContent()
      expect(sentence).toMatch(/any amount a day instead of \$50\.00 a day; only rail\.example instead of any shop/)
      expect(await problems(visit, 'home-limits-more')).toEqual([])
      await press(page, 'Change with passkey')
      await page.getByRole('button', { name: 'Its limits: Atlas' }).waitFor()
      expect(await limits()).toContainEqual(toBe('merchants', 'rail.example'))
      const signed = await service.pool.query(
        `select terms from approvals where subject_type = 'agent_limits' and terms like $1`,
        [`%${agent.agentId}%`],
      )
      expect(signed.rows.map(({ terms }) => JSON.parse(terms).sentence.text)).toEqual([sentence])

      await press(page, 'Its limits: Atlas')
      await page.getByLabel('A charge', { exact: true }).fill('15')
      // Another tab of the same owner.
      await page.evaluate(async () => {
        const { agents } = await (await fetch('/api/home')).json()
        const [{ agent_id, version, terms }] = agents
        const body = JSON.stringify({ version, limits: { ...terms, charge: '7.00' } })
        const headers = { 'content-type': 'application/json' }
        await fetch(`/api/agents/${agent_id}/limits`, { method: 'POST', headers, body })
      })
      await press(page, 'Change with passkey')
      await page.getByText('changed elsewhere meanwhile').waitFor()
      await expect.poll(() => page.getByLabel('A charge', { exact: true }).inputValue()).toBe('7')
      expect(await problems(visit, 'home-limits-stale')).toEqual([])
      expect(await limits()).toContainEqual(toBe('charge', '7.00'))
    })
  })

  it('mails an owner what an agent asks, once they have typed the code, until they stop it', async () => {
    await browser.visit({ expects: [/status of 40[01]/] }, async (visit) => {
      const { page } = visit
      const { agent, mandate } = await withMandate(page)
      await page.goto(service.ownerUrl)
      await press(page, 'Mail me a code')
      await page.getByText('Write an address such as').waitFor()
      expect(await problems(visit, 'mail-wrong')).toEqual([])
      await page.getByLabel('Your email address').fill('ann@owners.example')
      await press(page, 'Mail me a code')
      await page.getByText('We mailed six digits to').waitFor()
      await service.runJobs()
      const code = headerOf(mails.received.at(-1) ?? { text: '' }, 'Subject')?.slice(0, 6) ?? ''
      await page.getByLabel('Code').fill(code === '000000' ? '000001' : '000000')
      await press(page, 'Confirm')
      await page.getByText('That is not the code').waitFor()
      expect(await problems(visit, 'mail-code')).toEqual([])
      await page.getByLabel('Code').fill(`${code.slice(0, 3)} ${code.slice(3)}`)
      await press(page, 'Confirm')
      await page.getByText('What agents ask is mailed to').waitFor()
      expect(await problems(visit, 'mail-confirmed')).toEqual([])

      const asked = await charge(agent, mandate, '25.00', 'order-1')
      await service.runJobs()
      const mail = mails.received.at(-1) ?? { text: '' }
      expect(headerOf(mail, 'Subject')).toBe('An agent of yours asks you for your word')
      const [link = ''] = /http\S+/.exec(bodiesOf(mail).plain) ?? []
      expect(link).toBe(asked.escalation.url)
      await page.goto(link)
      await heading(page, 'Allow $25.00 once?')
      await page.goto(service.ownerUrl)
      await press(page, 'Stop the mails')
      await page.getByLabel('Your email address').waitFor()
      const { rowCount } = await service.pool.query(`select 1 from owner_addresses where email = 'ann@owners.example'`)
      expect(rowCount).toBe(0)
    })
  })

  it('shows at home what comes while it is open, and says so where it cannot know', async () => {
    await browser.visit({ expects: [...NOBODY_YET.expects, /net::ERR_FAILED .*\/api\/home/] }, async (visit) => {
      const { page } = visit
      const { agent, mandate } = await withMandate(page)
      await page.goto(service.ownerUrl)
      await heading(page, 'Your agents')
      await charge(agent, mandate, '25.00', 'order-1')
      await page.getByRole('link', { name: /Atlas asks for \$25/ }).waitFor()
      await page.route('**/api/home', (route) => route.abort())
      await page.getByText('The service does not answer. This is how it stood at').waitFor()
      expect(await problems(visit, 'home-old')).toEqual([])
      await page.unroute('**/api/home')
      await page.getByText('The service does not answer').waitFor({ state: 'detached' })
    })
  })

  it('ends an agent by a press and a confirmation, and what it asked for with it', async () => {
    await browser.visit(NOBODY_YET, async (visit) => {
      const { page } = visit
      const { agent, mandate } = await withMandate(page)
      const asked = await charge(agent, mandate, '25.00', 'order-1')
      await page.goto(service.ownerUrl)
      await page.getByText(`Your permissions: ${PERMISSION}`).waitFor()
      await press(page, 'End Atlas')
      await page.getByText(`Your permissions end with it: ${PERMISSION}`).waitFor()
      expect(await problems(visit, 'home-ending')).toEqual([])
      await press(page, 'Keep it')
      await press(page, 'End Atlas')
      await press(page, 'End it now')
      await page.getByText('No agent may spend for you').waitFor()
      await page.getByText(/^ended on \w+ \d+, \d{4} at /).waitFor()
      await service.runJobs()
      await page.reload()
      await page.getByText(`Ended with it: ${PERMISSION}`).waitFor()
      expect(await problems(visit, 'home-ended')).toEqual([])
      expect((await agent.send('GET', '/v1/agents/me')).status).toBe(401)
      await page.goto(asked.escalation.url)
      await heading(page, 'This agent has ended')
      const { rows } = await service.pool.query('select link_id from agents where id = $1', [agent.keyId])
      await page.goto(linkUrl(rows[0].link_id))
      await heading(page, 'Atlas has ended')
      await page.getByText(/^It ended on \w+ \d+, \d{4} at .* may spend nothing any more/).waitFor()
      expect(await page.getByText('a charge').count()).toBe(0)
      expect(await problems(visit, 'link-ended')).toEqual([])
    })
  })
})
