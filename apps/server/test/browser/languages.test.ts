// Guarantee: the page speaks the session's language, or else the browser's, all of it and in its direction; a language
// whose words do not come keeps no one from paying; and on no screen does a longer language, or one from right to left,
// need more room than there is.
import { SENTENCE_LANGUAGES } from '@mintmark/contract/sentence/version'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SCENARIOS } from '../../../surface/dev/scenarios.ts'
import { textsIn } from '../../../surface/src/text/languages.ts'
import { createSession, dbRow } from '../flows.ts'
import { PATIENT, startTestService, type TestService } from '../service.ts'
import { accessibilityProblems } from './accessibility.ts'
import { axeProblems, axeSource } from './axe.ts'
import { describeInBrowser } from './browser.ts'
import { cardholder } from './cardholder.ts'
import { type MockPage, startMockPage } from './mock-page.ts'
import { type Pseudo, speakPseudo } from './pseudo.ts'
import { textProblems } from './text-fit.ts'

/** The narrowest there is. */
const NARROW = { width: 320, height: 640 }
const SHOWN = Object.keys(SCENARIOS).filter((name) => SCENARIOS[name]?.kind !== 'silence' && !name.endsWith('hosted'))
/** As many as a busy machine looks at in the time of a test. */
const PARTS = Array.from({ length: Math.ceil(SHOWN.length / 8) }, (_, part) => SHOWN.slice(part * 8, part * 8 + 8))
/**
 * Where a real language is looked at: a card's fields, what is bought and what is allowed, a card that is kept, and an
 * end.
 */
const SCREENS = ['card', 'quoted-approval', 'setup-limits', 'enroll-confirm', 'approved']

