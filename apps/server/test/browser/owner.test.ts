// Guarantee: at their own page a person becomes an owner, links an agent with the limits that they set and the sentence that they read, comes
// back, and says no; and the page is whole for keyboards, screen readers, small screens, large text and both schemes.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newAgent } from '../agents.ts'
import { describeInBrowser } from './browser.ts'
import { NOBODY_YET, OPERATOR, type OwnerPage, startOwnerPage } from './owner-page.ts'

describeInBrowser('the page of owners', (browser) => {
  let at: OwnerPage
  beforeAll(async () => {
    at = await startOwnerPage()
  })
  afterAll(() => at?.close())

  it('links an agent for somebody who comes for the first time, with the limits and the sentence that they read', async () => {
    const { agent, linkId } = await at.linking()
    await browser.visit(NOBODY_YET, async (visit) => {
      const { page } = visit
      await page.goto(at.linkUrl(linkId))
      await at.heading(page, 'Sign in')
      expect(await page.getByRole('banner').textContent()).toBe(`V${OPERATOR}`)
      expect(await at.problems(visit, 'sign-in')).toEqual([])
      await at.press(page, 'I am here for the first time')
      await at.press(page, 'Create a passkey')
      await page.getByText('Type a name').waitFor()
      expect(await at.problems(visit, 'first-time')).toEqual([])
      await page.getByLabel('What should we call you?').fill('Ann')
      await at.press(page, 'Create a passkey')

      await at.heading(page, 'May Atlas spend for you?')
      expect(await page.getByText('<b>Trusted by millions</b>').isVisible()).toBe(true)
      expect(await at.problems(visit, 'link')).toEqual([])
      await page.getByLabel('A charge', { exact: true }).fill('nothing')
      await page.getByLabel('Only at shops that I name').check()
      await at.press(page, 'Approve with passkey')
      await page.getByText('Write an amount such as').waitFor()
      expect(await at.problems(visit, 'link-wrong')).toEqual([])
      await page.getByLabel('A charge', { exact: true }).fill('30')
      await page.getByLabel('Shops', { exact: true }).fill('https://rail.example/tickets air.example')
      await page.getByLabel('Only at certain hours').check()
      await page.getByLabel('From').fill('07:30')
      const sentence = await page.locator('.say').textContent()
      expect(sentence).toContain('It asks you first when a charge repeats another of the last five minutes.')
      expect(sentence).toMatch(/rail\.example and air\.example between 07:30 and 22:00 .*at most \$30\.00 a charge/)
      await at.press(page, 'Approve with passkey')
      await at.heading(page, 'Atlas may spend for you')
      expect(await at.problems(visit, 'link-approved')).toEqual([])

      const { status, agent_id } = await at.standing(agent, linkId)
      expect(status).toBe('approved')
      const me = await newAgent(at.service, agent_id, {
        privateKey: agent.privateKey,
        publicKey: agent.privateKey,
      }).send('GET', '/v1/agents/me')
      expect(me.body.limits).toContainEqual(expect.objectContaining({ kind: 'charge', limit: '30.00' }))
      expect(me.body.limits).toContainEqual(
        expect.objectContaining({ kind: 'merchants', limit: 'rail.example, air.example' }),
      )
      const { rows } = await at.service.pool.query(`select terms from approvals where subject_id = $1`, [linkId])
      const terms = JSON.parse(rows[0].terms)
      expect(terms).toMatchObject({ name: 'Atlas', platform: 'Trips Ltd', sentence: { text: sentence } })
      expect(terms.key_thumbprint).toMatch(/^[\w-]{43}$/)

      // Opened again, by its owner and by another owner.
      await page.reload()
      await at.heading(page, 'Atlas may spend for you')
      await at.press(page, 'Sign out')
      await at.heading(page, 'Sign in')
      await at.becomeOwner(page, 'Mallory')
      await at.heading(page, 'This request is somebody else’s')
      expect(await page.getByText('Atlas').count()).toBe(0)
    })
  })

  it('lets an owner come back without a name, by keyboard alone, and tells the agent that they said no', async () => {
    const { agent, linkId } = await at.linking()
    await browser.visit(NOBODY_YET, async (visit) => {
      const { page } = visit
      await page.goto(at.linkUrl(linkId))
      await at.becomeOwner(page)
      await at.press(page, 'Sign out')
      await at.heading(page, 'Sign in')
      const pressByKey = async (name: string) => {
        for (let tabs = 0; tabs < 30; tabs += 1) {
          await page.keyboard.press('Tab')
          const focused = await page.evaluate(() => document.activeElement?.textContent?.trim())
          if (focused === name) return page.keyboard.press('Enter')
        }
        throw new Error(`The keyboard does not come to ${name}.`)
      }
      await pressByKey('Sign in with a passkey')
      await at.heading(page, 'May Atlas spend for you?')
      await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
      await pressByKey('Deny')
      await at.heading(page, 'You said no to Atlas')
      expect(await at.problems(visit, 'link-denied')).toEqual([])
      expect(await at.standing(agent, linkId)).toEqual({ status: 'denied' })
      // Its time passes: what was denied stays so.
      await at.service.pool.query(`update agent_links set expires_at = now() - interval '1 minute' where id = $1`, [
        linkId,
      ])
      expect(await at.standing(agent, linkId)).toEqual({ status: 'denied' })
    })
  })

  it('says of a link that has run out, that is none, and that cannot be asked for, that this is so', async () => {
    const { agent, linkId } = await at.linking()
    await browser.visit({ expects: [/status of 40[014]/, /ERR_FAILED/] }, async (visit) => {
      const { page } = visit
      await page.goto(at.linkUrl(linkId))
      await at.becomeOwner(page)
      await at.heading(page, 'May Atlas spend for you?')
      await at.service.pool.query(`update agent_links set expires_at = now() - interval '1 minute' where id = $1`, [
        linkId,
      ])
      await at.press(page, 'Approve with passkey')
      await at.heading(page, 'This request has run out')
      expect(await at.problems(visit, 'link-expired')).toEqual([])
      expect(await at.standing(agent, linkId)).toEqual({ status: 'expired' })
      await page.goto(at.linkUrl('lk_none'))
      await at.heading(page, 'There is no such request')
      await page.route('**/api/session', (route) => route.abort())
      await page.reload()
      await at.heading(page, 'We cannot be reached')
      expect(await at.problems(visit, 'offline')).toEqual([])
      await page.unroute('**/api/session')
      await at.press(page, 'Try again')
      await at.heading(page, 'There is no such request')
    })
  })

  it('shows an owner the card that everybody would read, and publishes it and takes it back', async () => {
    await browser.visit(NOBODY_YET, async (visit) => {
      const { page } = visit
      const agent = await at.withAgent(page)
      const { agentId } = agent
      const card = () => fetch(`${at.service.apiUrl}/v1/agents/${agentId}/card`)
      await page.goto(at.service.ownerUrl)
      await page.getByText('Shops cannot verify it').waitFor()
      await at.press(page, 'Its card: Atlas')
      await page.getByText('The whole card').click()
      const shown = JSON.parse((await page.locator('pre').textContent()) ?? '')
      expect(await at.problems(visit, 'home-card')).toEqual([])
      await at.press(page, 'Keep it private')
      expect((await card()).status).toBe(404)
      await at.press(page, 'Its card: Atlas')
      await at.press(page, 'Publish it')
      await page.getByText('Shops can verify it', { exact: true }).waitFor()
      expect(await (await card()).json()).toEqual(shown)
      expect(shown).toMatchObject({ client_name: 'Atlas', client_id: expect.stringMatching(`${agentId}/card$`) })
      await at.press(page, 'Its card: Atlas')
      await page.getByText('Everybody can read this card').waitFor()
      expect(await at.problems(visit, 'home-published')).toEqual([])
      // The agent calls itself otherwise: shops read the name that was published, until the owner says otherwise.
      await agent.send('PATCH', '/v1/agents/me', { name: 'Atlas Official' })
      await page.reload()
      await page.getByText('called Atlas when you linked it', { exact: true }).waitFor()
      expect(await (await card()).json()).toEqual(shown)
      await at.press(page, 'Its card: Atlas Official')
      await page
        .getByText('It calls itself Atlas Official by now. Shops read Atlas until you publish it again.')
        .waitFor()
      expect(await at.problems(visit, 'home-renamed')).toEqual([])
      await at.press(page, 'Publish it by its new name')
      await expect.poll(async () => (await card()).json()).toMatchObject({ client_name: 'Atlas Official' })
      await at.press(page, 'Its card: Atlas Official')
      await at.press(page, 'Take it back')
      await page.getByText('Shops cannot verify it', { exact: true }).waitFor()
      expect((await card()).status).toBe(404)
    })
  })

  it('gives an agent less by a press and more by the passkey, over the sentence that is read, and says when another page was faster', async () => {
    await browser.visit({ expects: [/status of 40[01]/] }, async (visit) => {
      const { page } = visit
      const agent = await at.withAgent(page)
      const limits = async () => (await agent.send('GET', '/v1/agents/me')).body.limits
      const toBe = (kind: string, limit: string) => expect.objectContaining({ kind, limit })
      await page.goto(at.service.ownerUrl)
      await at.press(page, 'Its limits: Atlas')
      await page.getByText('Nothing is changed yet').waitFor()
      expect(await at.problems(visit, 'home-limits')).toEqual([])
      await page.getByLabel('A charge', { exact: true }).fill('x')
      await at.press(page, 'Change')
      await page.getByText('Write an amount such as').waitFor()
      await page.getByLabel('A charge', { exact: true }).fill('10')
      await page.getByText('$10.00 a charge instead of $20.00 a charge').waitFor()
      await at.press(page, 'Change')
      // The sentence in the form says the new amount before it holds.
      await page.getByRole('button', { name: 'Its limits: Atlas' }).waitFor()
      await page.getByText('$10.00 a charge').waitFor()
      expect(await limits()).toContainEqual(toBe('charge', '10.00'))

      await at.press(page, 'Its limits: Atlas')
      await page.getByLabel('A day').fill('')
      await page.getByLabel('Only at shops that I name').check()
      await page.getByLabel('Shops', { exact: true }).fill('rail.example')
      const sentence = await page.locator('.say').textContent()
      expect(sentence).toMatch(/any amount a day instead of \$50\.00 a day; only rail\.example instead of any shop/)
      expect(await at.problems(visit, 'home-limits-more')).toEqual([])
      await at.press(page, 'Change with passkey')
      await page.getByRole('button', { name: 'Its limits: Atlas' }).waitFor()
      expect(await limits()).toContainEqual(toBe('merchants', 'rail.example'))
      const signed = await at.service.pool.query(
        `select terms from approvals where subject_type = 'agent_limits' and terms like $1`,
        [`%${agent.agentId}%`],
      )
      expect(signed.rows.map(({ terms }) => JSON.parse(terms).sentence.text)).toEqual([sentence])

      // It has looked what holds now. From here on it does so when it has been pressed: by itself, every few seconds, it would
      // begin the form anew before that.
      await page.getByText('only rail.example').waitFor()
      const { promise: pressed, resolve: look } = Promise.withResolvers<void>()
      await page.route('**/api/home', async (route) => {
        if (route.request().headers()['x-tab'] !== 'other') await pressed
        await route.continue()
      })
      await at.press(page, 'Its limits: Atlas')
      await page.getByLabel('A charge', { exact: true }).fill('15')
      await page.evaluate(async () => {
        const { agents } = await (await fetch('/api/home', { headers: { 'x-tab': 'other' } })).json()
        const [{ agent_id, version, terms }] = agents
        const body = JSON.stringify({ version, limits: { ...terms, charge: '7.00' } })
        const headers = { 'content-type': 'application/json' }
        await fetch(`/api/agents/${agent_id}/limits`, { method: 'POST', headers, body })
      })
      await at.press(page, 'Change with passkey')
      await page.getByText('changed elsewhere meanwhile').waitFor()
      look()
      await expect.poll(() => page.getByLabel('A charge', { exact: true }).inputValue()).toBe('7')
      expect(await at.problems(visit, 'home-limits-stale')).toEqual([])
      expect(await limits()).toContainEqual(toBe('charge', '7.00'))
    })
  })
})
