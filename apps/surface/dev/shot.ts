/** A DEVELOPMENT TOOL: one screen, and how to get to it. */
import type { Page } from 'playwright-core'

export interface Shot {
  name: string
  /** The scenario of the mock, or the whole path with what follows. */
  scenario: string
  /** Text of the heading that shows that the screen is there. */
  heading: string | RegExp | null
  before?(page: Page): Promise<unknown>
  steps?(page: Page): Promise<void>
}

export const at = (scenario: string, heading: string | RegExp, rest: Partial<Shot> = {}): Shot => ({
  name: scenario,
  scenario,
  heading,
  ...rest,
})
