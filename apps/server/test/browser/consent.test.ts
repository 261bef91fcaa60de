// Guarantee: an owner who lets software in by OAuth reads, in a real browser, which host describes it and where the answer goes, and is led
// back to it; an owner who was sent the link of what an attacker began gives the attacker nothing.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { askForLink, newAgent } from '../agents.ts'
import type { TestService } from '../service.ts'
import {
  authorizationUrl,
  begin,
  callTool,
  goOn,
  newBrowser,
  newVerifier,
  register,
  rpc,
  startToolParty,
  type ToolParty,
  trade,
} from '../tool-clients.ts'
import { describeInBrowser } from './browser.ts'
import { problemsOf } from './owner-page.ts'

const NOBODY_YET = { expects: [/status of 40[01]/] }

describeInBrowser('consent by the tool protocol', (browser) => {
  let party: ToolParty
  let service: TestService
  let callback: Server
  let back: string
  beforeAll(async () => {
    party = await startToolParty()
    service = party.service
    callback = createServer((_request, response) =>
      response
        .setHeader('content-type', 'text/html')
        .end('<!doctype html><title>Back</title><link rel="icon" href="data:,">'),
    )
    await new Promise<void>((resolve) => callback.listen(0, '127.0.0.1', resolve))
    back = `http://127.0.0.1:${(callback.address() as AddressInfo).port}/callback`
  })
  afterAll(async () => {
    callback?.closeAllConnections()
    callback?.close()
    await party?.close()
  })

  const press = (page: Page, name: string) => page.getByRole('button', { name }).click()
  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()

  async function becomeOwner(page: Page, asked = 'Pantry'): Promise<void> {
    await press(page, 'I am here for the first time')
    await page.getByLabel('What should we call you?').fill('Ann')
    await press(page, 'Create a passkey')
    await heading(page, `May ${asked} spend for you?`)
  }

  it('names the client’s hosts and what it asks for, and leads back to it with a code', async () => {
    const [clientId, verifier] = [party.clientId, newVerifier()]
    const scope = 'payments:read checkout:write'
    const url = authorizationUrl(service, { clientId, verifier, scope, changes: { redirect_uri: back } })
    await browser.visit(NOBODY_YET, async (visit) => {
      const { page } = visit
      await page.goto(url)
      await becomeOwner(page)
      const client = await page.locator('#client').innerText()
      expect(client).toContain(new URL(clientId).host)
      expect(client).toContain('127.0.0.1')
      expect(client).toContain('It asks you for purchases, each of which you approve.')
      expect(client).not.toContain('standing permissions')
      expect(await problemsOf(visit, 'consent')).toEqual([])
      await press(page, 'Approve with passkey')
      await page.waitForURL((address) => address.href.startsWith(back))
      const told = new URL(page.url()).searchParams
      expect(told.get('iss')).toBe(service.apiUrl)
      const code = told.get('code') ?? ''
      const { body } = await trade(service, { clientId, verifier, code }, { redirect_uri: back })
      const { body: me } = await callTool(service, body.access_token, 'get_agent')
      expect(me.result.structuredContent).toMatchObject({ name: 'Pantry', scopes: scope.split(' ') })
      // Where its owner ends it.
      await page.goto(`${service.ownerUrl}/`)
      await page.getByText('Pantry').first().waitFor()
    })
  })

  /** Lets a client in by the page that is open, and calls as it. */
  async function letIn(page: Page, verifier: string, clientId: string) {
    await press(page, 'Approve with passkey')
    await page.waitForURL((address) => address.href.startsWith(back))
    const code = new URL(page.url()).searchParams.get('code') ?? ''
    const { body } = await trade(service, { clientId, verifier, code }, { redirect_uri: back })
    const tool = async (name: string) =>
      (await callTool(service, body.access_token, name)).body.result.structuredContent
    const names = async () =>
      (await rpc(service, body.access_token, 'tools/list')).body.result.tools.map(({ name }: { name: string }) => name)
    return { me: await tool('get_agent'), names }
  }

  it('asks which of the owner’s agents it is: more scopes and a key are of the same one, whose limits stay', async () => {
    const [clientId, verifier] = [party.clientId, newVerifier()]
    const urlFor = (scope: string) =>
      authorizationUrl(service, { clientId, verifier, scope, changes: { redirect_uri: back } })
    await browser.visit(NOBODY_YET, async (visit) => {
      const { page } = visit
      await page.goto(urlFor('payments:read'))
      await becomeOwner(page)
      // An owner who has no agent is asked nothing.
      expect(await page.getByText('Which of your agents is this?').count()).toBe(0)
      await page.getByLabel('A charge', { exact: true }).fill('7')
      const { me: first } = await letIn(page, verifier, clientId)

      await page.goto(urlFor('payments:read checkout:write'))
      await heading(page, 'May Pantry spend for you?')
      const own = page.getByRole('radio', { name: /^Pantry/ })
      expect(await own.isChecked()).toBe(true)
      expect(await page.locator('#sentence').innerText()).toMatch(
        /^From now on Pantry acts as your agent Pantry, .+ at most \$7(?:\.00)? a charge/,
      )
      expect(await page.getByLabel('A charge', { exact: true }).count()).toBe(0)
      expect(await problemsOf(visit, 'consent-which')).toEqual([])
      await page.getByRole('radio', { name: 'A new agent, with limits of its own' }).check()
      expect(await page.getByLabel('A charge', { exact: true }).inputValue()).toBe('20')
      expect(await page.locator('#sentence').innerText()).toMatch(/^Pantry may ask you/)
      expect(await problemsOf(visit, 'consent-new')).toEqual([])
      await own.check()
      const { me: second, names } = await letIn(page, verifier, clientId)
      expect(second).toMatchObject({ agent_id: first.agent_id, limits: first.limits, has_key: false })
      expect(second.scopes).toEqual(['payments:read', 'checkout:write'])
      expect(await names()).not.toContain('request_purchase')

      const linkId = await askForLink(newAgent(service), { name: 'Key of the pantry' })
      await page.goto(`${service.ownerUrl}/links/${linkId}`)
      await heading(page, 'May Key of the pantry spend for you?')
      // A key makes a new agent, unless its owner says otherwise.
      expect(await own.isChecked()).toBe(false)
      await own.check()
      await press(page, 'Approve with passkey')
      await heading(page, 'Key of the pantry may spend for you')
      await page.getByText('From now on Key of the pantry acts as your agent Pantry').waitFor()
      expect(await problemsOf(visit, 'consent-joined')).toEqual([])
      expect(await names()).toContain('request_purchase')
    })
  })

  it('can be read with the longest names and hosts that there are, and many agents', async () => {
    const [name, platform] = ['W'.repeat(100), 'm'.repeat(50)]
    const host = `${'w'.repeat(63)}.${'m'.repeat(63)}.${'w'.repeat(63)}.example`
    const { body: client } = await register(service, { client_name: name, redirect_uris: [`https://${host}/callback`] })
    await browser.visit(NOBODY_YET, async (visit) => {
      const { page } = visit
      for (const own of [name, 'Pantry', 'Kitchen']) {
        const linkId = await askForLink(newAgent(service), { name: own, platform })
        await page.goto(`${service.ownerUrl}/links/${linkId}`)
        if (own === name) await becomeOwner(page, name)
        await press(page, 'Approve with passkey')
        await heading(page, `${own} may spend for you`)
      }
      const scope = 'payments:read mandates:write checkout:write'
      const changes = { redirect_uri: `https://${host}/callback` }
      await page.goto(authorizationUrl(service, { clientId: client.client_id, scope, changes }))
      await heading(page, `May ${name} spend for you?`)
      expect(await page.getByRole('radio').count()).toBe(4)
      await page.getByRole('radio', { name }).check()
      await page.getByText(`acts as your agent ${name}`).waitFor()
      expect(await problemsOf(visit, 'consent-long')).toEqual([])
      await page.goto(`${service.ownerUrl}/`)
      await page.getByText(name, { exact: true }).waitFor()
      expect(await problemsOf(visit, 'home-long')).toEqual([])
    })
  })

  it('of what somebody else began ends in words, and in an agent that is revoked', async () => {
    const attacker = newBrowser()
    const linkId = await begin(attacker, authorizationUrl(service, { clientId: party.clientId }))
    await browser.visit(NOBODY_YET, async ({ page }) => {
      await page.goto(`${service.ownerUrl}/links/${linkId}`)
      await becomeOwner(page)
      await press(page, 'Approve with passkey')
      await heading(page, 'Start again from your app')
    })
    const told = await goOn(attacker, `${service.apiUrl}/oauth/links/${linkId}`)
    expect(told.get('error')).toBe('access_denied')
    const { rows } = await service.pool.query(
      'select agents.status from agents join agent_links on agents.id = agent_links.agent_id where agent_links.id = $1',
      [linkId],
    )
    expect(rows).toEqual([{ status: 'revoked' }])
  })
})
