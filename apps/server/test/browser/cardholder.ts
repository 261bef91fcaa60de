import type { FrameLocator, Locator, Page } from 'playwright-core'
import { CARDS } from '../flows.ts'
import { inSight, pressInSight } from './in-sight.ts'
import { press } from './press.ts'

/** Said with the amount. */
export const APPROVE = /^Approve [^\w\s]*\d/
/** Above the button, where the passkey's dialog closed. */
export const DIALOG_CLOSED = 'The passkey dialog closed. Nothing was approved.'
/** The sentence, as soon as it is there to be read. */
export const SENTENCE = '.sentence:not([aria-busy])'

/** The secure surface as the person before it uses it: in a tab, or in a frame of a shop's page. */
export interface Cardholder {
  heading(text: string | RegExp): Locator
  button(name: string | RegExp): Locator
  /** Fills in the card form and sends it. */
  enterCard(number?: string): Promise<void>
  createPasskey(): Promise<void>
  approve(): Promise<void>
  /** A new card, a new passkey, the approval. */
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
      await press(button('Continue'))
    },
    createPasskey: () => press(button('Create a passkey')),
    async approve() {
      await pressInSight(surface, button(APPROVE))
    },
    async payAnew(number) {
      await holder.enterCard(number)
      await holder.createPasskey()
      await holder.approve()
    },
  }
  return holder
}

/** The page in a tab of its own, at the link of a session. */
export async function open(page: Page, url: string): Promise<Cardholder> {
  await page.goto(url)
  return cardholder(page)
}

export async function fillCard(surface: Page | FrameLocator, number: string): Promise<void> {
  await surface.getByLabel('Card number').fill(number)
  await surface.getByLabel('Expiry date').fill(`12${(new Date().getFullYear() + 3) % 100}`)
  await surface.getByLabel('Security code').fill(number.startsWith('3') ? '1234' : '123')
}

/** Scrolls to the approve button and waits until it works: all of it must have been in sight for a moment. */
export async function readyToApprove(surface: Page | FrameLocator): Promise<Locator> {
  return inSight(surface, surface.getByRole('button', { name: APPROVE }))
}

/** What a page around ours must never hear or see. The last part of a UUID may be twelve decimal digits, after its dash. */
export const CARD_SECRETS = /"token"|cvv|(?<![-\w])\d{12,19}\b/
