import type { FrameLocator, Locator, Page } from 'playwright-core'
import { CARDS } from '../flows.ts'

/** Works: it has been seen with whom and how much, and nothing is under way. */
const READY = '.button-approve:not(.button-waiting):not([aria-busy=true])'

/** The secure surface as the person before it uses it: in a tab, or in a frame of a shop's page. */
export interface Cardholder {
  heading(text: string | RegExp): Locator
  button(name: string | RegExp): Locator
  /** Sends the form that is shown. */
  submit(): Promise<void>
  /** Fills in the card form and sends it. */
  enterCard(number?: string): Promise<void>
  /** A press that counts for the approval, too, where its terms are what stood there. */
  createPasskey(): Promise<void>
  /** In a browser that wants a press for each dialog, so that the approval waits for its own. */
  createPasskeyOnly(): Promise<void>
  approve(): Promise<void>
  /** A new card, and a new passkey, whose press counts for the approval. */
  payAnew(number?: string): Promise<void>
  surface: Page | FrameLocator
}

export function cardholder(surface: Page | FrameLocator): Cardholder {
  const heading = (text: string | RegExp) => surface.getByRole('heading', { level: 1, name: text })
  const button = (name: string | RegExp) => surface.getByRole('button', { name })
  const holder: Cardholder = {
    surface,
    heading,
    button,
    async enterCard(number = CARDS.success) {
      await fillCard(surface, number)
      await holder.submit()
    },
    submit: async () => (await inSight(surface.locator('[type=submit]'))).click(),
    // A browser takes no press for half a second on a frame that was moved.
    createPasskey: async () => (await readyToApprove(surface, 'passkey_registration')).click(),
    async createPasskeyOnly() {
      await surface.locator('body').evaluate(refuseOnce)
      await holder.createPasskey()
      await surface.locator('body').evaluate(isRefused)
    },
    async approve() {
      await (await readyToApprove(surface)).click()
    },
    async payAnew(number) {
      await holder.enterCard(number)
      await holder.createPasskey()
    },
  }
  return holder
}

/** As a browser does that wants a press for each dialog: Safari. Runs in the page. */
function refuseOnce(): void {
  navigator.credentials.get = () => {
    Reflect.deleteProperty(navigator.credentials, 'get')
    return Promise.reject(new DOMException('A press is wanted.', 'NotAllowedError'))
  }
}

/**
 * Waits for that, as long as the page would ask without a press: it does not where its button is out of sight. Runs in
 * the page.
 */
async function isRefused(): Promise<void> {
  const until = performance.now() + 4_000
  while (Object.hasOwn(navigator.credentials, 'get') && performance.now() < until) {
    await new Promise((wait) => setTimeout(wait, 50))
  }
  Reflect.deleteProperty(navigator.credentials, 'get')
}

/** The page in a tab of its own, at the link of a session. */
export async function open(page: Page, url: string): Promise<Cardholder> {
  await page.goto(url)
  return cardholder(page)
}

export async function fillCard(surface: Page | FrameLocator, number: string): Promise<void> {
  // By name: their labels are in many languages.
  const field = (name: string) => surface.locator(`input[name=${name}]`)
  await field('card-number').fill(number)
  await field('card-expiry').fill(`12${(new Date().getFullYear() + 3) % 100}`)
  await field('card-code').fill(number.startsWith('3') ? '1234' : '123')
}

/**
 * Scrolls to it as who looks for it does. What waits until an element stands still waits for ever in a frame that is
 * out of sight: a browser draws none of it, and a page may have been scrolled so far, by a press that was tried again.
 */
async function inSight(target: Locator): Promise<Locator> {
  await target.evaluate((element) => element.scrollIntoView({ block: 'nearest' }))
  return target
}

/** Scrolls to the approve button and waits until it works: all of it must have been in sight for a moment. */
export async function readyToApprove(surface: Page | FrameLocator, at = 'approval'): Promise<Locator> {
  const step = `.sheet[data-step=${at}]`
  const button = surface.locator(`${step} .button-approve`)
  const ready = surface.locator(`${step} ${READY}`)
  await inSight(button)
  // A person who types as fast as a test has not seen yet who is paid, in a page that scrolls.
  const isReady = await ready.waitFor({ timeout: 1_500 }).catch(() => null)
  if (isReady === null) {
    await inSight(surface.locator('.merchant-name'))
    await surface.locator('.amount').evaluate(() => new Promise((seen) => setTimeout(seen, 700)))
    await inSight(button)
  }
  await ready.waitFor()
  return ready
}

/** What is signed, line by line. */
export async function allOfIt(surface: Page | FrameLocator): Promise<Locator> {
  const lines = surface.locator('.all > .terms')
  if (!(await lines.isVisible())) await surface.locator('.all > summary').click()
  await lines.waitFor()
  return lines
}

/** With the keyboard alone: on to the control of this name. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  for (let presses = 0; presses < 12; presses += 1) {
    await page.keyboard.press('Tab')
    const words = await page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
    if (typeof name === 'string' ? words === name : name.test(words)) return
  }
  throw new Error(`The keyboard does not come to ${name}.`)
}

/**
 * What a page around ours must never hear or see. The last part of a UUID may be twelve decimal digits, after its dash.
 */
export const CARD_SECRETS = /"token"|cvv|(?<![-\w])\d{12,19}\b/
