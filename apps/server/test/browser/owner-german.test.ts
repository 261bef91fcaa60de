// Guarantee: the page of owners in German has a word for all that it says, also in the sentence that is signed; text
// fits, amounts are written as its reader writes them, and a screen reader is told the language.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { askForLink, newAgent } from '../agents.ts'
import { newAddress, visitCode } from '../owners.ts'
import { begunRecovery, ownerWithCard, waitingRecovery } from '../recovery.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { axeProblems, axeSource } from './axe.ts'
import { describeInBrowser, lookAt, VIEWPORTS, type Visit } from './browser.ts'
import { textProblems } from './text-fit.ts'

const GERMAN = { expects: [/status of 40[014]/], reads: { locale: 'de-AT', timezoneId: 'Europe/Vienna' } }

describeInBrowser('the page of owners in German', (browser) => {
  let service: TestService
  let axe = ''
  beforeAll(async () => {
    service = await startTestService({ env: PATIENT })
    axe = await axeSource()
  })
  afterAll(() => service?.close())

  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
  const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click()
  async function problems(visit: Visit, name: string): Promise<string[]> {
    const found = await lookAt(visit, `owner-de-${name}`)
    for (const viewport of [VIEWPORTS.phone, VIEWPORTS.desktop]) {
      await visit.page.setViewportSize(viewport)
      found.push(...(await visit.page.evaluate(textProblems)), ...(await axeProblems(visit.page, axe)))
    }
    return found
  }

  it('signs up, and signs a German sentence, with limits as they are typed there', async () => {
    const address = newAddress()
    const agent = newAgent(service)
    const linkId = await askForLink(agent, { name: 'Atlas', platform: 'Trips Ltd' })
    await browser.visit(GERMAN, async (visit) => {
      const { page } = visit
      await page.goto(`${service.ownerUrl}/links/${linkId}`)
      await heading(page, 'Anmelden')
      expect(await page.evaluate(() => document.documentElement.lang)).toBe('de')
      expect(await problems(visit, 'sign-in')).toEqual([])
      await press(page, 'Ich bin zum ersten Mal hier')
      await page.getByLabel('Ihre E-Mail-Adresse').fill(address)
      expect(await problems(visit, 'address')).toEqual([])
      await press(page, 'Code schicken')
      await heading(page, 'Code eingeben')
      await page.getByLabel('Code', { exact: true }).fill(await visitCode(service, address))
      expect(await problems(visit, 'code')).toEqual([])
      await press(page, 'Weiter')
      await heading(page, 'Passkey erstellen')
      await page.getByLabel('Wie sollen wir Sie nennen?').fill('Anna')
      expect(await problems(visit, 'passkey')).toEqual([])
      await press(page, 'Passkey erstellen')

      await heading(page, 'Darf Atlas für Sie ausgeben?')
      await page.getByLabel('Je Zahlung', { exact: true }).fill('30,50')
      expect(await problems(visit, 'link')).toEqual([])
      const read = await page.locator('.say').textContent()
      expect(read).toMatch(/höchstens .*30,50 je Zahlung/)
      await press(page, 'Mit Passkey erlauben')
      await heading(page, 'Atlas darf für Sie ausgeben')
      expect(await problems(visit, 'link-approved')).toEqual([])
      const { rows } = await service.pool.query('select terms from approvals where subject_id = $1', [linkId])
      const said = { language: 'de', locale: 'de-AT', time_zone: null, text: read }
      expect(JSON.parse(rows[0].terms).sentence).toMatchObject(said)

      await page.goto(service.ownerUrl)
      await heading(page, 'Ihre Agenten')
      await press(page, /^Seine Grenzen/)
      const charge = page.getByLabel('Je Zahlung', { exact: true })
      expect(await charge.inputValue()).toBe('30,50')
      await charge.fill('40')
      expect(await problems(visit, 'limits')).toEqual([])
      await press(page, 'Mit Passkey ändern')
      await page.getByText('Für Atlas gelten jetzt andere Grenzen.').waitFor({ state: 'attached' })
    })
  })

  it('shows what was spent, asked and refused', async () => {
    const { agent, mandate, owner } = await ownerWithCard(service)
    const charge = async (amount: string, reference: string) =>
      (await agent.send('POST', `/v1/mandates/${mandate}/charge`, { amount, reference })).body
    const { transactionId: paid } = await charge('5.00', 'order-1')
    const report = { txn_status: 'APPROVED', txn_type: 'PURCHASE' }
    await agent.send('POST', `/v1/mandates/${mandate}/charges/${paid}/report`, report)
    const { escalation } = await charge('30.00', 'order-2')
    await service.runJobs()
    const { agents } = (await owner.get('/api/home')).body
    await browser.visit(GERMAN, async (visit) => {
      const { page } = visit
      const value = owner.cookie.split('=')[1] ?? ''
      await page.context().addCookies([{ name: 'mintmark_owner', value, url: service.ownerUrl }])
      const screens = [
        ['', 'Ihre Agenten', 'home'],
        [`escalations/${escalation.id}`, /30,00 einmal erlauben\?|30 einmal erlauben\?/, 'escalation'],
        ['permissions', 'Erlaubnisse', 'permissions'],
        [`permissions/${mandate}`, /./, 'permission'],
        ['activity', 'Verlauf', 'activity'],
        [`activity/${paid}`, /./, 'charge'],
        ['cards', 'Karten', 'cards'],
        [`agents/${agents[0].agent_id}`, /./, 'agent'],
        ['me', 'Wo Sie angemeldet sind', 'me'],
        ['passkeys', 'Ihre Passkeys', 'passkeys'],
        ['links/lk_unknown', 'Diese Anfrage gibt es nicht', 'link-unknown'],
      ] as const
      for (const [path, title, name] of screens) {
        await page.goto('about:blank')
        await page.goto(`${service.ownerUrl}/${path}`)
        await heading(page, title)
        expect(await problems(visit, name)).toEqual([])
      }
      await page.goto(`${service.ownerUrl}/escalations/${escalation.id}`)
      await press(page, 'Abgelehnt lassen')
      await heading(page, /bleibt abgelehnt/)
      expect(await problems(visit, 'escalation-denied')).toEqual([])
    })
  })

  it('leads who has lost the passkey', async () => {
    const { address } = await ownerWithCard(service)
    const { recovery } = await begunRecovery(service, address)
    const waits = await ownerWithCard(service)
    const { recovery: waiting } = await waitingRecovery(service, waits.address)
    await browser.visit(GERMAN, async (visit) => {
      const { page } = visit
      await page.goto(service.ownerUrl)
      const at = async (word: string, title: string, name: string) => {
        await page.evaluate((given) => localStorage.setItem('recovery', given), word)
        await page.reload()
        await heading(page, title)
        expect(await problems(visit, name)).toEqual([])
      }
      await at(recovery, 'Karte nachweisen', 'recovery-card')
      await at(waiting, 'Jetzt wird 24 Stunden gewartet', 'recovery-waits')
    })
  })
})
