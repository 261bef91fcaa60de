// Guarantee: what a stranger asks before they approve is answered by the sheet itself: in sight or a scroll away,
// behind no fold, in plain words.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SHOTS } from '../../../surface/dev/shots.ts'
import { describeInBrowser, VIEWPORTS } from './browser.ts'
import { type MockPage, startMockPage } from './mock-page.ts'

/** What stands on the sheet as the answer, by question. */
type Answers = Record<
  | 'Who asks?'
  | 'How much?'
  | 'What for?'
  | 'With which card?'
  | 'Who keeps the card?'
  | 'What does the shop get?'
  | 'How often?'
  | 'Until when?'
  | 'What does it cost me at most?'
  | 'How do I stop it?',
  RegExp
>

const ONCE = /works only there, once/
const OPERATOR = /Kept here by Northpay/
const NO_CARD = /Your card details never reach/
const CARD = /Visa ·· 4242/
const WAY_OUT = /Not now/

const SHEETS: Record<string, Answers> = {
  approval: {
    'Who asks?': /Northwind Coffee\s+shop\.northwind\.example/,
    'How much?': /\$40\.00/,
    'What for?': /Stoneware mug, speckled × 2\s+\$28\.00/,
    'With which card?': CARD,
    'Who keeps the card?': OPERATOR,
    'What does the shop get?': /Northwind Coffee gets a one-time card.* Your real card stays here\./,
    'How often?': ONCE,
    'Until when?': /once, until \S/,
    'What does it cost me at most?': /for up to \$40\.00/,
    'How do I stop it?': WAY_OUT,
  },
  'quoted-approval': {
    'Who asks?': /Sandbox Shop\s+sandbox-shop\.example/,
    'How much?': /\$182\.05/,
    'What for?': /Stoneware mug \(Slate\) × 4\s+\$72\.00/,
    'With which card?': CARD,
    'Who keeps the card?': OPERATOR,
    'What does the shop get?': NO_CARD,
    'How often?': /You pay once/,
    'Until when?': /orders this at Sandbox Shop for you now/,
    'What does it cost me at most?': /\$182\.05, not a cent more/,
    'How do I stop it?': WAY_OUT,
  },
  'setup-saved': {
    'Who asks?': /Tea House\s+tea\.example/,
    'How much?': /\$40\.00 each month/,
    'What for?': /May charge, without asking again/,
    'With which card?': CARD,
    'Who keeps the card?': OPERATOR,
    'What does the shop get?': /Never sees your card number/,
    'How often?': /up to \$40\.00 each month/,
    'Until when?': /Until \w+ \d+, \d{4}/,
    'What does it cost me at most?': /The most this can ever cost you is \$960\.00/,
    'How do I stop it?': /You can pause or end it at any time/,
  },
  'enroll-confirm': {
    'Who asks?': /Tea House/,
    'How much?': /Your card/,
    'What for?': /To save/,
    'With which card?': CARD,
    'Who keeps the card?': /Northpay keeps this card for you/,
    'What does the shop get?': NO_CARD,
    'How often?': /asks you before each payment/,
    'Until when?': /asks you before each payment/,
    'What does it cost me at most?': /asks you before each payment/,
    'How do I stop it?': WAY_OUT,
  },
}

describeInBrowser('ten questions of a stranger', (browser) => {
  let mock: MockPage
  let base = ''
  beforeAll(async () => {
    mock = await startMockPage()
    base = mock.url
  })
  afterAll(() => mock?.close())

  it.each(Object.entries(SHEETS))('are answered by %s', async (name, answers) => {
    await browser.visit({}, async ({ page }) => {
      await page.setViewportSize(VIEWPORTS.phone)
      const words = await wordsOf(page, name)
      const unanswered = Object.entries(answers).filter(([, answer]) => !answer.test(words))
      expect(unanswered.map(([question]) => question)).toEqual([])
    })
  })

  async function wordsOf(page: Page, name: string): Promise<string> {
    const shot = SHOTS.find((one) => one.name === name)
    if (shot?.heading == null) throw new Error(`There is no screen ${name}.`)
    await page.goto(`${base}/s/ma_x/${shot.scenario}#x`)
    await page.getByRole('heading', { name: shot.heading, level: 1 }).waitFor()
    await shot.steps?.(page)
    // As it is drawn: what is folded or hidden from the eye is none of it.
    const drawn = await page.evaluate(() => {
      for (const hidden of document.querySelectorAll('.visually-hidden')) hidden.remove()
      return document.querySelector('main')?.innerText ?? ''
    })
    return drawn.replaceAll('\u00a0', ' ')
  }
})
