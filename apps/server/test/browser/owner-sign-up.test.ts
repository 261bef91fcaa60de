// Guarantee: a person proves an address, makes a passkey and comes back by it without typing anything; every screen of
// that says what to do, by keyboard and to screen readers, also where a code is wrong, has run out, or is not needed.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newAddress, visitCode } from '../owners.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { axeProblems, axeSource } from './axe.ts'
import { describeInBrowser, lookAt, VIEWPORTS, type Visit } from './browser.ts'
import { becomeOwner, proveAddress } from './owners.ts'
import { textProblems } from './text-fit.ts'

describeInBrowser('signing up at the page of owners', (browser) => {
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
    const found = await lookAt(visit, `owner-${name}`)
    for (const viewport of [VIEWPORTS.phone, VIEWPORTS.desktop]) {
      await visit.page.setViewportSize(viewport)
      found.push(...(await visit.page.evaluate(textProblems)), ...(await axeProblems(visit.page, axe)))
    }
    return found
  }

  it('leads from nothing to signed in again within five seconds', async () => {
    await browser.visit({ expects: [/status of 401/] }, async ({ page }) => {
      await page.goto(service.ownerUrl)
      await heading(page, 'Sign in')
      const begun = performance.now()
      await becomeOwner(page, service)
      await press(page, 'Sign out')
      await press(page, 'Sign in with a passkey')
      await heading(page, 'Your agents')
      const millis = performance.now() - begun
      expect(millis).toBeLessThan(5000)
    })
  })

  it('says what is wrong with an address and a code, and asks for another code where one has run out', async () => {
    await browser.visit({ expects: [/status of 40[01]/] }, async (visit) => {
      const { page } = visit
      const address = newAddress()
      await page.goto(service.ownerUrl)
      await press(page, 'I am here for the first time')
      await heading(page, 'Your email address')
      expect(await problems(visit, 'address')).toEqual([])
      await page.getByLabel('Your email address').fill('nothing')
      await page.keyboard.press('Enter')
      await page.getByText('Write an address such as').waitFor()
      expect(await problems(visit, 'address-wrong')).toEqual([])
      await page.getByLabel('Your email address').fill(address)
      await page.keyboard.press('Enter')
      await heading(page, 'Type the code')
      expect(await problems(visit, 'code')).toEqual([])
      const code = await visitCode(service, address)
      const wrong = code === '000000' ? '000001' : '000000'
      for (let tries = 0; tries < 5; tries += 1) {
        await page.getByLabel('Code', { exact: true }).fill(wrong)
        await page.keyboard.press('Enter')
        await page.getByText('That is not the code').waitFor()
      }
      expect(await problems(visit, 'code-wrong')).toEqual([])
      await page.getByLabel('Code', { exact: true }).fill(code)
      await page.keyboard.press('Enter')
      await heading(page, 'This code has run out')
      expect(await problems(visit, 'code-over')).toEqual([])
      await press(page, 'Mail another code')
      await heading(page, 'Type the code')
      await page.getByLabel('Code', { exact: true }).fill(await visitCode(service, address))
      await press(page, 'Go on')
      await heading(page, 'Create your passkey')
    })
  })

  it('says to a person who has proven an address that an owner has it', async () => {
    await browser.visit({ expects: [/status of 401/] }, async (visit) => {
      const { page } = visit
      const address = newAddress()
      await page.goto(service.ownerUrl)
      await becomeOwner(page, service, 'Ann', address)
      await press(page, 'Sign out')
      await proveAddress(page, service, address)
      await heading(page, 'You are here already')
      expect(await problems(visit, 'known')).toEqual([])
      await press(page, 'Sign in with a passkey')
      await heading(page, 'Your agents')
    })
  })
})
