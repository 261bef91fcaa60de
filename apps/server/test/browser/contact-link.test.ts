// Guarantee: the page of a mailed link works without a script and by keyboard, says what it is for, and is whole and
// accessible on every device; so is the mail itself.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { closed, notify, openIncident } from '../../src/mail/testing/incidents.ts'
import { bodiesOf, linkOf, type MailServer, startMailServer } from '../../src/mail/testing/mail-server.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { axeProblems, axeSource } from './axe.ts'
import { describeInBrowser, VIEWPORTS, type Visit } from './browser.ts'
import { textProblems } from './text-fit.ts'

describeInBrowser('the page of a mailed link', (browser) => {
  let server: MailServer
  let service: TestService
  let axe: string
  beforeAll(async () => {
    axe = await axeSource()
    server = await startMailServer()
    service = await startTestService({ env: { ...PATIENT, SMTP_URL: server.url } })
  })
  afterAll(async () => {
    await service?.close()
    await server?.stop()
  })

  let contacts = 0
  const newLink = async () => {
    contacts += 1
    const email = `ann${contacts}@shop.example`
    await service.app.mail.addContact(service.merchant.merchantId, { email, role: 'developer' })
    await service.runJobs()
    const mail = server.received.findLast(({ to }) => to.includes(email))
    if (mail === undefined) throw new Error('No mail came.')
    return linkOf(mail)
  }
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

  /** What is wrong with the screen on a desktop by day and on a phone by night. */
  async function problemsOf({ page, shoot }: Visit, name: string): Promise<string[]> {
    const problems: string[] = []
    for (const [look, viewport] of Object.entries(VIEWPORTS)) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme: look === 'phone' ? 'dark' : 'light' })
      problems.push(...(await axeProblems(page, axe)), ...(await page.evaluate(textProblems)))
      await shoot(`contact-${name}-${look}`)
    }
    return problems
  }

  it('asks, is answered by keyboard, and says so', async () => {
    const link = await newLink()
    await browser.visit({}, async (visit) => {
      const { page } = visit
      await page.goto(link)
      await heading(page, 'Is this address yours?')
      expect(await problemsOf(visit, 'ready')).toEqual([])
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await heading(page, 'Your address is confirmed')
      expect(await problemsOf(visit, 'done')).toEqual([])
      // A reload sends the POST again, as browsers do, and finds it done.
      await page.reload()
      await heading(page, 'Your address is confirmed')
    })
  })

  it('is calm about a link that has ended or is none', async () => {
    const link = await newLink()
    await service.clock.advance(8 * 24 * 60 * 60)
    await browser.visit({ expects: [/status of 4(?:04|10)/] }, async (visit) => {
      await visit.page.goto(link)
      await heading(visit.page, 'This link has ended')
      expect(await problemsOf(visit, 'expired')).toEqual([])
      await visit.page.goto(`${link}x`)
      await heading(visit.page, 'This link does not work')
      expect(await problemsOf(visit, 'unknown')).toEqual([])
    })
  })

  it('comes in a mail that is as accessible, like the notices', async () => {
    const link = await newLink()
    await fetch(link, { method: 'POST' })
    const change = await openIncident(service)
    await notify(service, change)
    await notify(service, closed(service, change))
    await service.runJobs()
    for (const [name, mail] of [
      [
        'link',
        server.received.findLast(({ text }) => text.includes('Confirm_your_address') || text.includes('Confirm your')),
      ],
      ['opened', server.received.at(-2)],
      ['closed', server.received.at(-1)],
    ] as const) {
      if (mail === undefined) throw new Error(`No mail: ${name}`)
      await browser.visit({}, async (visit) => {
        await visit.page.setContent(bodiesOf(mail).html)
        expect(await problemsOf(visit, `mail-${name}`)).toEqual([])
      })
    }
  })
})
