import { first } from './first.ts'
import type { Texts } from './languages.ts'

/**
 * All that the page says, in the language that it is read in now. A screen that names a text names it in here, and says
 * it when it is drawn.
 */
export const texts: Texts = first

/** From here on the page says these. In place: what has a part of them at hand says the new ones as well. */
export function speak(others: object, here: object = texts): void {
  for (const [key, value] of Object.entries(others)) {
    if (typeof value === 'string') Object.assign(here, { [key]: value })
    else speak(value, (here as Record<string, object>)[key])
  }
}
