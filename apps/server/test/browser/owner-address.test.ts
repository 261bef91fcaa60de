// Guarantee: an owner sees that their address is told when it is taken off, and which one before is told of recoveries.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newAddress } from '../owners.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { axeProblems, axeSource } from './axe.ts'
import { describeInBrowser, lookAt, VIEWPORTS, type Visit } from './browser.ts'
import { becomeOwner } from './owners.ts'
import { textProblems } from './text-fit.ts'

describeInBrowser('the addresses of an owner', (browser) => {
  let service: TestService
  let axe = ''
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
    axe = await axeSource()
  })
  afterAll(() => service?.close())

  const mailOf = (page: Page) => page.locator('#mail')
  async function problems(visit: Visit, name: string): Promise<string[]> {
    await mailOf(visit.page).scrollIntoViewIfNeeded()
    const found = await lookAt(visit, `owner-address-${name}`)
    for (const viewport of [VIEWPORTS.phone, VIEWPORTS.desktop]) {
      await visit.page.setViewportSize(viewport)
      found.push(...(await visit.page.evaluate(textProblems)), ...(await axeProblems(visit.page, axe)))
    }
    return found
  }

  it('says what is told where, before it is taken off and after', async () => {
    const address = newAddress()
    await browser.visit({ expects: [/status of 401/] }, async (visit) => {
      const { page } = visit
      await page.goto(service.ownerUrl)
      await becomeOwner(page, service, 'Ann', address)
      await mailOf(page).getByText('this one is told so, and for seven days more').waitFor()
      expect(await problems(visit, 'confirmed')).toEqual([])
      await mailOf(page).getByRole('button', { name: 'Stop the mails' }).click()
      await mailOf(page).getByText('was your address before').waitFor()
      expect(await mailOf(page).getByText(address).count()).toBe(1)
      expect(await problems(visit, 'former')).toEqual([])
      await mailOf(page).getByRole('link', { name: 'Where you are signed in' }).click()
      await page.getByRole('heading', { name: 'Where you are signed in' }).waitFor()
    })
  })
})
