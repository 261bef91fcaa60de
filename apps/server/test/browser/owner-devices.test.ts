// Guarantee: an owner lets in a second device by a code and the passkey, names both and ends one; each screen of either
// device says what to do, also where the code is wrong or has run out, or the other device says no. What comes late,
// about a code before, changes no screen.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { axeProblems, axeSource } from './axe.ts'
import { describeInBrowser, lookAt, VIEWPORTS, type Visit } from './browser.ts'
import { becomeOwner } from './owners.ts'
import { textProblems } from './text-fit.ts'

/** The first answer of a path: it is read when the test says so, and comes to the page when it says so. */
async function heldAnswer(page: Page, path: string) {
  const [onItsWay, wanted, read, late] = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
  await page.route(
    path,
    async (route) => {
      onItsWay?.resolve()
      await wanted?.promise
      const response = await route.fetch()
      read?.resolve()
      await late?.promise
      await route.fulfill({ response })
    },
    { times: 1 },
  )
  return {
    asked: onItsWay?.promise,
    async answer() {
      wanted?.resolve()
      await read?.promise
    },
    async release() {
      const arrived = page.waitForEvent('requestfinished', (request) =>
        request.url().includes(path.slice(2).replace('*', '')),
      )
      late?.resolve()
      await arrived
    },
  }
}

