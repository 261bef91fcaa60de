// Guarantee: the passkey that a person has made when they paid at a shop opens the wallet, once their address is
// proven, and no other one is made for it.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSession } from '../flows.ts'
import { newAddress } from '../owners.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { axeProblems, axeSource } from './axe.ts'
import { describeInBrowser, lookAt, VIEWPORTS, type Visit } from './browser.ts'
import { open } from './cardholder.ts'
import { becomeOwner, proveAddress } from './owners.ts'
import { textProblems } from './text-fit.ts'

describeInBrowser('the passkey of a payment at the page of owners', (browser) => {
  let service: TestService
  let axe = ''
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
    axe = await axeSource()
  })
  afterAll(() => service?.close())

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
  async function problems(visit: Visit, name: string): Promise<string[]> {
    const found = await lookAt(visit, `owner-shop-passkey-${name}`)
    for (const viewport of [VIEWPORTS.phone, VIEWPORTS.desktop]) {
      await visit.page.setViewportSize(viewport)
      found.push(...(await visit.page.evaluate(textProblems)), ...(await axeProblems(visit.page, axe)))
    }
    return found
  }

  it('opens it for a new owner, after it was told where to begin', async () => {
    await browser.visit({ expects: [/status of 40[01]/] }, async (visit) => {
      const { page, authenticator } = visit
      const shopper = await open(page, (await createSession(service.merchant)).iframe_url)
      await shopper.payAnew()
      await shopper.heading('Approved').waitFor()
      const made = await authenticator.credentials()
      expect(made).toHaveLength(1)

      await page.goto(service.ownerUrl)
      await heading(page, 'Sign in')
      await press(page, 'Sign in with a passkey')
      await page.getByText('If you have made it when you paid at a shop').waitFor()
      expect(await problems(visit, 'unknown')).toEqual([])
      await proveAddress(page, service)
      await heading(page, 'Create your passkey')
      expect(await problems(visit, 'offered')).toEqual([])
      await press(page, 'Use the passkey I pay with')
      await page.getByText('Type a name').waitFor()
      await page.getByLabel('What should we call you?').fill('Ann')
      await press(page, 'Use the passkey I pay with')
      await heading(page, 'Your agents')
      expect(await authenticator.credentials()).toHaveLength(1)
      await page.goto(`${service.ownerUrl}/passkeys`)
      await page.getByText('You made it when you paid at a shop').waitFor()
      expect(await problems(visit, 'listed')).toEqual([])
      await page.goto(`${service.ownerUrl}/cards`)
      await heading(page, 'Cards')
      expect(await page.getByText('4242').count()).toBe(0)
      await press(page, 'Sign out')
      await press(page, 'Sign in with a passkey')
      await heading(page, 'Cards')

      await press(page, 'Sign out')
      await proveAddress(page, service)
      await page.getByLabel('What should we call you?').fill('Ann')
      await press(page, 'Use the passkey I pay with')
      await page.getByText('This passkey opens this page already').waitFor()
      expect(await problems(visit, 'in-use')).toEqual([])
    })
  })

  it('leads to no wallet of another owner, whose address it is', async () => {
    const address = newAddress()
    await browser.visit({ expects: [/status of 401/] }, async ({ page }) => {
      await page.goto(service.ownerUrl)
      await becomeOwner(page, service, 'Bea', address)
    })
    await browser.visit({ expects: [/status of 401/] }, async ({ page }) => {
      const shopper = await open(page, (await createSession(service.merchant)).iframe_url)
      await shopper.payAnew()
      await shopper.heading('Approved').waitFor()
      await page.goto(service.ownerUrl)
      await proveAddress(page, service, address)
      await heading(page, 'You are here already')
      expect(await page.getByRole('button', { name: 'Use the passkey I pay with' }).count()).toBe(0)
    })
  })
})
