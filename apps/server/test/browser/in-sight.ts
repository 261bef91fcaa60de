import { setTimeout as delay } from 'node:timers/promises'
import type { FrameLocator, Locator, Page } from 'playwright-core'
import { press } from './press.ts'

/** With the pauses between them it is minutes, for a button that never works. */
const LOOKS = 1_000
/** Where both do not fit, the button comes into sight last and stays there for longer than it has to be seen. */
const LOOKS_AT_THE_BUTTON = 10

/**
 * A button that signs works once it and the sentence above it have been in sight for a moment. A page that grows after it was scrolled, by a picture or an
 * answer, moves it out of sight again: a person scrolls once more, and so does this. What comes back is the button while it works.
 */
export async function inSight(surface: Page | FrameLocator, button: Locator): Promise<Locator> {
  const working = button.and(surface.locator(':not(.button-waiting)'))
  for (let look = 0; look < LOOKS; look += 1) {
    if (look % LOOKS_AT_THE_BUTTON === 0) await surface.locator('.sentence').scrollIntoViewIfNeeded()
    await button.scrollIntoViewIfNeeded()
    if (await working.isVisible()) return working
    await delay(100)
  }
  throw new Error(`${button} never works in sight.`)
}

/**
 * Presses such a button. A page may move once more after it was seen to work, and a press would wait for a scroll that no person makes: as
 * long as it is not heard, this scrolls.
 */
export async function pressInSight(surface: Page | FrameLocator, button: Locator): Promise<void> {
  const pressed = press(await inSight(surface, button)).then(() => true)
  while (!(await Promise.race([pressed, delay(100, false)]))) {
    // Gone, where the press was heard meanwhile.
    await button.scrollIntoViewIfNeeded({ timeout: 1_000 }).catch(() => undefined)
  }
}
