// Guarantee: the console opens by one press and leads through a first payment, tells each payment in words and how it
// came about, announces what is new without moving what is read, and shows what others wrote as text.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deliverAll } from '../../src/webhooks/delivery/testing/journey.ts'
import { activeEndpoint, ON_THIS_MACHINE } from '../../src/webhooks/testing/endpoints.ts'
import { demoAccount } from '../console.ts'
import { approvedSession, CARDS, complete, createSession, inCustom } from '../flows.ts'
import { PATIENT, startTestService, type TestMerchant, type TestService } from '../service.ts'
import { axeSource } from './axe.ts'
import { describeInBrowser } from './browser.ts'
import { heading, openConsole, press, screenProblems, seenAgain, TOLD, tab } from './consoles.ts'

const HOSTILE = '<img src=x onerror=alert(1)>&amp;</bdi>'

describeInBrowser('the console', (browser) => {
  let service: TestService
  let demo: TestMerchant
  let axe = ''
  beforeAll(async () => {
    service = await startTestService({ env: { ...PATIENT, ...ON_THIS_MACHINE } })
    demo = await demoAccount(service)
    axe = await axeSource()
  })
  afterAll(() => service?.close())

  it('is one document of less than 200 KB', async () => {
    const { headers, status } = await fetch(service.consoleUrl, { headers: { 'accept-encoding': 'gzip' } })
    expect([status, headers.get('content-encoding')]).toEqual([200, 'gzip'])
    expect(Number(headers.get('content-length'))).toBeGreaterThan(10_000)
    expect(Number(headers.get('content-length'))).toBeLessThan(200_000)
  })

  it('says how one comes in where there is no demo account', async () => {
    const other = await startTestService({ env: PATIENT })
    await browser.visit(TOLD, async (visit) => {
      await visit.page.goto(`${other.consoleUrl}/payments`)
      await heading(visit.page, 'The console of this service')
      await visit.page.getByText('You come in by an invitation').waitFor()
      expect(await visit.page.getByRole('button').allTextContents()).toEqual(['Sign in with your passkey'])
      expect(await screenProblems(visit, axe, 'no-demo')).toEqual([])
    })
    await other.close()
  })

  it('leads through a first payment, whose steps tick themselves', async () => {
    await browser.visit(TOLD, async (visit) => {
      const { page } = visit
      await page.goto(service.consoleUrl)
      await heading(page, 'The console of this service')
      const problems = await screenProblems(visit, axe, 'sign-in')
      await press(page, 'Open the demo account')
      await heading(page, 'Home')
      const step = (name: string) => page.getByRole('listitem').filter({ hasText: name })
      await expect.poll(() => step('Use your key').textContent()).toContain('Next')
      problems.push(...(await screenProblems(visit, axe, 'first-run')))

      const endpoint = await activeEndpoint(demo)
      const { session_id: id } = await createSession(demo)
      await seenAgain(page)
      await expect.poll(() => step('Make a session').textContent()).toContain('Done')
      expect(await step('Approve it').textContent()).toMatch(/Next.*\/complete/s)
      await complete(demo, id)
      await seenAgain(page)
      await expect.poll(() => step('Approve it').textContent()).toContain('Done')
      expect(await page.getByText('Needs you').count()).toBe(0)
      await endpoint.receiver.close()
      expect(problems).toEqual([])
    })
  })

  it('tells a payment in words, then how it came about; each view has an address, and back works', async () => {
    const { id } = await approvedSession(demo, CARDS.mintDeclined, { total_amount: '57.80' })
    await service.runJobs()
    await browser.visit(TOLD, async (visit) => {
      const { page } = visit
      await openConsole(page, service, '/payments?status=failed')
      const row = page.getByRole('link', { name: /\$57\.80/ })
      await row.waitFor()
      expect(await page.getByRole('list', { name: 'Payments' }).getByRole('listitem').count()).toBe(1)
      const problems = await screenProblems(visit, axe, 'payments')
      await row.click()
      await heading(page, /\$57\.80 at Tea House/)
      await page.getByText('The bank declined the card.', { exact: true }).waitFor()
      await page.getByText('Nothing was charged.').waitFor()
      const timeline = page.getByRole('list', { name: 'What happened' })
      expect(await timeline.textContent()).toMatch(/Session created.*\+ .*Approved with a passkey/s)
      expect(await page.getByText('CARD_DECLINED').count()).toBe(1)
      problems.push(...(await screenProblems(visit, axe, 'payment')))

      await page.getByRole('navigation', { name: 'Whose part' }).getByRole('link', { name: 'Cardholder' }).click()
      await expect.poll(() => timeline.textContent()).not.toContain('Session created')
      const link = page.url()
      expect(new URL(link).search).toBe('?lane=cardholder')
      await page.reload()
      await expect.poll(() => timeline.textContent()).toContain('Approved with a passkey')
      await page.goBack()
      await page.goBack()
      await heading(page, 'Payments')
      expect(new URL(page.url()).search).toBe('?status=failed')
      await page.goto(`${service.consoleUrl}/payments/${id}`)
      await heading(page, /\$57\.80 at Tea House/)
      expect(problems).toEqual([])
    })
  })

  it('announces what is new, and shows it at a press', async () => {
    await createSession(demo, { total_amount: '11.00' })
    await browser.visit(TOLD, async ({ page }) => {
      await openConsole(page, service, '/payments')
      const first = page.getByRole('list', { name: 'Payments' }).getByRole('link').first()
      await expect.poll(() => first.textContent()).toContain('$11.00')
      await createSession(demo, { total_amount: '12.00' })
      await createSession(demo, { total_amount: '13.00' })
      await seenAgain(page)
      await page.getByText('2 new').waitFor()
      expect(await first.textContent()).toContain('$11.00')
      await press(page, /2 new/)
      await expect.poll(() => first.textContent()).toContain('$13.00')
      expect(await page.getByText('2 new').count()).toBe(0)
    })
  })

  it('shows markup in names as text', async () => {
    const changes = { user_id: HOSTILE, ...inCustom({ name: HOSTILE }, { description: HOSTILE }) }
    const { session_id: id } = await createSession(demo, { ...changes, total_amount: '66.00' })
    await browser.visit(TOLD, async (visit) => {
      const { page } = visit
      await openConsole(page, service, `/payments/${id}`)
      await heading(page, `$66.00 at ${HOSTILE}`)
      expect(await page.locator('main img').count()).toBe(0)
      expect(await page.getByText(HOSTILE).count()).toBeGreaterThan(2)
      expect(await screenProblems(visit, axe, 'hostile')).toEqual([])
      await tab(page, 'Payments')
      await page.getByRole('link', { name: `$66.00 at ${HOSTILE}` }).waitFor()
      expect(await page.locator('main img').count()).toBe(0)
    })
  })

  it('speaks the language of the reader', async () => {
    await browser.visit({ ...TOLD, reads: { locale: 'de-AT', timezoneId: 'Europe/Vienna' } }, async (visit) => {
      const { page } = visit
      await page.goto(service.consoleUrl)
      await press(page, 'Demokonto öffnen')
      await heading(page, 'Start')
      expect(await page.evaluate(() => document.documentElement.lang)).toBe('de')
      await page.getByRole('link', { name: 'Zahlungen' }).click()
      await page.getByText('Die Bank hat die Karte abgelehnt.').waitFor()
      expect(await screenProblems(visit, axe, 'payments-de')).toEqual([])
    })
  })

  it('all is done when events arrive: home shows the money of the day', async () => {
    const endpoint = await activeEndpoint(demo, { events: ['payment.credentials_ready'] })
    await approvedSession(demo, CARDS.success, { total_amount: '21.00' })
    await deliverAll(service, demo)
    await browser.visit(TOLD, async (visit) => {
      const { page } = visit
      await openConsole(page, service)
      await page.getByRole('link', { name: 'held' }).waitFor()
      expect(await screenProblems(visit, axe, 'home')).toEqual([])
      await page.getByRole('link', { name: /The bank declined the card/ }).click()
      await page.getByRole('link', { name: /\$57\.80/ }).waitFor()
      expect(new URL(page.url()).search).toBe('?status=failed&code=CARD_DECLINED')
    })
    await endpoint.receiver.close()
  })
})
