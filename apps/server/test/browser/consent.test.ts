// Guarantee: who lets software in by OAuth reads, in a real browser, which host describes it and where the answer goes,
// and is led back to it; who was sent the link of what another client began gives that one nothing.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PATIENT, type TestService } from '../service.ts'
import {
  authorizationUrl,
  begin,
  callTool,
  type Documents,
  goOn,
  newBrowser,
  newVerifier,
  startDocuments,
  startToolService,
  trade,
} from '../tool-clients.ts'
import { axeProblems, axeSource } from './axe.ts'
import { describeInBrowser } from './browser.ts'
import { becomeOwner } from './owners.ts'

const NOBODY_YET = { expects: [/status of 40[01]/] }

describeInBrowser('consent by the tool protocol', (browser) => {
  let service: TestService
  let documents: Documents
  let callback: Server
  let back: string
  beforeAll(async () => {
    documents = await startDocuments()
    service = await startToolService({ env: PATIENT })
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
    await service?.close()
    await documents?.close()
  })

  const press = (page: Page, name: string) => page.getByRole('button', { name }).click()
  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()

  async function signUp(page: Page): Promise<void> {
    await becomeOwner(page, service)
    await heading(page, 'May Pantry spend for you?')
  }

  it('names the client’s hosts and what it asks for, and leads back to it with a code', async () => {
    const [clientId, verifier] = [documents.url(), newVerifier()]
    const scope = 'payments:read checkout:write'
    const url = authorizationUrl(service, { clientId, verifier, scope, changes: { redirect_uri: back } })
    await browser.visit(NOBODY_YET, async ({ page }) => {
      await page.goto(url)
      await signUp(page)
      const client = await page.locator('#client').innerText()
      expect(client).toContain(new URL(clientId).host)
      expect(client).toContain('127.0.0.1')
      expect(client).toContain('It asks you for purchases, each of which you approve.')
      expect(client).not.toContain('standing permissions')
      expect(await axeProblems(page, await axeSource())).toEqual([])
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

  it('of what another client began ends in words, and in an agent that is revoked', async () => {
    const attacker = newBrowser()
    const linkId = await begin(attacker, authorizationUrl(service, { clientId: documents.url() }))
    await browser.visit(NOBODY_YET, async ({ page }) => {
      await page.goto(`${service.ownerUrl}/links/${linkId}`)
      await signUp(page)
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