describeInBrowser('the languages of the page', (browser) => {
  let mock: MockPage
  let base = ''
  let axe = ''
  let service: TestService
  beforeAll(async () => {
    axe = await axeSource()
    service = await startTestService({ env: PATIENT })
    mock = await startMockPage()
    base = `${mock.url}/s/ma_x`
  })
  afterAll(async () => {
    mock?.close()
    await service?.close()
  })

  const languageOf = (page: Page) => page.evaluate(() => [document.documentElement.lang, document.documentElement.dir])

  /** To the end of a payment, by what stands on the buttons. */
  async function pay(page: Page, session: { iframe_url: string; session_id: string }, language: 'de' | 'ja' | 'ar') {
    const { page: words, payment } = textsIn(language)
    const ann = cardholder(page)
    await page.goto(session.iframe_url)
    await ann.heading(payment.shared.enterCard).waitFor()
    await page.getByLabel(words.cardNumber.label).waitFor()
    await ann.enterCard()
    await ann.heading(words.passkeyRegistration.title).waitFor()
    await ann.createPasskey()
    await page.getByText(payment.outcomes.approved.text).waitFor()
    const { terms } = await dbRow(service, 'select terms from approvals where subject_id = $1', [session.session_id])
    return JSON.parse(terms).sentence
  }

  it.concurrent('a German browser reads German, and what is signed', async () => {
    const session = await createSession(service.merchant)
    const reads = { locale: 'de-AT', timezoneId: 'Europe/Vienna' }
    await browser.visit({ reads }, async ({ page }) => {
      const sentence = await pay(page, session, 'de')
      expect(sentence).toMatchObject({ language: 'de', locale: 'de-AT', time_zone: 'Europe/Vienna' })
      expect(await languageOf(page)).toEqual(['de', 'ltr'])
      expect(await page.getByText(sentence.text).count()).toBe(1)
      // The day, the month's name and the time, by the clock of the reader, without a zone.
      expect(await page.locator('.terms').first().textContent()).toMatch(/Freigegeben\d{1,2}\. \S+, \d\d:\d\d$/)
    })
  })

  it.concurrent.each([
    ['ja-JP', 'ja', 'ltr'],
    ['ar-EG', 'ar', 'rtl'],
  ] as const)('a session in %s is read so in a browser of another language', async (locale, language, direction) => {
    const session = await createSession(service.merchant, { locale })
    await browser.visit({}, async ({ page }) => {
      const asked: string[] = []
      page.on('request', (request) => asked.push(new URL(request.url()).pathname))
      const sentence = await pay(page, session, language)
      expect(sentence).toMatchObject({ language, locale })
      expect(await languageOf(page)).toEqual([language, direction])
      expect(asked.filter((path) => path.startsWith('/texts/'))).toEqual([
        expect.stringMatching(`^/texts/${language}-\\w+\\.json$`),
      ])
      await page.reload()
      await page.getByText(textsIn(language).payment.outcomes.approved.text).waitFor()
    })
  })

  it.concurrent('words that do not come keep no one from paying', async () => {
    const session = await createSession(service.merchant, { locale: 'fr' })
    await browser.visit({ expects: [/status of 404/] }, async ({ page }) => {
      await page.route('**/texts/**', (route) => route.fulfill({ status: 404 }))
      await page.goto(session.iframe_url)
      await cardholder(page).heading('Pay with a card').waitFor()
      expect(await languageOf(page)).toEqual(['en', 'ltr'])
    })
  })

  it.concurrent('a locale that is none of its languages leaves it to the browser', async () => {
    const session = await createSession(service.merchant, { locale: 'pt-BR' })
    await browser.visit({ reads: { locale: 'es-MX' } }, async ({ page }) => {
      await page.goto(session.iframe_url)
      await cardholder(page).heading(textsIn('es').payment.shared.enterCard).waitFor()
      expect(await page.locator('.amount').textContent()).toContain('USD')
    })
  })

  async function problemsOf(page: Page, name: string): Promise<string[]> {
    await page.goto(`${base}/${name}#x`)
    await page.locator('main:not([aria-busy]) h1').waitFor({ state: 'attached' })
    // What is approved comes after the screen.
    if ((await page.locator('[data-step=approval]').count()) > 0) await page.locator('.all').waitFor()
    const found: string[] = await page.evaluate(textProblems)
    const button = page.locator('.button-approve')
    const box = (await button.count()) > 0 ? await button.boundingBox() : null
    if (box !== null && (box.x < 0 || box.x + box.width > NARROW.width)) found.push('the button is not in sight')
    return found.map((problem) => `${name}: ${problem}`)
  }

  // `npm run sweep` has each by itself.
  const kinds: Pseudo[] = process.env.CRASH_SWEEP === undefined ? ['both'] : ['long', 'mirrored']
  it.each(kinds.flatMap((kind) => PARTS.map((names, part) => ({ kind, part: part + 1, names }))))(
    'fits into 320 px, $kind, part $part',
    async ({ kind, names }) => {
      await browser.visit({ expects: [/status of [45]\d\d/] }, async ({ page }) => {
        await page.setViewportSize(NARROW)
        await speakPseudo(page, kind)
        const problems: string[] = []
        for (const name of names) problems.push(...(await problemsOf(page, name)))
        expect(problems).toEqual([])
      })
    },
  )

  it.each(SENTENCE_LANGUAGES)('fits into 320 px, in %s, and axe finds nothing', async (language) => {
    await browser.visit({ reads: { locale: language } }, async ({ page, shoot }) => {
      await page.setViewportSize(NARROW)
      const problems: string[] = []
      for (const name of SCREENS) {
        problems.push(...(await problemsOf(page, name)), ...(await axeProblems(page, axe)))
        problems.push(...(await accessibilityProblems(page)))
        await shoot(`language-${language}-${name}`)
      }
      expect(await page.evaluate(() => document.documentElement.lang)).toBe(language)
      expect(problems).toEqual([])
    })
  })

  it.concurrent('digits are read from left to right also in Arabic', async () => {
    await browser.visit({ reads: { locale: 'ar' } }, async ({ page }) => {
      await page.goto(`${base}/card#x`)
      const directions = await page
        .locator('input:not([type=checkbox]), code')
        .evaluateAll((all) => all.map((one) => getComputedStyle(one).direction))
      expect(new Set(directions)).toEqual(new Set(['ltr']))
      expect(await page.locator('main').evaluate((main) => getComputedStyle(main).direction)).toBe('rtl')
    })
  })
})
