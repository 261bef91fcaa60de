// Guarantee: at their own page an owner sees where they are signed in, ends one of those or all, and what is ended is
// refused on every node; a page that was open while the passkey was used in another one goes on.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { askForLink, newAgent } from '../agents.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { axeProblems, axeSource } from './axe.ts'
import { describeInBrowser, lookAt, VIEWPORTS, type Visit } from './browser.ts'
import { becomeOwner } from './owners.ts'
import { textProblems } from './text-fit.ts'

describeInBrowser('where an owner is signed in', (browser) => {
  let service: TestService
  let node: TestService
  let axe = ''
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
    node = await startTestService({ database: service.database, env: PATIENT })
    axe = await axeSource()
  })
  afterAll(async () => {
    await node?.close()
    await service?.close()
  })

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()

  /** What the cookie of this browser opens, by node. */
  async function opens(cookie: string): Promise<number[]> {
    const headers = { cookie }
    const asked = [service, node].map(({ ownerUrl }) => fetch(`${ownerUrl}/api/session`, { headers }))
    return (await Promise.all(asked)).map(({ status }) => status)
  }
  const cookieOf = async (page: Page) => {
    const [{ name, value } = { name: '', value: '' }] = await page.context().cookies(service.ownerUrl)
    return `${name}=${value}`
  }

  async function problems(visit: Visit, name: string): Promise<string[]> {
    const found = await lookAt(visit, `owner-${name}`)
    for (const viewport of [VIEWPORTS.phone, VIEWPORTS.desktop]) {
      await visit.page.setViewportSize(viewport)
      found.push(...(await visit.page.evaluate(textProblems)), ...(await axeProblems(visit.page, axe)))
    }
    return found
  }

  it('shows each, ends the one that is not known, and all of them', async () => {
    await browser.visit({ expects: [/status of 401/] }, async (visit) => {
      const { page } = visit
      await page.goto(service.ownerUrl)
      await becomeOwner(page, service)
      const first = await cookieOf(page)
      // As on another device of theirs, to which the passkey was synced.
      await page.context().clearCookies()
      await page.goto(`${service.ownerUrl}/me`)
      await press(page, 'Sign in with a passkey')
      await heading(page, 'Where you are signed in')
      expect(await page.getByText('Chrome on Linux').count()).toBe(2)
      expect(await page.getByText('from 127.0.0.0/24').count()).toBe(2)
      expect(await page.getByText('This one', { exact: true }).count()).toBe(1)
      expect(await problems(visit, 'sessions')).toEqual([])
      expect(await opens(first)).toEqual([200, 200])
      await press(page, 'Sign out Chrome on Linux')
      await expect.poll(() => page.getByText('Chrome on Linux', { exact: true }).count()).toBe(1)
      expect(await opens(first)).toEqual([401, 401])

      const second = await cookieOf(page)
      expect(await opens(second)).toEqual([200, 200])
      await press(page, 'Sign out everywhere')
      await page.getByText('come back with your passkey').waitFor()
      expect(await problems(visit, 'sessions-end-all')).toEqual([])
      await press(page, 'Stay signed in')
      await press(page, 'Sign out everywhere')
      await press(page, 'Sign out everywhere now')
      await heading(page, 'Sign in')
      expect(await opens(second)).toEqual([401, 401])
      await press(page, 'Sign in with a passkey')
      await heading(page, 'Where you are signed in')
    })
  })

  it('goes on in a second tab after the passkey was used in the first, and out is who had the cookie of before', async () => {
    await browser.visit({ expects: [/status of 40[13]/] }, async (visit) => {
      const { page } = visit
      const linkId = await askForLink(newAgent(service), { name: 'Atlas' })
      await page.goto(`${service.ownerUrl}/links/${linkId}`)
      await becomeOwner(page, service)
      const stolen = await cookieOf(page)
      const other = await page.context().newPage()
      await other.goto(`${service.ownerUrl}/me`)
      await heading(other, 'Where you are signed in')
      await press(page, 'Approve with passkey')
      await heading(page, 'Atlas may spend for you')
      expect(await opens(stolen)).toEqual([401, 401])
      expect(await opens(await cookieOf(page))).toEqual([200, 200])
      // The tab in which it was used needs no second try.
      const refused: number[] = []
      page.on('response', (response) => void refused.push(...(response.status() === 403 ? [403] : [])))
      await press(other, 'Sign out everywhere')
      await press(other, 'Sign out everywhere now')
      await heading(other, 'Sign in')
      await page.reload()
      await heading(page, 'Sign in')
      expect(refused).toEqual([])
    })
  })
})
