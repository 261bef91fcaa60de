// Guarantee: the console lists the account's API keys without what they open; an admin makes, rolls and revokes one
// with the passkey and sees all of it once; and a role that may not see them is told so.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { becomeAtConsole, demoAccount } from '../console.ts'
import { visitCode } from '../owners.ts'
import { inviteByOperator, newColleagueAddress } from '../people.ts'
import { PATIENT, startTestService, type TestMerchant, type TestService } from '../service.ts'
import { axeSource } from './axe.ts'
import { describeInBrowser } from './browser.ts'
import { heading, openConsole, press, screenProblems, tab } from './consoles.ts'

describeInBrowser('API keys at the console', (browser) => {
  let service: TestService
  let demo: TestMerchant
  let axe = ''
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
    demo = await demoAccount(service)
    axe = await axeSource()
  })
  afterAll(() => service?.close())

  it('are listed with their state, and the commands that make and revoke one', async () => {
    const { merchants } = service.app
    const { keyId } = await merchants.createKey(demo.merchantId, 'secret', 'control_plane')
    await merchants.revokeKey(keyId)
    await browser.visit({ expects: [/status of 40[13]/] }, async (visit) => {
      const { page } = visit
      await openConsole(page, service)
      await tab(page, 'Keys')
      await heading(page, 'Keys')
      const rows = page.getByRole('list', { name: 'API keys' }).getByRole('listitem')
      await expect.poll(() => rows.first().textContent()).toMatch(/sk_test_\w{16}….*for a dashboard.*Revoked.*Never/s)
      expect(await rows.filter({ hasText: 'Works' }).count()).toBeGreaterThan(1)
      expect(await page.locator('pre').allTextContents()).toEqual([
        `bin/mintmark key create ${demo.merchantId} --kind secret`,
        'bin/mintmark key revoke KEY',
      ])
      expect(await page.content()).not.toContain(demo.secretKey.slice(24))
      const problems = await screenProblems(visit, axe, 'keys')
      await page.setViewportSize({ width: 390, height: 844 })
      await page.goto(`${service.consoleUrl}/`)
      await heading(page, 'Home')
      await press(page, /your account/)
      await page.locator('.person-menu').getByRole('link', { name: 'Keys', exact: true }).click()
      await heading(page, 'Keys')
      await becomeAtConsole(service, demo.merchantId, 'support')
      await page.reload()
      await heading(page, 'Your role does not show this')
      problems.push(...(await screenProblems(visit, axe, 'keys-support')))
      await becomeAtConsole(service, demo.merchantId, 'owner')
      expect(problems).toEqual([])
    })
  })

  it('are made, rolled and revoked by an admin, and shown once', async () => {
    const { merchantId } = service.merchant
    const email = newColleagueAddress()
    const link = await inviteByOperator(service, merchantId, email, 'admin')
    await browser.visit({ expects: [/status of 40[01]/] }, async (visit) => {
      const { page } = visit
      await page.goto(`${service.consoleUrl}/invitation#${link}`)
      await press(page, 'Mail me a code')
      await page.getByLabel('Code', { exact: true }).waitFor()
      await page.getByLabel('Code', { exact: true }).fill(await visitCode(service, email))
      await page.keyboard.press('Enter')
      await page.getByLabel('Your name').fill('Ada')
      await page.keyboard.press('Enter')
      await tab(page, 'Keys')
      await heading(page, 'Keys')
      await page.getByLabel('What it is for').selectOption('publishable')
      await press(page, 'Make the key')
      const shown = page.locator('pre').filter({ hasText: /^pk_test_\w{64}$/ })
      await shown.waitFor()
      const key = (await shown.textContent()) ?? ''
      const problems = await screenProblems(visit, axe, 'keys-made')
      await press(page, 'I have it')
      await expect.poll(() => page.content().then((text) => text.includes(key))).toBe(false)
      const label = key.slice(0, 24)
      await press(page, `Roll: ${label}`)
      await page.getByLabel('The key before works on').selectOption('1')
      problems.push(...(await screenProblems(visit, axe, 'keys-roll')))
      await press(page, 'Make one in its place')
      await shown.waitFor()
      await expect.poll(() => page.getByText('until').count()).toBe(1)
      await press(page, `Revoke: ${label}`)
      await page.getByText('It is refused everywhere within a second').waitFor()
      problems.push(...(await screenProblems(visit, axe, 'keys-revoke')))
      await press(page, `Revoke: ${label}`)
      await page.getByRole('listitem').filter({ hasText: label }).getByText('Revoked').waitFor()
      expect(problems).toEqual([])
    })
  })

  it('are listed in German', async () => {
    await browser.visit({ expects: [/status of 401/], reads: { locale: 'de-DE' } }, async (visit) => {
      const { page } = visit
      await page.goto(`${service.consoleUrl}/keys`)
      await press(page, 'Demokonto öffnen')
      await page.getByRole('list', { name: 'API-Schlüssel' }).waitFor()
      expect(await screenProblems(visit, axe, 'keys-de')).toEqual([])
    })
  })
})
