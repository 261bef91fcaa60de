import { setTimeout as delay } from 'node:timers/promises'
import type { Frame, Locator } from 'playwright-core'

/** With the pauses between them it is minutes, for a page that is never reached. */
const TRIES = 60

/**
 * Presses in a page with frames of other sites. A browser sends a press where it last drew the frame: one that has just moved, as a sheet
 * does when its page grows, does not get it, and the test is not told. A person does not press in that moment, and would press again; so does
 * this, until the page has heard it. What the page makes of it is not looked at.
 */
export async function press(target: Locator): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const frame = await (await target.elementHandle())?.ownerFrame()
    if (!frame) throw new Error('There is nothing to press.')
    if (await pressOnce(target, frame)) return
    await delay(tries * 100)
  }
  throw new Error(`No press on ${target} reaches the page.`)
}

async function pressOnce(target: Locator, frame: Frame): Promise<boolean> {
  // The answers of one page come in their order. A page that is gone was led on by the press.
  const heard = frame.evaluate(hearPress).catch(() => true)
  await target.click()
  return Promise.race([heard, frame.evaluate(() => false).catch(() => true)])
}

/** Runs in the page. */
function hearPress(): Promise<boolean> {
  return new Promise((hear) => addEventListener('pointerdown', () => hear(true), { capture: true, once: true }))
}