describeInBrowser('devices at the page of owners', (browser) => {
  let service: TestService
  let axe = ''
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
    axe = await axeSource()
  })
  afterAll(() => service?.close())

  const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()
  const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click()
  async function problems(visit: Visit, name: string): Promise<string[]> {
    const found = await lookAt(visit, `owner-${name}`)
    for (const viewport of [VIEWPORTS.phone, VIEWPORTS.desktop]) {
      await visit.page.setViewportSize(viewport)
      found.push(...(await visit.page.evaluate(textProblems)), ...(await axeProblems(visit.page, axe)))
    }
    return found
  }
  async function showCode(page: Page): Promise<string> {
    await press(page, 'Add another device')
    await heading(page, 'Add another device')
    return (await page.locator('.device-code').textContent()) ?? ''
  }
  async function typeCode(page: Page, code: string): Promise<void> {
    await page.getByLabel('Code', { exact: true }).fill(code)
    await page.keyboard.press('Enter')
  }

  it('lets in a second one, which is named and ends the first', async () => {
    await browser.visit({ expects: [/status of 401/] }, async (first) => {
      await first.page.goto(`${service.ownerUrl}/passkeys`)
      await becomeOwner(first.page, service)
      await heading(first.page, 'Your passkeys')
      await first.page.getByText('It is your only passkey').waitFor()
      expect(await problems(first, 'passkeys-one')).toEqual([])
      const code = await showCode(first.page)
      expect(await problems(first, 'device-shown')).toEqual([])
      await browser.visit({ expects: [/status of 40[01]/] }, async (second) => {
        const { page } = second
        await page.goto(service.ownerUrl)
        await press(page, 'Let in by my other device')
        await heading(page, 'Type the code of your other device')
        expect(await problems(second, 'device-code')).toEqual([])
        await typeCode(page, 'short')
        await page.getByText('The code has eight letters').waitFor()
        await typeCode(page, 'AAAA-AAAA')
        await page.getByText('No device shows this code').waitFor()
        expect(await problems(second, 'device-code-wrong')).toEqual([])
        await typeCode(page, code.toLowerCase())
        await heading(page, 'Allow it on your other device')
        expect(await problems(second, 'device-waits')).toEqual([])
        await heading(first.page, 'Is this your other device?')
        await first.page.getByText('Chrome on Linux, from 127.0.0.0/24').waitFor()
        expect(await problems(first, 'device-typed')).toEqual([])
        await press(first.page, 'Allow with passkey')
        await first.page.getByText('It is let in').waitFor()
        await heading(page, 'You are let in')
        expect(await problems(second, 'device-allowed')).toEqual([])
        await press(page, 'Create a passkey')
        await heading(page, 'Your agents')
        await first.page.getByText('Your other device has its passkey').waitFor()

        await page.goto(`${service.ownerUrl}/passkeys`)
        await page.getByText('This one', { exact: true }).waitFor()
        await page
          .getByRole('button', { name: /^Rename/ })
          .last()
          .click()
        await page.getByLabel('What you call it').fill('Work laptop')
        await page.keyboard.press('Enter')
        await page.getByText('Work laptop', { exact: true }).waitFor()
        expect(await problems(second, 'passkeys-two')).toEqual([])
        await press(page, 'End Passkey of Chrome on Linux')
        await page.getByText('opens this page no more').waitFor()
        expect(await problems(second, 'passkeys-ending')).toEqual([])
        await press(page, 'End it now')
        await page.getByText('It is your only passkey').waitFor()
      })
      await first.page.reload()
      await heading(first.page, 'Sign in')
    })
  })

  it('says on both that a device was refused, and that a code has run out', async () => {
    await browser.visit({ expects: [/status of 40[01]/] }, async (first) => {
      await first.page.goto(`${service.ownerUrl}/passkeys`)
      await becomeOwner(first.page, service)
      const code = await showCode(first.page)
      await browser.visit({ expects: [/status of 40[01]/] }, async (second) => {
        const { page } = second
        await page.goto(service.ownerUrl)
        await press(page, 'Let in by my other device')
        await typeCode(page, code)
        await press(first.page, 'That is not mine')
        await first.page.getByText('It was not let in').waitFor()
        await heading(page, 'Your other device said no')
        expect(await problems(second, 'device-refused')).toEqual([])
        await press(first.page, 'Close')
        const again = await showCode(first.page)
        await press(page, 'Type another code')
        await typeCode(page, again)
        await heading(page, 'Allow it on your other device')
        await service.pool.query(`update owner_devices set ends_at = now() - interval '1 minute'`)
        await heading(page, 'This code has run out')
        expect(await problems(second, 'device-over')).toEqual([])
        await first.page.getByText('The code has run out').waitFor()
      })
    })
  })

  it('shows what the next code leads to, where the last answers about the one before come after it', async () => {
    await browser.visit({ expects: [/status of 40[01]/] }, async (first) => {
      await first.page.goto(`${service.ownerUrl}/passkeys`)
      await becomeOwner(first.page, service)
      const code = await showCode(first.page)
      const atFirst = await heldAnswer(first.page, '**/api/devices/*')
      await browser.visit({ expects: [/status of 40[01]/] }, async ({ page }) => {
        await page.goto(service.ownerUrl)
        await press(page, 'Let in by my other device')
        const atSecond = await heldAnswer(page, '**/api/new-device/standing')
        await typeCode(page, code)
        await Promise.all([atFirst.asked, atSecond.asked])
        await press(first.page, 'That is not mine')
        await heading(page, 'Your other device said no')
        await Promise.all([atFirst.answer(), atSecond.answer()])
        await press(first.page, 'Close')
        const again = await showCode(first.page)
        await atFirst.release()
        await press(page, 'Type another code')
        await typeCode(page, again)
        await heading(page, 'Allow it on your other device')
        await atSecond.release()
        await heading(first.page, 'Is this your other device?')
        await press(first.page, 'Allow with passkey')
        await heading(page, 'You are let in')
      })
    })
  })

  it('leads to the heading of a screen as it appears: whoever types at once is not taken out of the field', async () => {
    await browser.visit({ expects: [/status of 401/] }, async ({ page }) => {
      await page.goto(service.ownerUrl)
      await heading(page, 'Sign in')
      await page.evaluate(() => {
        const seen = new MutationObserver(() => {
          if (document.querySelector('#device-code') === null) return
          seen.disconnect()
          document.body.dataset.focused = document.activeElement?.tagName ?? ''
        })
        seen.observe(document.body, { childList: true, subtree: true, characterData: true })
      })
      await press(page, 'Let in by my other device')
      await heading(page, 'Type the code of your other device')
      expect(await page.evaluate(() => document.body.dataset.focused)).toBe('H1')
    })
  })
})
